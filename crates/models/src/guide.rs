//! The built-in guide: a scripted model that explains the app, for when there is no other.
//!
//! It is labelled as scripted wherever it speaks. The same question under the same seed gives the
//! same words with the same pauses.

mod pace;
mod script;
mod topics;

use std::time::Duration;

use engine::{Model, ModelEvent, ModelRequest, ModelStream, RequestMessage};
use futures_util::stream;
use protocol::{BlockKind, ModelInfo, Usage};

use pace::{Random, pause_after, pieces};

/// How the guide speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuideOptions {
    /// Chooses among ways to say the same thing, and the rhythm.
    pub seed: u64,
    /// The middle pause between two words. Zero for none at all.
    pub word_pause: Duration,
}

impl Default for GuideOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            word_pause: Duration::from_millis(28),
        }
    }
}

/// The built-in guide.
#[derive(Debug, Clone, Copy, Default)]
pub struct Guide {
    options: GuideOptions,
}

impl Guide {
    /// The id that runs are stored with.
    pub const ID: &'static str = "guide";

    /// A guide that speaks like this.
    pub const fn new(options: GuideOptions) -> Self {
        Self { options }
    }
}

impl Model for Guide {
    fn info(&self) -> ModelInfo {
        ModelInfo {
            id: Self::ID.to_owned(),
            label: "Guide".to_owned(),
            is_scripted: true,
        }
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let question = request
            .messages
            .iter()
            .rev()
            .find_map(|message| match message {
                RequestMessage::User { text } => Some(text.as_str()),
                RequestMessage::Agent { .. } | RequestMessage::Result { .. } => None,
            })
            .unwrap_or_default();
        let mut random = Random::new(self.options.seed ^ Random::hash(question));
        let text = script::answer(question, &mut random);
        let speech = Speech {
            pieces: pieces(&text).into_iter(),
            word_pause: self.options.word_pause,
            random,
            is_finished: false,
        };
        Box::pin(stream::unfold(speech, Speech::next))
    }
}

struct Speech {
    pieces: std::vec::IntoIter<String>,
    word_pause: Duration,
    random: Random,
    is_finished: bool,
}

type Spoken = Result<ModelEvent, engine::ModelError>;

impl Speech {
    async fn next(mut self) -> Option<(Spoken, Self)> {
        if self.is_finished {
            return None;
        }
        let Some(text) = self.pieces.next() else {
            self.is_finished = true;
            // A script has no tokens: what is not known stays unsaid.
            return Some((
                Ok(ModelEvent::Finished {
                    usage: Usage::default(),
                }),
                self,
            ));
        };
        let pause = pause_after(&text, self.word_pause, &mut self.random);
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        Some((
            Ok(ModelEvent::Text {
                block: 0,
                kind: BlockKind::Text,
                text,
            }),
            self,
        ))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;

    use super::*;

    fn request(text: &str) -> ModelRequest {
        let message = RequestMessage::User {
            text: text.to_owned(),
        };
        ModelRequest {
            model: Guide::ID.to_owned(),
            instructions: None,
            messages: vec![message],
            tools: Vec::new(),
        }
    }

    async fn say(seed: u64, question: &str) -> Vec<ModelEvent> {
        let guide = Guide::new(GuideOptions {
            seed,
            word_pause: Duration::ZERO,
        });
        let events: Vec<Spoken> = guide.stream(request(question)).collect().await;
        events
            .into_iter()
            .map(|event| event.expect("the guide never fails"))
            .collect()
    }

    #[tokio::test]
    async fn the_same_seed_says_the_same_words() {
        assert_eq!(say(7, "Hello").await, say(7, "Hello").await);
    }

    #[tokio::test]
    async fn it_ends_with_the_end_and_says_it_once() {
        for question in [
            "",
            "Hello",
            "Tell me a long story about the sea",
            "\u{0}\u{ffff}",
        ] {
            let events = say(1, question).await;
            let ends = events
                .iter()
                .filter(|e| matches!(e, ModelEvent::Finished { .. }))
                .count();
            assert_eq!(ends, 1, "{question:?}");
            assert!(matches!(events.last(), Some(ModelEvent::Finished { .. })));
            assert!(events.len() > 10, "{question:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_same_seed_keeps_the_same_rhythm() {
        let mut lengths = Vec::new();
        for _ in 0..2 {
            let before = tokio::time::Instant::now();
            let guide = Guide::new(GuideOptions {
                seed: 3,
                ..GuideOptions::default()
            });
            let count = guide.stream(request("Hello")).count().await;
            assert!(count > 10);
            lengths.push(before.elapsed());
        }
        assert_eq!(lengths[0], lengths[1]);
        assert!(
            lengths[0] > Duration::from_secs(1),
            "a human pace: {lengths:?}"
        );
    }
}
