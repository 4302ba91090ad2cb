//! Model servers on this computer: found by what they answer, not by where they listen.
//!
//! Whoever answers may be anybody. Nothing is sent but questions for lists, no key is shown, and
//! what comes back has a size and a deadline.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::Clock;
use futures_util::future::{join_all, join5};
use protocol::ErrorClass;
use serde_json::Value;
use tokio::sync::Mutex;

use super::card::{ModelCard, each_once};
use super::lists::{llama_cpp, lm_studio, ollama, openai};
use super::source::{Dialect, Source};
use crate::endpoint::Endpoint;
use crate::wire::{FetchError, Limits};

/// Ollama, LM Studio, llama.cpp, Jan, GPT4All.
const PORTS: [u16; 5] = [11434, 1234, 8080, 1337, 4891];
/// What one of them may say at once: a model's description can have its whole licence.
const ANSWER_BYTES: usize = 4 * 1024 * 1024;
/// Who is not there is not there at once, and who is busy is asked again later.
const LIMITS: Limits = Limits {
    connect: Duration::from_millis(400),
    silence: Duration::from_millis(1_500),
    event_bytes: ANSWER_BYTES,
};
/// For what one server is asked to be known, and again for what it says of its models.
const DEADLINE: Duration = Duration::from_secs(4);

/// A place on this computer. There is no other kind: who is elsewhere is a provider, and is chosen by
/// the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LocalAddress(SocketAddr);

impl std::fmt::Display for LocalAddress {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(to)
    }
}

impl LocalAddress {
    /// A port of this computer.
    pub const fn port(port: u16) -> Self {
        Self(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port))
    }

    /// An address, if it is on this computer.
    pub fn new(address: SocketAddr) -> Option<Self> {
        address.ip().is_loopback().then_some(Self(address))
    }

    /// Where model servers usually are.
    pub fn usual() -> Vec<Self> {
        PORTS.into_iter().map(Self::port).collect()
    }

    /// Which port of this computer it is.
    pub const fn number(self) -> u16 {
        self.0.port()
    }

    /// The address as a server's, without a path.
    pub fn url(self) -> String {
        format!("http://{}", self.0)
    }
}

/// Who is at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LocalAnswer {
    /// Nobody, or nobody who answers in time.
    Nobody,
    /// Somebody, but no model server.
    Stranger,
    /// Somebody who cannot answer yet, as a server that still loads its model. It is worth asking
    /// again.
    NotYet,
    /// A model server.
    Server(LocalServer),
}

/// A model server on this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// Where it is.
    pub address: LocalAddress,
    /// Which one it is.
    pub kind: LocalKind,
    /// Its models.
    pub models: Vec<ModelCard>,
}

/// Which server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocalKind {
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// llama.cpp.
    LlamaCpp,
    /// Another one that speaks Chat Completions.
    Other,
}

impl LocalServer {
    /// How it is spoken to.
    pub const fn dialect(&self) -> Dialect {
        match self.kind {
            LocalKind::Ollama => Dialect::Ollama,
            LocalKind::LmStudio | LocalKind::LlamaCpp | LocalKind::Other => {
                Dialect::ChatCompletions
            }
        }
    }

    /// The address for an endpoint of that dialect.
    pub fn base_url(&self) -> String {
        match self.kind {
            LocalKind::Ollama => self.address.url(),
            LocalKind::LmStudio | LocalKind::LlamaCpp | LocalKind::Other => {
                format!("{}/v1", self.address.url())
            }
        }
    }
}

/// Asks who is there, again and again while the app runs. Ways and descriptions that it has are kept, so
/// that asking again costs next to nothing.
#[derive(Debug)]
pub struct LocalFinder {
    source: Option<Source>,
    /// How many searches are over.
    searches: AtomicU64,
    /// Held while one is under way.
    last: Mutex<Search>,
}

/// The last search.
#[derive(Debug, Default)]
struct Search {
    addresses: Vec<LocalAddress>,
    answers: Vec<LocalAnswer>,
    /// Lists that servers told, and what they said of the models in them.
    told: HashMap<LocalAddress, Told>,
}

#[derive(Debug, Clone)]
struct Told {
    list: Value,
    models: Vec<ModelCard>,
}

impl LocalFinder {
    /// Asks nobody yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        // All of them are on this computer, so one way there is the way to all.
        let endpoint = Endpoint::new(LocalAddress::port(0).url(), "");
        let source = Source::new(Dialect::ChatCompletions, &endpoint, LIMITS, clock);
        Self {
            source: source
                .map(|source| source.at_most(ANSWER_BYTES).not_kept())
                .ok(),
            searches: AtomicU64::new(0),
            last: Mutex::default(),
        }
    }

    /// Asks at all these addresses at once. The answers are in their order. Whoever comes while a search
    /// is under way gets its answers: nobody is asked twice at a time.
    pub async fn find(&self, addresses: &[LocalAddress]) -> Vec<LocalAnswer> {
        let Some(source) = &self.source else {
            return vec![LocalAnswer::Nobody; addresses.len()];
        };
        let before = self.searches.load(Ordering::SeqCst);
        let mut last = self.last.lock().await;
        let is_new = self.searches.load(Ordering::SeqCst) != before;
        if is_new && last.addresses == addresses {
            return last.answers.clone();
        }
        let asked = addresses.iter().map(async |address| {
            let told = last.told.get(address);
            look(*address, &source.elsewhere(address.url()), told).await
        });
        let (answers, told): (Vec<_>, Vec<_>) = join_all(asked).await.into_iter().unzip();
        let told = addresses.iter().copied().zip(told);
        *last = Search {
            addresses: addresses.to_vec(),
            answers: answers.clone(),
            told: told.filter_map(|(at, told)| Some((at, told?))).collect(),
        };
        self.searches.fetch_add(1, Ordering::SeqCst);
        answers
    }
}

