//! The built-in guide: a scripted model that explains the app, for when there is no other.
//!
//! It is labelled as scripted wherever it speaks. The same request under the same seed gives the
//! same words with the same pauses. When it is asked to show tools it calls them for real.

mod errand;
mod pace;
mod script;
mod topics;

use std::time::Duration;

use engine::{Model, ModelEvent, ModelRequest, ModelStream, RequestMessage};
use futures_util::stream;
use protocol::{BlockKind, ModelInfo, Usage};

use errand::{Errand, Turn};
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
            is_scripted: true,
            images: Some(false),
            tools: Some(true),
            ..ModelInfo::new(Self::ID, "Guide")
        }
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let question = question(&request);
        let mut random = Random::new(self.options.seed ^ Random::hash(question));
        let turn = turn(question, &request, &mut random);
        let speech = Speech {
            events: events(&turn, &request).into_iter(),
            word_pause: self.options.word_pause,
            random,
        };
        Box::pin(stream::unfold(speech, Speech::next))
    }
}

fn question(request: &ModelRequest) -> &str {
    let last = request
        .messages
        .iter()
        .rev()
        .find_map(|message| match message {
            RequestMessage::User { text, .. } => Some(text.as_str()),
            RequestMessage::Agent { .. } | RequestMessage::Result { .. } => None,
        });
    last.unwrap_or_default()
}

fn turn(question: &str, request: &ModelRequest, random: &mut Random) -> Turn {
    let errand = Errand::asked_for(question);
    if let Some(turn) = errand.and_then(|errand| errand.next(request)) {
        return turn;
    }
    let answer = script::answer(question, random);
    let text = match errand {
        Some(Errand::Look | Errand::Note) => {
            format!("I would show you, but I may not use the tools for it here.\n\n{answer}")
        }
        Some(Errand::Tour | Errand::Practise) | None => answer,
    };
    Turn { text, call: None }
}

/// Word by word: what is said, then what is called.
fn events(turn: &Turn, request: &ModelRequest) -> Vec<ModelEvent> {
    let spoken = |block, kind, text: &str| {
        let pieces = pieces(text).into_iter();
        pieces.map(move |text| ModelEvent::Text { block, kind, text })
    };
    let mut events: Vec<ModelEvent> = spoken(0, BlockKind::Text, &turn.text).collect();
    if let Some(step) = turn.call {
        events.push(ModelEvent::BlockEnded);
        events.extend(spoken(1, BlockKind::Arguments, step.arguments));
        events.push(ModelEvent::BlockEnded);
        events.push(ModelEvent::Call {
            // Every message adds to the session, so no two calls in it have the same id.
            id: format!("guide-{}", request.messages.len()),
            tool: step.tool.to_owned(),
            arguments: step.arguments.to_owned(),
        });
    }
    // A script has no tokens: what is not known stays unsaid.
    events.push(ModelEvent::finished(Usage::default()));
    events
}

struct Speech {
    events: std::vec::IntoIter<ModelEvent>,
    word_pause: Duration,
    random: Random,
}

type Spoken = Result<ModelEvent, engine::ModelError>;

impl Speech {
    async fn next(mut self) -> Option<(Spoken, Self)> {
        let event = self.events.next()?;
        if let ModelEvent::Text { text, .. } = &event {
            let pause = pause_after(text, self.word_pause, &mut self.random);
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
        }
        Some((Ok(event), self))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;

    use super::*;

    fn request(text: &str) -> ModelRequest {
        let message = RequestMessage::User {
            parts: Vec::new(),
            text: text.to_owned(),
        };
        ModelRequest {
            model: Guide::ID.to_owned(),
            instructions: None,
            messages: vec![message].into(),
            tools: Vec::new(),
        }
    }

    async fn hear(guide: Guide, request: ModelRequest) -> Vec<ModelEvent> {
        let events: Vec<Spoken> = guide.stream(request).collect().await;
        events
            .into_iter()
            .map(|event| event.expect("the guide never fails"))
            .collect()
    }

    async fn say(seed: u64, question: &str) -> Vec<ModelEvent> {
        let guide = Guide::new(GuideOptions {
            seed,
            word_pause: Duration::ZERO,
        });
        hear(guide, request(question)).await
    }

    #[tokio::test]
    async fn a_tool_is_called_after_it_was_spoken_of() {
        let guide = Guide::new(GuideOptions {
            seed: 1,
            word_pause: Duration::ZERO,
        });
        let mut request = request("Show me tools");
        request.tools = vec![engine::ToolSpec {
            name: "list_files".to_owned(),
            description: String::new(),
            parameters: serde_json::json!({}),
        }];
        let events = hear(guide, request).await;
        let end = events.len() - 5;
        assert!(matches!(events[0], ModelEvent::Text { block: 0, .. }));
        let expected = [
            ModelEvent::BlockEnded,
            ModelEvent::Text {
                block: 1,
                kind: BlockKind::Arguments,
                text: "{}".to_owned(),
            },
            ModelEvent::BlockEnded,
            ModelEvent::Call {
                id: "guide-1".to_owned(),
                tool: "list_files".to_owned(),
                arguments: "{}".to_owned(),
            },
            ModelEvent::finished(Usage::default()),
        ];
        assert_eq!(events[end..], expected);
    }

    #[tokio::test]
    async fn without_its_tools_it_says_so_and_calls_nothing() {
        for question in ["Show me tools", "Write a note", "tour"] {
            let events = say(1, question).await;
            let is_call = |event: &ModelEvent| matches!(event, ModelEvent::Call { .. });
            assert!(!events.iter().any(is_call), "{question}");
            assert!(events.len() > 10);
        }
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
