//! Which way requests leave this computer, past a real proxy: a server that is asked for other hosts.

use std::process::Stdio;
use std::sync::Arc;

use engine::SystemClock;
use models::{ChatCompletions, Endpoint, Limits, Proxy};
use testkit::{Process, command};

use crate::small_server::{Asked, Said, SmallServer};
use crate::support::{hear, question};

/// Nobody is there: whoever answers in its name is the proxy.
const ELSEWHERE: &str = "http://models.invalid/v1";

fn server() -> SmallServer {
    SmallServer::start(|_: &Asked| {
        let said = r#"{"choices":[{"index":0,"delta":{"content":"Hi."},"finish_reason":"stop"}]}"#;
        Said::stream(
            "text/event-stream",
            format!("data: {said}\n\ndata: [DONE]\n\n"),
        )
    })
}

/// Whether somebody answered.
async fn is_answered(base_url: &str, proxy: Proxy) -> bool {
    let endpoint = Endpoint {
        proxy,
        ..Endpoint::new(base_url, "small")
    };
    let model = ChatCompletions::new(endpoint, Limits::default(), Arc::new(SystemClock)).unwrap();
    hear(&model, question("Hello"))
        .await
        .iter()
        .all(Result::is_ok)
}

#[tokio::test]
async fn requests_go_through_the_proxy_that_is_set_and_those_to_this_computer_do_not() {
    let (proxy, own) = (server(), server());
    let through = || Proxy::Url(proxy.url());
    assert!(is_answered(ELSEWHERE, through()).await);
    let asked = proxy.asked();
    assert_eq!(asked[0].path, format!("{ELSEWHERE}/chat/completions"));
    for base_url in [
        format!("{}/v1", own.url()),
        format!("http://localhost:{}/v1", own.address().port()),
    ] {
        assert!(is_answered(&base_url, through()).await, "{base_url}");
    }
    assert_eq!((proxy.asked().len(), own.asked().len()), (1, 2));
}

const ENTRY: &str = "HOLDFAST_PROXY_ENTRY";

/// The entry of a process with a proxy in its environment; not a test by itself.
#[tokio::test]
async fn entry() {
    let Ok(own) = std::env::var(ENTRY) else {
        return;
    };
    assert!(is_answered(ELSEWHERE, Proxy::System).await);
    assert!(!is_answered(ELSEWHERE, Proxy::None).await);
    assert!(is_answered(&own, Proxy::System).await);
}

#[test]
fn the_environment_says_which_proxy_unless_the_person_does() {
    let (proxy, own) = (server(), server());
    let mut child = command(std::env::current_exe().unwrap());
    child
        .args(["proxying::entry", "--exact"])
        .env(ENTRY, format!("{}/v1", own.url()))
        .env("HTTP_PROXY", proxy.url())
        .env("http_proxy", proxy.url())
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .stdout(Stdio::null());
    assert!(Process::start(&mut child).unwrap().wait().unwrap());
    assert_eq!((proxy.asked().len(), own.asked().len()), (1, 1));
}