/// Who is at this address, and what need not be asked the next time.
async fn look(
    address: LocalAddress,
    source: &Source,
    told: Option<&Told>,
) -> (LocalAnswer, Option<Told>) {
    let asked = tokio::time::timeout(DEADLINE, ask(address, source)).await;
    // Who begins to answer and never ends is no server that anybody can use.
    let (mut answer, list) = asked.unwrap_or((LocalAnswer::Stranger, None));
    let told = match (&mut answer, list) {
        (LocalAnswer::Server(server), Some(list)) if server.kind == LocalKind::Ollama => {
            describe(server, list, source, told).await
        }
        _ => None,
    };
    (answer, told)
}

/// Who is there, and its list as Ollama would tell it.
async fn ask(address: LocalAddress, source: &Source) -> (LocalAnswer, Option<Value>) {
    // Every server answers one of the first two, and only one kind has the others.
    let (tags, list, own, older, props) = join5(
        source.get("api/tags"),
        source.get("v1/models"),
        source.get("api/v1/models"),
        source.get("api/v0/models"),
        source.get("props"),
    )
    .await;
    let answers = [&tags, &list, &own, &older, &props];
    if answers.iter().all(|answer| is_silence(answer)) {
        return (LocalAnswer::Nobody, None);
    }
    let is_busy = is_of(&list, &[ErrorClass::Overloaded]);
    let seen = Seen {
        tags: tags.ok(),
        list: list.ok(),
        own: own.ok(),
        older: older.ok(),
        props: props.ok(),
    };
    let answer = match seen.kind() {
        Some((kind, models)) => LocalAnswer::Server(LocalServer {
            address,
            kind,
            models: each_once(models),
        }),
        None if is_busy => LocalAnswer::NotYet,
        None => LocalAnswer::Stranger,
    };
    (answer, seen.tags)
}

/// Ollama says what its models can do one by one, which is not asked again while its list stays the
/// same. One that takes too long for that is there all the same, with models of which little is known.
async fn describe(
    server: &mut LocalServer,
    list: Value,
    source: &Source,
    told: Option<&Told>,
) -> Option<Told> {
    if let Some(told) = told.filter(|told| told.list == list) {
        server.models.clone_from(&told.models);
        return Some(told.clone());
    }
    let described = ollama::described(source, server.models.clone());
    let described = tokio::time::timeout(DEADLINE, described).await.ok()?;
    server.models.clone_from(&described.cards);
    described.is_whole.then_some(Told {
        list,
        models: described.cards,
    })
}

/// Whether nothing came at all.
fn is_silence(answer: &Result<Value, FetchError>) -> bool {
    is_of(answer, &[ErrorClass::Network, ErrorClass::Timeout])
}

fn is_of(answer: &Result<Value, FetchError>, classes: &[ErrorClass]) -> bool {
    matches!(answer, Err(FetchError::Failed(error)) if classes.contains(&error.class))
}

/// What a server answered, where it was JSON.
#[derive(Debug, Default)]
struct Seen {
    /// Ollama's list.
    tags: Option<Value>,
    /// The list that most have.
    list: Option<Value>,
    /// LM Studio's list, and the one of its older versions.
    own: Option<Value>,
    older: Option<Value>,
    /// What llama.cpp says of itself.
    props: Option<Value>,
}

impl Seen {
    /// Which server says such things, and its models. llama.cpp is asked for first, because it
    /// answers Ollama's questions too.
    fn kind(&self) -> Option<(LocalKind, Vec<ModelCard>)> {
        let list = self.list.as_ref();
        let props = self
            .props
            .as_ref()
            .filter(|props| llama_cpp::are_props(props));
        if props.is_some() || list.is_some_and(llama_cpp::is_list) {
            let models = list.and_then(|list| llama_cpp::read(list, props));
            return Some((LocalKind::LlamaCpp, models.unwrap_or_default()));
        }
        let own = self.own.as_ref().and_then(lm_studio::read);
        let older = || self.older.as_ref().and_then(lm_studio::read_older);
        if let Some(models) = own.or_else(older) {
            return Some((LocalKind::LmStudio, models));
        }
        if let Some(models) = self.tags.as_ref().and_then(ollama::read) {
            return Some((LocalKind::Ollama, models));
        }
        let models = list.filter(|list| list["object"] == "list");
        let models = models.and_then(openai::read)?;
        Some((LocalKind::Other, models))
    }
}

#[cfg(test)]
mod tests;
