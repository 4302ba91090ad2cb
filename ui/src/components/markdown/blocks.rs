//! Which blocks at the front of a growing text cannot change any more.

use std::ops::Range;

use pulldown_cmark::{Event, Parser};

use super::tree::OPTIONS;

/// Every block but the last: only the last one can still be continued. The line that is being
/// written does not count yet: half of a table row is a paragraph.
pub(super) fn settled_blocks(text: &str) -> Vec<Range<usize>> {
    let lines = text.rfind('\n').map_or(0, |newline| newline + 1);
    let starts = block_starts(text.get(..lines).unwrap_or_default());
    starts
        .windows(2)
        .enumerate()
        // What stands before the first block (a blank line, a definition) goes with it.
        .map(|(index, pair)| {
            if index == 0 {
                0..pair[1]
            } else {
                pair[0]..pair[1]
            }
        })
        .collect()
}

fn block_starts(text: &str) -> Vec<usize> {
    let mut starts: Vec<usize> = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        if matches!(event, Event::End(_)) {
            depth = depth.saturating_sub(1);
            continue;
        }
        // An indent belongs to its block, and without it some blocks are others.
        let start = line_start(text, range.start);
        if depth == 0 && starts.last().is_none_or(|last| *last < start) {
            starts.push(start);
        }
        depth += usize::from(matches!(event, Event::Start(_)));
    }
    starts
}

fn line_start(text: &str, offset: usize) -> usize {
    text.get(..offset)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(text: &str) -> Vec<&str> {
        settled_blocks(text)
            .into_iter()
            .map(|range| &text[range])
            .collect()
    }

    #[test]
    fn all_but_the_last_block_are_settled() {
        assert_eq!(settled("one"), [] as [&str; 0]);
        assert_eq!(settled("one\n\ntwo"), [] as [&str; 0]);
        assert_eq!(settled("one\n\ntwo\n"), ["one\n\n"]);
        assert_eq!(
            settled("# a\nb\n\n- c\n- d\n\ne\n"),
            ["# a\n", "b\n\n", "- c\n- d\n\n"]
        );
    }

    #[test]
    fn an_open_fence_is_one_block_whatever_it_holds() {
        assert_eq!(settled("a\n\n```rust\nfn a() {}\n\n# b\n\nc\n"), ["a\n\n"]);
        assert_eq!(settled("```\na\n\nb\n```\n\nc\n"), ["```\na\n\nb\n```\n\n"]);
    }

    #[test]
    fn a_loose_list_stays_open() {
        assert_eq!(settled("1. a\n\n2. b\n\n   more\n"), [] as [&str; 0]);
    }

    #[test]
    fn an_indent_stays_with_its_block() {
        assert_eq!(settled("a\n\n    code\n\nb\n"), ["a\n\n", "    code\n\n"]);
    }

    #[test]
    fn cutting_a_text_anywhere_gives_the_same_blocks() {
        let text = "# Title\n\npara *one*\nstill\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n> q\n\n```\nfn\n\nmain\n```\n\nend\n";
        let whole = settled(text);
        for cut in (0..text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let mut blocks = settled(&text[..cut]);
            let taken: usize = blocks.iter().map(|block| block.len()).sum();
            blocks.extend(settled(&text[taken..]));
            assert_eq!(blocks, whole, "cut at {cut}");
        }
    }
}
