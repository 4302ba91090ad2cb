//! Model servers on this computer: look for them, and look at more ports.

use leptos::prelude::Set;
use protocol::{
    Command, CommandError, LocalFound, LocalServer, ProviderFields, ProviderOptions, Reply,
    ServedModel,
};

use super::{Actions, Order};
use crate::state::AppStateStoreFields;

impl Actions {
    /// Looks who is there. A look that fails says nothing: the next one follows.
    pub(crate) async fn find_local(self) {
        if let Ok(Some(Reply::LocalServers { servers })) =
            self.ask(Command::FindLocalServers {}).await
        {
            self.store.local().try_set(Some(servers));
        }
    }

    /// Reads which model file is served; nothing where there is no answer.
    pub(crate) async fn served_model(self) -> Result<Option<Serving>, CommandError> {
        Ok(served_of(self.ask(Command::GetServedModel {}).await?))
    }

    /// Serves a model file from now on.
    pub(crate) async fn serve_file(self, path: String) -> Result<Option<Serving>, CommandError> {
        Ok(served_of(self.ask(Command::ServeModelFile { path }).await?))
    }

    /// Ends the server of the model file.
    pub(crate) async fn stop_serving(self) -> Result<Option<Serving>, CommandError> {
        Ok(served_of(self.ask(Command::StopServing {}).await?))
    }

    /// Looks at one more port from now on, or no longer.
    pub(crate) async fn watch_port(self, port: u16, is_watched: bool) -> Result<(), CommandError> {
        self.change_settings(|settings| {
            settings.local_ports.retain(|known| *known != port);
            if is_watched {
                settings.local_ports.push(port);
            }
        })
        .await?;
        self.find_local().await;
        Ok(())
    }
}

/// What is served by the app itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Serving {
    /// The model file, if there is one.
    pub(crate) served: Option<ServedModel>,
    /// Whether there is a program to serve one with.
    pub(crate) can_serve: bool,
}

fn served_of(reply: Option<Reply>) -> Option<Serving> {
    match reply {
        Some(Reply::Served { served, can_serve }) => Some(Serving { served, can_serve }),
        Some(_) | None => None,
    }
}

/// The provider that a server found here would be; nothing for what is no server, or is one already.
pub(crate) fn order_of(server: &LocalServer) -> Option<Order> {
    let LocalFound::Server {
        name,
        dialect,
        base_url,
        ..
    } = &server.found
    else {
        return None;
    };
    server.provider_id.is_none().then(|| Order {
        edited: None,
        fields: ProviderFields {
            name: name.clone(),
            dialect: *dialect,
            base_url: base_url.clone(),
            headers: Vec::new(),
            options: ProviderOptions::default(),
            is_enabled: true,
        },
        secrets: Vec::new(),
    })
}
