//! File work off the runtime's threads, which ends between two steps when nobody waits for it.

use std::time::Duration;

use engine::ToolError;
use protocol::ErrorClass;
use tokio_util::sync::CancellationToken;

/// Asked between the steps of a piece of work.
#[derive(Debug)]
pub(crate) struct Steps {
    cancel: CancellationToken,
    time: CancellationToken,
}

impl Steps {
    /// Goes on, unless the call was ended. Only to be asked where nothing has happened yet.
    pub(crate) fn go_on(&self) -> Result<(), ToolError> {
        if self.cancel.is_cancelled() {
            return Err(stopped());
        }
        Ok(())
    }

    /// Whether the time that the work was given is over. It then says what it has.
    pub(crate) fn is_time_up(&self) -> bool {
        self.time.is_cancelled()
    }

    /// Work that nobody can end, because it is short and has to be whole.
    pub(crate) fn without_end() -> Self {
        Self {
            cancel: CancellationToken::new(),
            time: CancellationToken::new(),
        }
    }

    /// Work that has no time left.
    #[cfg(test)]
    pub(crate) fn without_time() -> Self {
        let steps = Self::without_end();
        steps.time.cancel();
        steps
    }
}

/// Does the work on a thread that may wait for the disk. Whoever drops the future ends it too.
pub(crate) async fn blocking<T, W>(cancel: &CancellationToken, work: W) -> Result<T, ToolError>
where
    T: Send + 'static,
    W: FnOnce(&Steps) -> Result<T, ToolError> + Send + 'static,
{
    let time = CancellationToken::new();
    on_its_own_thread(cancel, time, work).await
}

/// The same for work that only looks and may take long: it is told when its time is over, and
/// whoever stops it does not wait for its next step.
pub(crate) async fn looking<T, W>(
    cancel: &CancellationToken,
    limit: Duration,
    work: W,
) -> Result<T, ToolError>
where
    T: Send + 'static,
    W: FnOnce(&Steps) -> Result<T, ToolError> + Send + 'static,
{
    let time = CancellationToken::new();
    let work = on_its_own_thread(cancel, time.clone(), work);
    tokio::pin!(work);
    tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(stopped()),
        result = &mut work => return result,
        () = tokio::time::sleep(limit) => time.cancel(),
    }
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(stopped()),
        result = work => result,
    }
}

async fn on_its_own_thread<T, W>(
    cancel: &CancellationToken,
    time: CancellationToken,
    work: W,
) -> Result<T, ToolError>
where
    T: Send + 'static,
    W: FnOnce(&Steps) -> Result<T, ToolError> + Send + 'static,
{
    let cancel = cancel.child_token();
    let steps = Steps {
        cancel: cancel.clone(),
        time,
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

fn stopped() -> ToolError {
    ToolError::definite("Stopped before anything was done.").of(ErrorClass::Cancelled)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// Goes on until it is told to end, and says so.
    fn work(begun: &mpsc::Sender<()>, ended: &mpsc::Sender<()>, steps: &Steps) -> ToolError {
        begun.send(()).unwrap();
        loop {
            if let Err(error) = steps.go_on() {
                ended.send(()).unwrap();
                return error;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[tokio::test]
    async fn work_ends_when_the_call_is_stopped_and_when_nobody_waits_for_it() {
        for is_stopped in [true, false] {
            let (begin, begun) = mpsc::channel();
            let (end, ended) = mpsc::channel();
            let cancel = CancellationToken::new();
            let waiting = tokio::spawn({
                let cancel = cancel.clone();
                async move {
                    blocking(&cancel, move |steps| {
                        Err::<(), _>(work(&begin, &end, steps))
                    })
                    .await
                }
            });
            tokio::task::yield_now().await;
            let deadline = Duration::from_secs(30);
            begun.recv_timeout(deadline).unwrap();
            if is_stopped {
                cancel.cancel();
                let error = waiting.await.unwrap().unwrap_err();
                assert_eq!(
                    (error.class, error.is_definite),
                    (ErrorClass::Cancelled, true)
                );
            } else {
                waiting.abort();
                assert!(waiting.await.unwrap_err().is_cancelled());
            }
            ended.recv_timeout(deadline).unwrap();
        }
    }

    #[tokio::test]
    async fn work_that_looks_hears_when_its_time_is_over() {
        let cancel = CancellationToken::new();
        let found = looking(&cancel, Duration::from_millis(5), |steps| {
            while !steps.is_time_up() {
                std::thread::yield_now();
            }
            Ok("half of it")
        });
        assert_eq!(found.await.unwrap(), "half of it");
    }

    // A step may take long: nobody waits for its end.
    #[tokio::test]
    async fn work_that_looks_is_left_when_the_call_is_stopped() {
        let (go_on, may_go_on) = mpsc::channel::<()>();
        let cancel = CancellationToken::new();
        let waiting = tokio::spawn({
            let cancel = cancel.clone();
            async move {
                looking(&cancel, Duration::from_secs(600), move |_| {
                    may_go_on.recv().unwrap_or(());
                    Ok(())
                })
                .await
            }
        });
        tokio::task::yield_now().await;
        cancel.cancel();
        let error = waiting.await.unwrap().unwrap_err();
        assert_eq!(
            (error.class, error.is_definite),
            (ErrorClass::Cancelled, true)
        );
        drop(go_on);
    }

    #[tokio::test]
    async fn work_that_breaks_is_no_definite_end() {
        let cancel = CancellationToken::new();
        let broken = blocking(&cancel, |_| -> Result<(), ToolError> {
            panic!("as the test asked")
        });
        let error = broken.await.unwrap_err();
        assert_eq!(
            (error.class, error.is_definite),
            (ErrorClass::Internal, false)
        );
    }
}
