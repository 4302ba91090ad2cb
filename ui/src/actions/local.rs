//! Model servers on this computer: look for them, and look at more ports.

use leptos::prelude::Set;
use protocol::{
    Command, CommandError, LocalFound, LocalServer, ProviderFields, ProviderOptions, Reply,
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
