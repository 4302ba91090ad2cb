//! The engine without a window: commands in, replies and pushes out, one JSON object a line.
//!
//! The framing is documented in `docs/headless.md`. A bad line gets an error line and ends nothing.

mod input;
mod output;
mod pump;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::time::Duration;

use engine::{Engine, Subscription};
use protocol::{Command, CommandError, ErrorCode, Reply, SessionId};
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use crate::{Host, Source};
use input::{Line, Request};
use output::Output;
use pump::Pump;

/// After a request to end, a reader that does not read keeps nobody longer than this.
const WRITE_WITHIN: Duration = Duration::from_secs(2);

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
    run_until(host, input, output, at_end, signalled()).await
}

/// The same, asked to end by `asked` instead of by a signal.
pub async fn run_until(
    host: Host,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    at_end: AtEnd,
    asked: impl Future<Output = ()> + Send + 'static,
) -> Result<(), CommandError> {
    let (output, writing) = Output::start(output)?;
    let mut lines = input::read_lines(input)?;
    let mut asked = Asked::listen(asked);
    let mut session = Headless {
        engine: host.engine.clone(),
        output,
        pumps: HashMap::new(),
    };
    let end = session.serve(&mut lines, &mut asked).await;
    if at_end == AtEnd::Wait && end == End::OfInput {
        tokio::select! {
            () = session.engine.idle() => {}
            () = asked.wait() => {}
            () = session.output.closed() => {}
        }
    }
    session.engine.halt().await;
    // Who is there gets everything; who does not read is waited for until we are asked to end.
    tokio::select! {
        () = session.finish() => {}
        () = asked.wait_and_then(WRITE_WITHIN) => {}
    }
    let closed = host.close().await;
    // The writer ends once every sender is gone; a reader that went away ends it sooner.
    tokio::select! {
        () = writing.wait() => {}
        () = asked.wait_and_then(WRITE_WITHIN) => {
            tracing::warn!(name: "host.headless.unread", "the output was not read to its end");
        }
    }
    closed
}

/// Why no more commands are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    OfInput,
    Asked,
    /// Whoever read the output has gone away.
    OfOutput,
}

/// Whether the process was asked to end. Listening begins once, before anything else: a request
/// that comes while a command is carried out is not lost.
struct Asked {
    asked: watch::Receiver<bool>,
    task: tokio::task::JoinHandle<()>,
}

impl Asked {
    fn listen(asked: impl Future<Output = ()> + Send + 'static) -> Self {
        let (tell, told) = watch::channel(false);
        let task = tokio::spawn(async move {
            asked.await;
            tell.send_replace(true);
        });
        Self { asked: told, task }
    }

    async fn wait(&mut self) {
        if self.asked.wait_for(|asked| *asked).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    async fn wait_and_then(&mut self, longer: Duration) {
        self.wait().await;
        tokio::time::sleep(longer).await;
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.task.abort();
    }
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
    async fn serve(&mut self, lines: &mut mpsc::Receiver<Line>, asked: &mut Asked) -> End {
        loop {
            let line = tokio::select! {
                () = asked.wait() => return End::Asked,
                () = self.output.closed() => return End::OfOutput,
                line = lines.recv() => match line {
                    Some(line) => line,
                    None => return End::OfInput,
                },
            };
            // A reader that does not read holds up the answer, not the end.
            tokio::select! {
                () = self.answer(line) => {}
                () = asked.wait() => return End::Asked,
            }
        }
    }

    async fn answer(&mut self, line: Line) {
        let (id, command) = match line.parse() {
            Ok(Request { id, command }) => (id, command),
            Err((id, error)) => return self.output.reply(&id, Err(error)).await,
        };
        if let Command::Subscribe {
            session_id,
            after_seq,
        } = command
        {
            return self.subscribe(&id, session_id, after_seq).await;
        }
        if let Command::Unsubscribe { session_id } = command {
            return self.unsubscribe(&id, session_id).await;
        }
        if let Command::WatchSessions {} = command {
            return self.watch(&id).await;
        }
        let result = self.engine.execute(command).await;
        self.output.reply(&id, result).await;
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
        let reply = Reply::Subscribed {
            session_id,
            head_seq,
        };
        self.output.reply(id, Ok(reply)).await;
        let pump = Pump::start(Source::Session(subscription), self.output.clone());
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
        let pump = Pump::start(Source::List(watch), self.output.clone());
        self.pumps.insert(Followed::List, pump);
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
async fn signalled() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut terminate), Ok(mut interrupt)) = (
            signal(SignalKind::terminate()),
            signal(SignalKind::interrupt()),
        ) else {
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
