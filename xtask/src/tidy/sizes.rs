//! Files stay small enough to be read in one go.

use super::Finding;
use super::tree::{SourceFile, Tree};

const NEEDS_REASON: usize = 500;
const NEVER_MORE: usize = 800;
const COMPONENT: usize = 250;
const ENTRANCE: usize = 200;
const MAP: usize = 250;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings: Vec<Finding> = tree.rust().flat_map(check_rust).collect();
    if let Some(map) = tree.get("ARCHITECTURE.md") {
        let lines = map.text.lines().count();
        if lines > MAP {
            let message = format!("{lines} lines: a map has at most {MAP}");
            findings.push(Finding::new(&map.path, lines, message));
        }
    }
    findings
}

fn check_rust(file: &SourceFile) -> Vec<Finding> {
    let is_test = file.name() == "tests.rs" || file.path.split('/').any(|part| part == "tests");
    let lines = if is_test {
        file.text.lines().count()
    } else {
        lines_without_tests(&file.text)
    };
    let mut messages = Vec::new();
    if lines > NEVER_MORE {
        messages.push(format!("{lines} lines: split it, {NEVER_MORE} is the end"));
    } else if lines > NEEDS_REASON && !is_test && !has_size_reason(&file.text) {
        messages.push(format!(
            "{lines} lines: split it, or say why not in `// size: reason` on the first line \
             (over {NEEDS_REASON})"
        ));
    }
    let is_component = ["ui/src/components/", "ui/src/views/"]
        .iter()
        .any(|folder| file.path.starts_with(folder));
    if is_component && lines > COMPONENT {
        messages.push(format!(
            "{lines} lines: a component or view has at most {COMPONENT}"
        ));
    }
    if ["lib.rs", "main.rs"].contains(&file.name()) && lines > ENTRANCE {
        messages.push(format!(
            "{lines} lines: {} has at most {ENTRANCE}",
            file.name()
        ));
    }
    messages
        .into_iter()
        .map(|message| Finding::new(&file.path, lines, message))
        .collect()
}

fn has_size_reason(text: &str) -> bool {
    text.lines()
        .next()
        .and_then(|line| line.strip_prefix("// size:"))
        .is_some_and(|reason| !reason.trim().is_empty())
}

/// Counts lines outside `#[cfg(test)] mod … { … }`.
fn lines_without_tests(text: &str) -> usize {
    let mut count = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let opens_tests = line.trim() == "#[cfg(test)]"
            && lines.peek().is_some_and(|next| {
                let next = next.trim_start();
                next.starts_with("mod ") && next.trim_end().ends_with('{')
            });
        if !opens_tests {
            count += 1;
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indent}}}");
        for inner in lines.by_ref() {
            if inner == end {
                break;
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)]))
            .into_iter()
            .map(|finding| finding.message)
            .collect()
    }

    #[test]
    fn over_500_lines_need_a_reason_on_the_first_line() {
        let long = "let a = 1;\n".repeat(501);
        assert_eq!(messages("crates/a/src/b.rs", &long).len(), 1);
        let explained = format!("// size: one table\n{long}");
        assert!(messages("crates/a/src/b.rs", &explained).is_empty());
        let unexplained = format!("// size:\n{long}");
        assert_eq!(messages("crates/a/src/b.rs", &unexplained).len(), 1);
    }

    #[test]
    fn over_800_lines_no_reason_helps() {
        let text = format!("// size: one table\n{}", "let a = 1;\n".repeat(800));
        assert!(messages("crates/a/src/b.rs", &text)[0].contains("split it, 800 is the end"));
    }

    #[test]
    fn inline_tests_do_not_count() {
        let tests = "    fn a() {\n    }\n".repeat(400);
        let text = format!("fn a() {{}}\n\n#[cfg(test)]\nmod tests {{\n{tests}}}\n");
        assert_eq!(lines_without_tests(&text), 2);
        assert!(messages("crates/a/src/b.rs", &text).is_empty());
    }

    #[test]
    fn code_after_inline_tests_counts() {
        assert_eq!(
            lines_without_tests("a\n#[cfg(test)]\nmod tests {\n    b\n}\nc\nd\n"),
            3
        );
    }

    #[test]
    fn files_of_tests_may_have_800_lines() {
        let text = "assert!(true);\n".repeat(800);
        assert!(messages("tests/crash.rs", &text).is_empty());
        assert!(messages("crates/a/src/b/tests.rs", &text).is_empty());
        assert_eq!(messages("tests/crash.rs", &format!("{text}\n")).len(), 1);
    }

    #[test]
    fn components_and_entrances_have_their_own_limits() {
        let text = "let a = 1;\n".repeat(251);
        assert_eq!(messages("ui/src/components/card/card.rs", &text).len(), 1);
        assert_eq!(messages("ui/src/views/list.rs", &text).len(), 1);
        assert!(messages("ui/src/state.rs", &text).is_empty());
        assert_eq!(messages("crates/a/src/lib.rs", &text).len(), 1);
    }

    #[test]
    fn the_map_has_at_most_250_lines() {
        assert!(messages("ARCHITECTURE.md", &"x\n".repeat(250)).is_empty());
        assert_eq!(messages("ARCHITECTURE.md", &"x\n".repeat(251)).len(), 1);
    }
}
