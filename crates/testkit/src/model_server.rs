//! A scripted model behind a real socket: it speaks several dialects over HTTP, notes what it is
//! asked, and misbehaves as a test wants.
//!
//! It lives in the test's process, on threads of its own: the app can be ended as often as a test
//! likes, and what was asked before is still known. Give it a script that looks at the request
//! alone, and an app that was ended gets the same answer when it asks again.

mod connection;
mod dialect;
mod ledger;
mod listing;
mod pieces;
mod reply;
mod request;
mod script;
mod told;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use anyhow::Result;

pub use dialect::Dialect;
use ledger::Ledger;
pub use listing::Headers;
use listing::Listing;
pub use reply::Reply;
pub use request::{Ending, Request, ToolResult};
pub use script::{Script, by_rounds, in_order};

/// A model that does what it is told.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

/// What all connections know.
#[derive(Debug)]
struct Shared {
    script: Box<dyn Script>,
    ledger: Ledger,
    listing: Listing,
    /// Replies that hang go on.
    is_released: AtomicBool,
    /// Everything ends.
    is_over: AtomicBool,
}

impl ModelServer {
    /// Starts on a free port of this computer.
    pub fn start(script: impl Script) -> Result<Self> {
        Self::open(script, Ledger::in_memory())
    }

    /// The same, and every request is also written to this file, one JSON object a line, and on
    /// disk before it is answered.
    pub fn start_with_ledger(script: impl Script, path: &Path) -> Result<Self> {
        Self::open(script, Ledger::in_file(path)?)
    }

    fn open(script: impl Script, ledger: Ledger) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script: Box::new(script),
            ledger,
            listing: Listing::default(),
            is_released: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        });
        let accepting = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Ok(Self {
            address,
            shared,
            accepting: Some(accepting),
        })
    }

    /// The address to give to a model's endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The same for a dialect, with the version that its addresses have.
    pub fn url_for(&self, dialect: Dialect) -> String {
        format!("http://{}{}", self.address, dialect.version())
    }

    /// Every request so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.ledger.requests()
    }

    /// How many there were.
    pub fn count(&self) -> usize {
        self.shared.ledger.count()
    }

    /// What is said from now on to whoever asks for the list of models; until then there is none.
    pub fn list_models(&self, list: impl Fn(&Headers) -> Reply + Send + Sync + 'static) {
        self.shared.listing.set(Box::new(list));
    }

    /// How often the list was asked for.
    pub fn listed(&self) -> usize {
        self.shared.listing.count()
    }

    /// Lets every reply go on that hangs, and those to come.
    pub fn release(&self) {
        self.shared.is_released.store(true, Ordering::SeqCst);
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // Whoever waits for a connection gets one, and sees that it is over.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            drop(accepting.join());
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_over.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        std::thread::spawn(move || {
            // A client that leaves is noted with its request; for the server it is no error.
            let served: io::Result<()> = connection::serve(&stream, &shared);
            drop(served);
        });
    }
}

#[cfg(test)]
mod tests;
