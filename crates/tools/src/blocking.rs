//! File work off the runtime's threads, which ends between two steps when nobody waits for it.

use engine::ToolError;
use protocol::ErrorClass;
use tokio_util::sync::CancellationToken;

/// Asked between the steps of a piece of work.
#[derive(Debug)]
pub(crate) struct Steps {
    cancel: CancellationToken,
}

impl Steps {
    /// Goes on, unless the call was ended. Only to be asked where nothing has happened yet.
    pub(crate) fn go_on(&self) -> Result<(), ToolError> {
        if self.cancel.is_cancelled() {
            return Err(
                ToolError::definite("Stopped before anything was done.").of(ErrorClass::Cancelled)
            );
        }
        Ok(())
    }

    /// Work that nobody can end, because it is short and has to be whole.
    pub(crate) fn without_end() -> Self {
        Self {
            cancel: CancellationToken::new(),
        }
    }
}

/// Does the work on a thread that may wait for the disk. Whoever drops the future ends it too.
pub(crate) async fn blocking<T, W>(cancel: &CancellationToken, work: W) -> Result<T, ToolError>
where
    T: Send + 'static,
    W: FnOnce(&Steps) -> Result<T, ToolError> + Send + 'static,
{
    let cancel = cancel.child_token();
    let steps = Steps {
        cancel: cancel.clone(),
    };
    let _ended_with_the_future = cancel.drop_guard();
    match tokio::task::spawn_blocking(move || work(&steps)).await {
        Ok(result) => result,
        // Whether it came to its end before the panic or the shutdown was not seen.
        Err(error) => {
            Err(ToolError::unobserved(format!("The tool broke: {error}")).of(ErrorClass::Internal))
        }
    }
}
