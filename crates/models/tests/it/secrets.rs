//! The key goes to its server and nowhere else.

use std::io::{self, Write};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use engine::{Model, SystemClock};
use models::{
    Dialect, Endpoint, Gemini, Limits, LocalFinder, Ollama, SecretString, check_key, list_models,
};
use protocol::ErrorClass;
use serde_json::json;
use testkit::ModelServer;
use testkit::model_server::{Reply, Request};
use tracing::Dispatch;
use tracing::subscriber::NoSubscriber;
use tracing_subscriber::fmt::MakeWriter;

use crate::small_server::{Asked, Said, SmallServer};
use crate::support::{KEY, error_of, hear, model_at, question};

/// Everything that is logged, at every level.
#[derive(Debug, Clone, Default)]
struct Logged(Arc<Mutex<Vec<u8>>>);

impl Logged {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Logged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Logged {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// While there is only one subscriber, whoever comes first to a line decides for all whether anybody
/// wants it, also from a thread that has none. With others beside it each is asked.
static OTHERS: LazyLock<[Dispatch; 2]> =
    LazyLock::new(|| [(); 2].map(|()| Dispatch::new(NoSubscriber::new())));

/// Writes down what this thread logs, at every level.
fn listen() -> (Logged, tracing::subscriber::DefaultGuard) {
    LazyLock::force(&OTHERS);
    let logged = Logged::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(logged.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    tracing::info!("the log is written");
    (logged, guard)
}

// SEC-1
#[tokio::test]
async fn the_key_is_in_no_log_no_error_and_no_debug_output() {
    let (logged, _guard) = listen();
    // A server that repeats what it was sent, in its answer and in its stream.
    let repeats = |request: &Request| {
        let said = json!({"message": request.headers["authorization"], "code": 401});
        match request.number {
            1 => Reply::error(401, &json!({ "error": said })),
            2 => Reply::events([json!({ "error": said }).to_string().as_str()]),
            _ => Reply::text("Hello."),
        }
    };
    let server = ModelServer::start(repeats).unwrap();
    let model = model_at(&server.url());
    for _ in 0..2 {
        let heard = hear(&model, question("Hi")).await;
        let error = error_of(&heard);
        assert_eq!(error.class, ErrorClass::Auth);
        assert!(
            error.message.contains("Bearer [key]"),
            "it was repeated: {error}"
        );
        assert!(!format!("{error:?}").contains(KEY));
    }
    assert!(hear(&model, question("Hi")).await.iter().all(Result::is_ok));
    assert_eq!(server.count(), 3);
    assert!(!format!("{model:?} {model:#?} {:?}", model.info()).contains(KEY));
    let text = logged.text();
    assert!(text.contains("the log is written"));
    assert!(!text.contains(KEY), "{text}");
}

// SEC-1
#[tokio::test]
async fn the_same_for_every_dialect_and_every_list() {
    let (logged, _guard) = listen();
    // A server that repeats all that it was sent.
    let repeats = |asked: &Asked| {
        let said = json!({"message": format!("{:?}", asked.headers), "code": 401});
        Said::json(401, &json!({ "error": said }))
    };
    let server = SmallServer::start(repeats);
    let endpoint = Endpoint {
        key: Some(SecretString::from(KEY)),
        ..Endpoint::new(server.url(), "m")
    };
    let clock = Arc::new(SystemClock);
    let limits = Limits::default();
    let ollama = Ollama::new(endpoint.clone(), limits, clock.clone()).unwrap();
    let gemini = Gemini::new(endpoint.clone(), limits, clock.clone()).unwrap();
    let mut shown = format!("{ollama:?} {gemini:?}");
    for heard in [
        hear(&ollama, question("Hi")).await,
        hear(&gemini, question("Hi")).await,
    ] {
        let error = error_of(&heard);
        assert_eq!(error.class, ErrorClass::Auth);
        assert!(error.message.contains("[key]"), "it was repeated: {error}");
        shown.push_str(&format!("{error:?}"));
    }
    for dialect in [
        Dialect::ChatCompletions,
        Dialect::Anthropic,
        Dialect::Gemini,
    ] {
        let listed = list_models(dialect, &endpoint, limits, clock.clone()).await;
        let checked = check_key(dialect, &endpoint, limits, clock.clone()).await;
        shown.push_str(&format!("{listed:?} {checked:?}"));
    }
    assert!(shown.contains("[key]"));
    assert!(!shown.contains(KEY), "{shown}");
    let text = logged.text();
    assert!(text.contains("the log is written"));
    assert!(!text.contains(KEY), "{text}");
    // Whoever is found on this computer is shown no key at all.
    let before = server.asked().len();
    let address = models::LocalAddress::new(server.address()).unwrap();
    LocalFinder::new(clock).find(&[address]).await;
    let asked = server.asked();
    assert!(asked.len() > before);
    for one in &asked[before..] {
        assert!(!format!("{one:?}").contains(KEY));
    }
}

/// What a provider's support asks for is in the log; a server that writes the key there is not believed.
#[tokio::test]
async fn the_id_of_a_request_is_logged_unless_it_holds_the_key() {
    let (logged, _guard) = listen();
    let says = |asked: &Asked| {
        let id = match asked.path.contains("/honest/") {
            true => "req_0815".to_owned(),
            false => format!("req-{KEY}"),
        };
        Said::json(500, &json!({})).header("x-request-id", &id)
    };
    let server = SmallServer::start(says);
    for path in ["honest", "hostile"] {
        let endpoint = Endpoint {
            key: Some(SecretString::from(KEY)),
            ..Endpoint::new(format!("{}/{path}", server.url()), "m")
        };
        let model = Ollama::new(endpoint, Limits::default(), Arc::new(SystemClock)).unwrap();
        error_of(&hear(&model, question("Hi")).await);
    }
    let text = logged.text();
    assert_eq!(text.matches("status=500").count(), 2, "{text}");
    assert!(text.contains("req_0815"), "{text}");
    assert!(!text.contains(KEY), "{text}");
}
