//! Which answer fits a question: the topic that most of its words speak of.

use super::pace::Random;
use super::topics::{FALLBACK, Topic, WELCOME, topics};

/// The guide's answer. Always one: what it does not understand it says so about.
pub(super) fn answer(question: &str, random: &mut Random) -> String {
    let words = words(question);
    let topic = best_topic(&words);
    let opening = choose(topic.openings, random);
    format!("{opening}\n\n{}", topic.body.trim())
}

fn best_topic(words: &[String]) -> &'static Topic {
    if words.is_empty() {
        return &WELCOME;
    }
    let score = |topic: &Topic| {
        topic
            .words
            .iter()
            .filter(|word| words.iter().any(|found| found == *word))
            .count()
    };
    // The first of equals: topics are listed with the more particular ones first.
    let mut best = (0, &FALLBACK);
    for topic in topics() {
        let score = score(topic);
        if score > best.0 {
            best = (score, topic);
        }
    }
    // Its words are in every other question, so it is meant only where no other topic is.
    if best.0 == 0 && score(&WELCOME) > 0 {
        return &WELCOME;
    }
    best.1
}

/// The words of a message, in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(200)
        .map(str::to_lowercase)
        .collect()
}

fn choose(openings: &'static [&'static str], random: &mut Random) -> &'static str {
    let count = u64::try_from(openings.len()).unwrap_or(1);
    let index = usize::try_from(random.below(count)).unwrap_or(0);
    openings.get(index).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening_words(question: &str) -> String {
        answer(question, &mut Random::new(1))
    }

    #[test]
    fn questions_find_their_topic() {
        for (question, expected) in [
            ("What can you do?", "scripted"),
            ("hello", "scripted"),
            ("What happens if I pull the plug?", "plug"),
            ("what if it crashes", "plug"),
            ("Where is my data kept?", "data folder"),
            ("Tell me a long story about the sea", "Marrow"),
            ("how do I stop a reply", "halts the reply"),
            ("can I script this", "headless"),
            ("show me a table and some code", "| "),
            ("who are you, which model is this", "no language model"),
            ("what are tools", "waits for you"),
            ("how do approvals work", "waits for you"),
            ("what is an agent", "instructions"),
            ("can I queue a message", "next run"),
            ("how do I connect Claude", "paste the key"),
            ("can I use ollama offline", "finds it"),
        ] {
            let text = opening_words(question);
            assert!(text.contains(expected), "{question:?} gave {text:?}");
        }
    }

    #[test]
    fn what_it_does_not_understand_it_says_so_about() {
        assert!(opening_words("quantum chromodynamics").contains("do not have an answer"));
    }

    #[test]
    fn every_topic_can_be_reached_and_every_opening_is_used() {
        for topic in topics().iter().chain([&WELCOME]) {
            for word in topic.words {
                let text = answer(word, &mut Random::new(1));
                assert!(!text.contains("do not have an answer"), "{word}");
            }
            let mut seen: Vec<&str> = (0..200)
                .map(|seed| choose(topic.openings, &mut Random::new(seed)))
                .collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), topic.openings.len());
        }
    }
}
