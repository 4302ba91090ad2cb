//! The queue: messages that wait for the run that is going.

use protocol::{Command, CommandError, MessageId, SessionId};

use super::Actions;

impl Actions {
    /// Changes a message that waits.
    pub(crate) async fn edit_queued(
        self,
        message_id: MessageId,
        text: String,
    ) -> Result<(), CommandError> {
        self.act(Command::EditQueued { message_id, text }).await
    }

    /// Takes a message that waits away.
    pub(crate) async fn remove_queued(self, message_id: MessageId) -> Result<(), CommandError> {
        self.act(Command::RemoveQueued { message_id }).await
    }

    /// Sends the messages that were held.
    pub(crate) async fn send_queued(self, session_id: SessionId) -> Result<(), CommandError> {
        self.act(Command::SendQueued { session_id }).await
    }
}
