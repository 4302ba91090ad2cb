//! The second judge: `aimock`, an independent server for every kind of provider, which knows
//! nothing of how ours read it. Each has the same conversation, with tools, a break and an overload.

use anyhow::{Context, Result, ensure};
use protocol::{
    BlockKind, CallStatus, Command, Dialect, ErrorClass, MessageStatus, ProviderState, Reply,
    RunStatus, Secret,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Ended, Provided, Window, WindowOptions, eventually, provider_at};

use super::asking;
use super::servers::{Server, installed, node};

/// The app's folder, beside what the judge is told.
const APP: &str = "app";
const KEY: &str = "key-of-the-second-judge";
const CARD: &str = "[data-testid=approval-card]";
const REPLY: &str = "[data-testid=message][data-role=agent][data-status=complete]";
const PARTIAL: &str = "[data-testid=message][data-role=agent][data-status=partial]";
const CUT: &str = "I read it now, all of it, word by word.";
/// The same dialect may be spoken by somebody else, in another manner.
const PLACES: [(&str, Dialect, &str); 6] = [
    ("OpenAI", Dialect::ChatCompletions, "/v1"),
    ("OpenAI Responses", Dialect::Responses, "/v1"),
    ("Anthropic", Dialect::Anthropic, "/v1"),
    ("Gemini", Dialect::Gemini, "/v1beta"),
    ("Ollama", Dialect::Ollama, ""),
    ("OpenRouter", Dialect::ChatCompletions, "/api/v1"),
];

/// What is said to the first request, the second, and so on.
fn replies(dialect: Dialect) -> Value {
    // The break comes after the first words, and takes the last event with it. In one dialect six
    // events come before them, two of an empty thought among them.
    let events = if dialect == Dialect::Responses { 9 } else { 4 };
    let write = json!({"path": "notes.txt", "content": "Noted."});
    let read = json!([{"name": "read_file", "arguments": {"path": "notes.txt"}}]);
    let replies = [
        json!({"response": {"reasoning": "First I write.", "content": "I begin.", "toolCalls": [
            {"name": "write_file", "arguments": write},
            {"name": "list_files", "arguments": {"path": "."}},
        ]}}),
        json!({"response": {"content": CUT, "toolCalls": read}, "truncateAfterChunks": events}),
        json!({"response": {"content": "I read it now.", "toolCalls": read}}),
        json!({"response": {
            "error": {"message": "Overloaded", "type": "overloaded_error"}, "status": 529,
        }}),
        json!({"response": {"content": "It says: Noted."}}),
    ];
    let numbered = replies.into_iter().enumerate().map(|(number, mut reply)| {
        reply["match"] = json!({"userMessage": "Tidy up", "sequenceIndex": number});
        reply
    });
    json!({"fixtures": numbered.collect::<Vec<Value>>()})
}

/// An app with a provider at the judge.
struct Court {
    server: Server,
    app: Provided,
    data: TempDir,
}

impl Court {
    fn open(dialect: Dialect, path: &str) -> Result<Self> {
        let data = tempfile::tempdir()?;
        let fixtures = data.path().join("fixtures.json");
        std::fs::write(&fixtures, replies(dialect).to_string())?;
        let program = installed()?.join("node/node_modules/@copilotkit/aimock/dist/cli.js");
        let server = Server::start(|port| {
            let mut node = node()?;
            node.arg(&program)
                .args(["-p", &port.to_string(), "-f"])
                .arg(&fixtures)
                // Small pieces, each on its way before the next: a break comes in between.
                .args(["--chunk-size", "8", "--latency", "5"])
                .args(["--strict", "--validate-on-load"])
                .env("AIMOCK_API_KEYS", KEY);
            Ok(node)
        })?;
        let fields = provider_at(dialect, server.url(path));
        let app = Provided::start(&data.path().join(APP), fields, "a wrong key", "judged-1")?;
        Ok(Self { server, app, data })
    }

    fn give_key(&mut self) -> Result<Reply> {
        self.app.app.must(&Command::SetProviderKey {
            provider_id: self.app.provider_id,
            header: None,
            key: Secret::new(KEY),
        })
    }

    /// The requests that were let in.
    fn journal(&self) -> Result<Vec<Value>> {
        let header = format!("authorization: Bearer {KEY}");
        let journal = asking::get_with(self.server.port, "/__aimock/journal", &header)?;
        let entries = journal.as_array().context("no journal")?;
        let is_answered = |entry: &&Value| entry["response"]["status"] != 401;
        Ok(entries.iter().filter(is_answered).cloned().collect())
    }
}

