//! The engine without a window: commands in, replies and pushes out, one JSON object a line.
//!
//! The framing is documented in `docs/headless.md`. A bad line gets an error line and ends nothing.

mod input;
mod output;
mod pump;

use std::collections::HashMap;
use std::io::{BufRead, Write};

use engine::{Engine, Subscription};
use protocol::{Command, CommandError, ErrorCode, Reply, SessionId};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::Host;
use input::{Line, Request};
use output::Output;
use pump::Pump;

/// What happens to runs that are going when the input ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtEnd {
    /// They are interrupted and can be resumed.
    Interrupt,
    /// They are waited for.
    Wait,
}

/// Reads commands until the input ends or the process is asked to end, then closes the host.
pub async fn run(
    host: Host,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    at_end: AtEnd,
) -> Result<(), CommandError> {
    let (output, writing) = Output::start(output)?;
    let mut lines = input::read_lines(input)?;
    let mut session = Headless { engine: host.engine.clone(), output, pumps: HashMap::new() };
    let was_asked_to_end = session.serve(&mut lines).await;
    if at_end == AtEnd::Wait && !was_asked_to_end {
        session.engine.idle().await;
    }
    session.engine.halt().await;
    session.finish().await;
    let closed = host.close().await;
    // The writer ends once every sender is gone; a reader that went away ends it sooner.
    if writing.await.is_err() {
        tracing::error!(name: "host.headless.writer_failed", "the output task failed");
    }
    closed
}

/// Who a pump sends for: one session, or the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Followed {
    Session(SessionId),
    List,
}

struct Headless {
    engine: Engine,
    output: Output,
    pumps: HashMap<Followed, Pump>,
}

impl Headless {
    /// True if the process was asked to end, false if the input did.
    async fn serve(&mut self, lines: &mut mpsc::Receiver<Line>) -> bool {
        loop {
            tokio::select! {
                line = lines.recv() => match line {
                    Some(line) => self.answer(line).await,
                    None => return false,
                },
                () = crate::headless::asked_to_end() => return true,
                () = self.output.closed() => return true,
            }
        }
    }

    async fn answer(&mut self, line: Line) {
        let (id, command) = match line.parse() {
            Ok(Request { id, command }) => (id, command),
            Err((id, error)) => return self.output.reply(&id, Err(error)).await,
        };
        match command {
            Command::Subscribe { session_id, after_seq } => {
                self.subscribe(&id, session_id, after_seq).await;
            }
            Command::Unsubscribe { session_id } => self.unsubscribe(&id, session_id).await,
            Command::WatchSessions {} => self.watch(&id).await,
            command => {
                let result = self.engine.execute(command).await;
                self.output.reply(&id, result).await;
            }
        }
    }

    /// The reply goes out before anything that follows from it.
    async fn subscribe(&mut self, id: &Value, session_id: SessionId, after_seq: u64) {
        let subscription: Subscription = match self.engine.subscribe(session_id, after_seq) {
            Ok(subscription) => subscription,
            Err(error) => return self.output.reply(id, Err(error)).await,
        };
        let followed = Followed::Session(session_id);
        self.end_pump(followed).await;
        let head_seq = subscription.head_seq();
        self.output.reply(id, Ok(Reply::Subscribed { session_id, head_seq })).await;
        let pump = Pump::session(subscription, self.output.clone());
        self.pumps.insert(followed, pump);
    }

    async fn unsubscribe(&mut self, id: &Value, session_id: SessionId) {
        let result = if self.end_pump(Followed::Session(session_id)).await {
            Ok(Reply::Unsubscribed { session_id })
        } else {
            Err(CommandError::new(
                ErrorCode::NotFound,
                "There is no subscription to that session.",
                "Subscribe first.",
            ))
        };
        self.output.reply(id, result).await;
    }

    async fn watch(&mut self, id: &Value) {
        let watch = match self.engine.watch_sessions() {
            Ok(watch) => watch,
            Err(error) => return self.output.reply(id, Err(error)).await,
        };
        self.end_pump(Followed::List).await;
        self.output.reply(id, Ok(Reply::Watching {})).await;
        self.pumps.insert(Followed::List, Pump::list(watch, self.output.clone()));
    }

    async fn end_pump(&mut self, followed: Followed) -> bool {
        match self.pumps.remove(&followed) {
            Some(pump) => {
                pump.end().await;
                true
            }
            None => false,
        }
    }

    /// Sends what is committed and not yet sent, then lets the output end.
    async fn finish(self) {
        for (_, pump) in self.pumps {
            pump.finish().await;
        }
    }
}

/// Resolves when the process is asked to end.
async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut terminate), Ok(mut interrupt)) =
            (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
        else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
