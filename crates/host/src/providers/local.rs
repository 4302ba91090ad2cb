//! Model servers on this computer, as people are told of them.

use std::path::Path;
use std::sync::Arc;

use models::{LocalAddress, LocalAnswer, LocalFinder, LocalKind, leads_to_port};
use protocol::{LocalFound, LocalServer, ServedModel, ServedState};

use super::card;
use super::provider::Provider;
use crate::serving::{self, Shown};

/// The usual places, then those that the person added, then where a model file is served.
pub(super) fn places(added: &[u16], served: Option<u16>) -> Vec<LocalAddress> {
    let mut places = LocalAddress::usual();
    for port in added.iter().chain(&served) {
        let place = LocalAddress::port(*port);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// What was found there. Nobody at a usual place is no news.
pub(super) fn found(
    place: LocalAddress,
    answer: LocalAnswer,
    added: &[u16],
    providers: &[Arc<Provider>],
) -> Option<LocalServer> {
    let port = place.number();
    let is_added = added.contains(&port);
    let found = match answer {
        LocalAnswer::Nobody if !is_added => return None,
        LocalAnswer::Nobody => LocalFound::Nobody {},
        LocalAnswer::Stranger => LocalFound::Stranger {},
        LocalAnswer::NotYet => LocalFound::Starting {},
        LocalAnswer::Server(server) => LocalFound::Server {
            kind: kind(server.kind),
            name: name(server.kind).to_owned(),
            dialect: card::spoken(server.dialect()),
            base_url: server.base_url(),
            models: server.models.into_iter().map(card::model).collect(),
        },
    };
    let leads_there = |one: &&Arc<Provider>| leads_to_port(&one.row.fields.base_url, port);
    let provider = providers.iter().find(leads_there);
    Some(LocalServer {
        port,
        address: place.to_string(),
        is_added,
        is_served: false,
        found,
        provider_id: provider.map(|provider| provider.row.provider_id),
    })
}

/// The served model as its process stands. It is ready once its server says so.
pub(super) async fn served(
    path: String,
    shown: Option<Shown>,
    finder: &LocalFinder,
) -> ServedModel {
    // A file that was chosen a moment ago is not in the hands of its thread yet.
    let shown = shown.filter(|shown| shown.path == Path::new(&path));
    let Some(shown) = shown else {
        let name = serving::model_name(Path::new(&path));
        return ServedModel {
            path,
            name,
            state: ServedState::Starting {},
            restarts: 0,
            last_error: None,
        };
    };
    let state = match shown.port {
        _ if shown.is_given_up => ServedState::Failed {},
        Some(port) => {
            let answers = finder.find(&[LocalAddress::port(port)]).await;
            match answers.into_iter().next() {
                Some(LocalAnswer::Server(server)) => ServedState::Ready {
                    port,
                    base_url: server.base_url(),
                },
                Some(_) | None => ServedState::Starting {},
            }
        }
        None => ServedState::Starting {},
    };
    ServedModel {
        path,
        name: shown.name,
        state,
        restarts: shown.restarts,
        last_error: shown.last_error,
    }
}

const fn kind(kind: LocalKind) -> protocol::LocalKind {
    match kind {
        LocalKind::Ollama => protocol::LocalKind::Ollama,
        LocalKind::LmStudio => protocol::LocalKind::LmStudio,
        LocalKind::LlamaCpp => protocol::LocalKind::LlamaCpp,
        LocalKind::Other => protocol::LocalKind::Other,
    }
}

const fn name(kind: LocalKind) -> &'static str {
    match kind {
        LocalKind::Ollama => "Ollama",
        LocalKind::LmStudio => "LM Studio",
        LocalKind::LlamaCpp => "llama.cpp",
        LocalKind::Other => "Model server",
    }
}
