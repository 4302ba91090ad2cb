//! Model servers that were found on this computer. They are offered, never used unasked.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{LocalFound, LocalServer, ProviderView};

use super::escaped::Escaped;
use super::fault_view::FaultView;
use crate::actions::{Flaw, Progress, order_of, use_actions, use_store};
use crate::hooks::use_local_servers::use_local_servers;
use crate::model_words::model_count;
use crate::state::AppStateStoreFields;
use crate::testid;

#[component]
pub(crate) fn LocalServers(
    /// What the button of a server says.
    verb: &'static str,
    /// Whether servers that are providers already are offered too.
    shows_added: bool,
    /// Called with the provider of the one that was picked.
    on_pick: Callback<ProviderView>,
) -> impl IntoView {
    let store = use_store();
    use_local_servers();
    let servers = Memo::new(move |_| {
        let found = store.local().get()?;
        let is_shown =
            |server: &LocalServer| server.is_added || shows_added || server.provider_id.is_none();
        Some(found.into_iter().filter(is_shown).collect::<Vec<_>>())
    });
    let nothing = move || match servers.with(|servers| servers.as_ref().map(Vec::is_empty)) {
        None => Some("Looking…"),
        Some(true) => Some(
            "None found. Start Ollama, LM Studio or llama.cpp, and it shows up here by itself.",
        ),
        Some(false) => None,
    };
    view! {
        <p class="form__note" role="status">{nothing}</p>
        <ul class="local">
            <For
                each=move || servers.get().unwrap_or_default()
                key=|server| format!("{server:?}")
                children=move |server| view! { <Row server verb on_pick/> }
            />
        </ul>
    }
}

#[component]
fn Row(server: LocalServer, verb: &'static str, on_pick: Callback<ProviderView>) -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let progress = Progress::new(None);
    let is_busy = Memo::new(move |_| progress.stage.with(Option::is_some));
    let (name, words, can_pick) = match &server.found {
        LocalFound::Server { name, models, .. } => {
            (name.clone(), model_count(models.len()), !models.is_empty())
        }
        LocalFound::Starting {} => ("A server".to_owned(), "loads its model…".to_owned(), false),
        LocalFound::Stranger {} => (
            "Somebody".to_owned(),
            "not a model server that Holdfast knows".to_owned(),
            false,
        ),
        LocalFound::Nobody {} => (
            "Nobody".to_owned(),
            "no server at this port".to_owned(),
            false,
        ),
    };
    let (address, port) = (server.address.clone(), server.port);
    let is_added = server.is_added;
    let picked = StoredValue::new(server);
    let pick = move |_| {
        let server = picked.get_value();
        let known = server.provider_id.and_then(|id| {
            let providers = store.providers().get_untracked()?;
            providers.into_iter().find(|one| one.provider_id == id)
        });
        match (known, order_of(&server)) {
            (Some(known), _) => on_pick.run(known),
            (None, Some(order)) => spawn_local(async move {
                if let Some(added) = actions.set_up(order, progress, || {}).await {
                    actions.find_local().await;
                    on_pick.run(added);
                }
            }),
            (None, None) => {}
        }
    };
    let forget_port = move |_| {
        spawn_local(async move {
            if let Err(error) = actions.watch_port(port, false).await {
                actions.say_problem(&error);
            }
        });
    };
    view! {
        <li class="local__row" data-testid=testid::LOCAL_SERVER data-port=port.to_string()>
            <div class="models__words">
                <p class="models__name"><Escaped text=name/></p>
                <p class="form__note">{format!("{address} · {words}")}</p>
            </div>
            {can_pick.then(|| view! {
                <button
                    type="button"
                    class="button"
                    data-testid=testid::LOCAL_PICK
                    disabled=move || is_busy.get()
                    on:click=pick
                >
                    {move || progress.stage.get().unwrap_or(verb)}
                </button>
            })}
            {is_added.then(|| view! {
                <button type="button" class="button button--small button--quiet" on:click=forget_port>
                    "Stop looking here"
                </button>
            })}
            {move || match progress.flaw.get() {
                Some(Flaw::Fault(fault)) => Some(view! { <FaultView fault/> }),
                _ => None,
            }}
        </li>
    }
}
