//! Which notifications a person was shown: one per run and kind, over restarts.

use protocol::{AttentionKind, CommandError, RunId};
use store::{Change, Transition};

use crate::Engine;
use crate::command_error::from_store;

impl Engine {
    /// Whether the person was told of this before.
    pub async fn notice_shown(
        &self,
        run_id: RunId,
        kind: AttentionKind,
    ) -> Result<bool, CommandError> {
        self.read(move |reader| reader.notice_shown(run_id, kind))
            .await
    }

    /// Notes that the person was told of this; to be called after it was shown, because one that is
    /// shown twice is better than one that is never shown. Noting it twice changes nothing.
    pub async fn note_notice(
        &self,
        run_id: RunId,
        kind: AttentionKind,
    ) -> Result<(), CommandError> {
        let _admitted = self.inner.admit()?;
        let transition = Transition {
            sync: store::Sync::Barrier,
            changes: vec![Change::NoteNotice {
                run_id,
                kind,
                at_ms: self.inner.now_ms(),
            }],
        };
        self.commit(transition, Vec::new())
            .await
            .map_err(|error| from_store(&error))
    }
}
