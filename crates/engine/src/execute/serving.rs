//! Commands about the model file that the app serves itself. Which one that is stands in the settings; the
//! process follows them.

use protocol::{CommandError, Reply, Settings};
use store::Change;

use crate::Engine;

impl Engine {
    pub(super) async fn serve_model_file(&self, path: String) -> Result<Reply, CommandError> {
        let _turn = self.inner.provider_turn.lock().await;
        self.known()?.check_model_file(path.clone()).await?;
        self.save_served_file(Some(path)).await?;
        self.known()?.serve_again();
        self.served_model().await
    }

    pub(super) async fn stop_serving(&self) -> Result<Reply, CommandError> {
        let _turn = self.inner.provider_turn.lock().await;
        self.save_served_file(None).await?;
        self.served_model().await
    }

    pub(super) async fn served_model(&self) -> Result<Reply, CommandError> {
        let served = self.known()?.served().await?;
        Ok(Reply::Served {
            served: served.model,
            can_serve: served.can_serve,
        })
    }

    async fn save_served_file(&self, path: Option<String>) -> Result<(), CommandError> {
        let before = self.read(|reader| reader.settings()).await?;
        if before.served_file == path {
            return Ok(());
        }
        let settings = Settings {
            served_file: path,
            ..before
        };
        self.change_app(Change::SaveSettings(settings)).await?;
        self.reload().await
    }
}
