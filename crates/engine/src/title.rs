//! A line from a message: the title of a session, the question in the resume panel.

/// The first line of a text that says something, in at most `max_chars` characters.
pub(crate) fn first_line(text: &str, max_chars: usize) -> String {
    let line = text
        .lines()
        .map(|line| line.trim_start_matches(['#', '>', '-', '*']).trim())
        .find(|line| !line.is_empty())
        .unwrap_or("…");
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty())
        .collect();
    let line = words.join(" ");
    if line.chars().count() <= max_chars {
        return line;
    }
    let cut: String = line.chars().take(max_chars.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::first_line;

    #[test]
    fn a_title_is_one_short_line_whatever_the_message_holds() {
        assert_eq!(first_line("Hello", 10), "Hello");
        assert_eq!(
            first_line("\n\n# Plan\u{7} the\ttrip\nmore", 20),
            "Plan the trip"
        );
        assert_eq!(first_line("one two three four", 10), "one two t…");
        assert_eq!(first_line("ééééééééééé", 5), "éééé…");
        assert_eq!(first_line("---", 5), "…");
    }
}