/// RUN-10: a key that is not the one is refused once, and the provider waits for another.
fn refused_key(court: &mut Court) -> Result<()> {
    let ended = court.app.ask("Tidy up, please.")?;
    let class = ended.error.context("no error")?.class;
    ensure!((ended.status, class) == (RunStatus::Failed, ErrorClass::Auth));
    let state = court.app.provider()?.state;
    ensure!(matches!(state, ProviderState::Paused { .. }), "{state:?}");
    court.give_key()?;
    let state = court.app.provider()?.state;
    ensure!(state == ProviderState::Ok {}, "{state:?}");
    Ok(())
}

/// RUN-8, RUN-20: calls, a break, a repetition, an overload, and the end.
fn conversation(court: &mut Court, dialect: Dialect) -> Result<()> {
    let ended = court.app.ask("Tidy up, please.")?;
    ensure!(ended.answer()? == "It says: Noted.");
    let met: Vec<ErrorClass> = ended.retries.iter().map(|it| it.error.class).collect();
    ensure!(
        met == [ErrorClass::Network, ErrorClass::Overloaded],
        "{met:?}"
    );
    let done: Vec<(&str, CallStatus)> = ended
        .snapshot
        .calls
        .iter()
        .map(|call| (call.tool.as_str(), call.status))
        .collect();
    let expected = ["write_file", "list_files", "read_file"].map(|it| (it, CallStatus::Completed));
    ensure!(done == expected, "{done:?}");
    partial_is_kept(&ended)?;
    // It has another word for thoughts in Ollama's dialect than Ollama.
    if dialect != Dialect::Ollama {
        let blocks = ended.snapshot.messages.iter().flat_map(|it| &it.blocks);
        let mut thoughts = blocks.filter(|block| block.kind == BlockKind::Reasoning);
        ensure!(thoughts.any(|it| it.text == "First I write."));
    }
    let journal = court.journal()?;
    ensure!(journal.len() == 5, "{} requests", journal.len());
    for (one, other) in [(1, 2), (3, 4)] {
        ensure!(
            journal[one]["body"] == journal[other]["body"],
            "asked the same again"
        );
    }
    let last = journal[4]["body"].to_string();
    ensure!(last.contains("Noted."), "the result went back: {last}");
    ensure!(
        !last.contains("word by word"),
        "what was cut off did not: {last}"
    );
    Ok(())
}

fn partial_is_kept(ended: &Ended) -> Result<()> {
    let messages = ended.snapshot.messages.iter();
    let partial: Vec<String> = messages
        .filter(|message| message.status == MessageStatus::Partial)
        .map(|message| message.text())
        .collect();
    let is_beginning = |text: &String| !text.is_empty() && CUT.starts_with(text.as_str());
    ensure!(
        partial.len() == 1 && partial.iter().all(is_beginning),
        "{partial:?}"
    );
    Ok(())
}

#[test]
fn every_kind_of_provider_has_a_conversation_with_tools_a_break_and_an_overload() -> Result<()> {
    for (name, dialect, path) in PLACES {
        let mut court = Court::open(dialect, path).context(name)?;
        let judged = refused_key(&mut court).and_then(|()| conversation(&mut court, dialect));
        judged.context(name)?;
    }
    Ok(())
}

/// RUN-8, RUN-20: the same, as a person sees it.
#[tokio::test]
async fn the_window_shows_the_same_conversation_with_every_kind_of_provider() -> Result<()> {
    for (name, dialect, path) in PLACES {
        let mut court = Court::open(dialect, path).context(name)?;
        court.give_key()?;
        court.app.app.kill_in_place()?;
        in_the_window(&court).await.context(name)?;
        let asked = court.journal()?.len();
        ensure!(asked == 5, "{name}: {asked} requests");
    }
    Ok(())
}

async fn in_the_window(court: &Court) -> Result<()> {
    let window = Window::open(&WindowOptions::new(&court.data.path().join(APP), 0)).await?;
    window.send_message("Tidy up, please.").await?;
    window.ready(CARD, "approval-allow").await?;
    window.answer(CARD, "approval-allow").await?;
    eventually("the last reply", || async {
        let texts = window.texts(REPLY).await.ok()?;
        let mut texts = texts.iter();
        texts.any(|it| it.contains("It says: Noted.")).then_some(())
    })
    .await?;
    let cut = window.text_with(PARTIAL, "I read").await?;
    ensure!(!cut.contains("word by word"), "{cut}");
    window.close().await
}
