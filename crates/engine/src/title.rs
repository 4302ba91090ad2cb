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

/// A name for a file: letters and digits of the title, joined by dashes.
pub(crate) fn file_name(title: &str) -> String {
    let words: Vec<String> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let name = words.join("-");
    let name = name[..name.floor_char_boundary(80)].trim_end_matches('-');
    if name.is_empty() { "session" } else { name }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::{file_name, first_line};

    #[test]
    fn a_file_name_holds_nothing_that_a_file_system_minds() {
        assert_eq!(file_name("Tides: when & where?"), "tides-when-where");
        assert_eq!(file_name("../../etc/passwd"), "etc-passwd");
        assert_eq!(file_name("???"), "session");
        assert!(file_name(&"ä".repeat(200)).len() <= 80);
    }

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
