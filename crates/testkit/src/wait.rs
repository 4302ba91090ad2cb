//! Waiting for something to become true, with a deadline that is generous and a reason that is clear.

use std::future::Future;
use std::time::Duration;

use anyhow::{Result, bail};

/// Long enough for a slow machine under load; a test that works never waits for it.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// Asks again and again until there is an answer. `what` is said when there never was one.
pub async fn eventually<T, F, Fut>(what: &str, mut ask: F) -> Result<T>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let waiting = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    match tokio::time::timeout(DEADLINE, waiting).await {
        Ok(answer) => Ok(answer),
        Err(_) => bail!("waited {DEADLINE:?} in vain for {what}"),
    }
}
