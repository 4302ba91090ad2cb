//! The key goes to its server and nowhere else.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use engine::Model;
use protocol::ErrorClass;
use serde_json::json;
use testkit::ModelServer;
use testkit::model_server::{Reply, Request};
use tracing_subscriber::fmt::MakeWriter;

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

// SEC-1
#[tokio::test]
async fn the_key_is_in_no_log_no_error_and_no_debug_output() {
    let logged = Logged::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(logged.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    tracing::info!("the log is written");
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
