//! One word, one meaning: synonyms of the vocabulary stay out of tables, wire tags and the screen.

use super::Finding;
use super::lexer::{self, Kind};
use super::tree::{SourceFile, Tree};

/// Never say → say. Only words that have no other use here; inflections by `s` count too.
const SYNONYMS: &[(&str, &str)] = &[
    ("bot", "agent"),
    ("assistant", "agent"),
    ("thread", "session"),
    ("chat", "session"),
    ("conversation", "session"),
    ("llm", "model"),
    ("invocation", "tool call"),
    ("confirmation", "approval"),
    ("plugin", "skill"),
    ("recipe", "skill"),
    ("chunk", "delta"),
];

/// Words that are ordinary English on the screen, but wrong as a name.
const SYNONYMS_IN_NAMES: &[(&str, &str)] = &[
    ("turn", "run"),
    ("task", "run"),
    ("job", "run"),
    ("iteration", "step"),
    ("backend", "provider"),
    ("project", "workspace"),
    ("crashed", "in doubt"),
    ("notification", "event"),
    ("dump", "snapshot"),
    ("replay", "recovery"),
    ("abort", "stop or cancel"),
    ("aborted", "stopped or cancelled"),
    ("kill", "stop or cancel"),
    ("killed", "stopped or cancelled"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        if file.path.starts_with("crates/store/migrations/") && file.path.ends_with(".sql") {
            findings.extend(check_sql(file));
        } else if file.path.starts_with("crates/protocol/src/") && file.is_rust() {
            findings.extend(check_rust(file, &[Kind::Identifier, Kind::Text], &names()));
        } else if is_screen(&file.path) {
            findings.extend(check_rust(file, &[Kind::Text], SYNONYMS));
        }
    }
    findings
}

fn is_screen(path: &str) -> bool {
    path.ends_with(".rs")
        && !path.ends_with("/tests.rs")
        && ["ui/src/views/", "ui/src/components/"]
            .iter()
            .any(|folder| path.starts_with(folder))
}

fn names() -> Vec<(&'static str, &'static str)> {
    [SYNONYMS, SYNONYMS_IN_NAMES].concat()
}

/// Keywords are upper case, so what is lower case outside comments and quotes is a name.
fn check_sql(file: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in file.lines() {
        let code = line.split("--").next().unwrap_or_default();
        let bare: String = code.split('\'').step_by(2).collect::<Vec<_>>().join(" ");
        let lower = bare
            .split(|character: char| !is_word(character))
            .filter(|word| word.chars().any(char::is_lowercase));
        for word in lower {
            findings.extend(find(file, number, word, &names()));
        }
    }
    findings
}

fn check_rust(file: &SourceFile, kinds: &[Kind], synonyms: &[(&str, &str)]) -> Vec<Finding> {
    lexer::tokens(&file.text)
        .iter()
        .filter(|token| kinds.contains(&token.kind))
        .flat_map(|token| find(file, token.line, &token.text, synonyms))
        .collect()
}

fn find(file: &SourceFile, line: usize, text: &str, synonyms: &[(&str, &str)]) -> Vec<Finding> {
    words(text)
        .iter()
        .filter_map(|word| {
            let singular = word.strip_suffix('s').unwrap_or(word);
            let (never, say) = synonyms
                .iter()
                .find(|(never, _)| never == word || *never == singular)?;
            if file.allows(line, never) {
                return None;
            }
            Some(Finding::new(
                &file.path,
                line,
                format!("never say `{never}`: say {say}"),
            ))
        })
        .collect()
}

/// `startChat`, `start_chat` and `Start chat` are all the words start and chat.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in text.chars() {
        let starts_word = !character.is_alphabetic() || (character.is_uppercase() && was_lower);
        if starts_word {
            words.push(String::new());
        }
        if character.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)]))
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(
            words("start_chatRun2 HTTPChat"),
            ["start", "chat", "run", "httpchat"]
        );
    }

    #[test]
    fn tables_and_columns_use_the_vocabulary() {
        let path = "crates/store/migrations/V001__initial.sql";
        assert_eq!(
            messages(path, "-- A chat.\nCREATE TABLE chats (thread_id TEXT);\n"),
            [
                format!("{path}:2: never say `chat`: say session"),
                format!("{path}:2: never say `thread`: say session"),
            ]
        );
        assert!(messages(path, "SELECT RAISE(ABORT, 'no chat');\n").is_empty());
    }

    #[test]
    fn wire_names_use_the_vocabulary() {
        let path = "crates/protocol/src/event.rs";
        assert_eq!(
            messages(path, "enum Event { TurnStarted { chat_id: u8 } }").len(),
            2
        );
        assert_eq!(
            messages(path, "#[serde(rename = \"turn_started\")]").len(),
            1
        );
        assert!(messages(path, "/// A chat.\nenum Event { RunStarted, ReturnRun }").is_empty());
    }

    #[test]
    fn screen_text_uses_the_vocabulary() {
        let path = "ui/src/views/session_list.rs";
        assert_eq!(messages(path, "view! { <p>\"New chat\"</p> }").len(), 1);
        assert!(messages(path, "let chat = \"Turn on\";").is_empty());
        assert!(messages("ui/src/ipc.rs", "\"New chat\"").is_empty());
    }

    #[test]
    fn an_exception_names_the_word_and_the_reason() {
        let path = "crates/protocol/src/event.rs";
        let code = "// tidy: allow(job) what the system calls it\nstruct Job;\n";
        assert!(messages(path, code).is_empty());
        assert_eq!(
            messages(path, "// tidy: allow(chat) no\nstruct Job;\n").len(),
            1
        );
    }
}
