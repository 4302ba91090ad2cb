//! Providers, and what is asked about them.

use protocol::{
    Command, Dialect, ErrorClass, KeyHeader, KeyPlace, LocalFound, LocalKind, LocalServer,
    ModelPrice, ProviderFields, ProviderHeader, ProviderModel, ProviderOptions, ProviderSecret,
    ProviderState, ProviderTest, ProviderView, Reply, Secret, ServedModel, ServedState,
};
use serde_json::json;

use super::{AT, PROVIDER};

fn bare(dialect: Dialect) -> ProviderFields {
    ProviderFields {
        name: "Mine".to_owned(),
        dialect,
        base_url: "http://127.0.0.1:11434/v1".to_owned(),
        headers: Vec::new(),
        options: ProviderOptions::default(),
        is_enabled: false,
    }
}

/// With everything that has a form of its own.
fn full() -> ProviderFields {
    let header = |name: &str, value: Option<&str>| ProviderHeader {
        name: name.to_owned(),
        value: value.map(str::to_owned),
    };
    ProviderFields {
        headers: vec![header("X-Title", Some("Holdfast")), header("X-Team", None)],
        options: ProviderOptions {
            api_version: Some("2026-10-21".to_owned()),
            key_header: Some(KeyHeader::Bearer),
            max_output_tokens: Some(4_096),
            calls_in_text: Some(true),
            silence_seconds: Some(60),
            ..ProviderOptions::default()
        },
        is_enabled: true,
        ..bare(Dialect::Anthropic)
    }
}

/// What the person names and says freely.
fn free() -> ProviderFields {
    let mut fields = full();
    let request = json!({ "temperature": 0.5, "provider": { "sort": "price" } });
    fields.options.request = request.as_object().unwrap().clone();
    fields.options.prices.insert("large".to_owned(), price());
    fields
}

const fn price() -> ModelPrice {
    ModelPrice {
        input: 3_000_000,
        output: 15_000_000,
        cache_read: Some(300_000),
        cache_write: Some(3_750_000),
        up_to_input_tokens: Some(200_000),
    }
}

pub(super) fn about_providers() -> Vec<Command> {
    let provider_id = PROVIDER;
    let header = || Some("X-Team".to_owned());
    let mut commands = vec![
        Command::ListProviders {},
        Command::UpdateProvider {
            provider_id,
            fields: full(),
            revision: 3,
        },
        Command::TestProvider { provider_id },
        Command::ResumeProvider { provider_id },
        Command::RefreshModels { provider_id },
        Command::FindLocalServers {},
        Command::ServeModelFile {
            path: "/models/small.gguf".to_owned(),
        },
        Command::StopServing {},
        Command::GetServedModel {},
    ];
    for dialect in Dialect::ALL {
        let fields = bare(dialect);
        commands.push(Command::CreateProvider { fields });
    }
    for key_header in [KeyHeader::XApiKey, KeyHeader::XGoogApiKey] {
        let mut fields = bare(Dialect::Anthropic);
        fields.options.key_header = Some(key_header);
        commands.push(Command::CreateProvider { fields });
    }
    for anyway in [false, true] {
        commands.push(Command::DeleteProvider {
            provider_id,
            anyway,
        });
    }
    for header in [None, header()] {
        commands.push(Command::SetProviderKey {
            provider_id,
            header: header.clone(),
            key: Secret::new("the-key"),
        });
        commands.push(Command::ForgetProviderKey {
            provider_id,
            header,
        });
    }
    commands
}

pub(crate) fn states() -> Vec<ProviderState> {
    vec![
        ProviderState::Ok {},
        ProviderState::Disabled {},
        ProviderState::Paused {
            class: ErrorClass::Auth,
            message: "The key was refused.".to_owned(),
        },
    ]
}

pub(crate) fn tests() -> Vec<ProviderTest> {
    let message = || "What was said.".to_owned();
    vec![
        ProviderTest::Works { models: 7 },
        ProviderTest::Unusable { message: message() },
        ProviderTest::KeyUnavailable { message: message() },
        ProviderTest::NoNetwork { message: message() },
        ProviderTest::WrongServer { message: message() },
        ProviderTest::KeyRefused { message: message() },
        ProviderTest::NoCredit { message: message() },
        ProviderTest::Busy {
            message: message(),
            retry_after_ms: Some(2_000),
        },
        ProviderTest::Busy {
            message: message(),
            retry_after_ms: None,
        },
    ]
}

fn models() -> Vec<ProviderModel> {
    let full = ProviderModel {
        name: "large".to_owned(),
        label: "Large".to_owned(),
        context_tokens: Some(200_000),
        max_output_tokens: Some(64_000),
        tools: Some(true),
        images: Some(false),
        reasoning: Some(true),
        price: Some(price()),
    };
    let bare = ProviderModel {
        name: "small".to_owned(),
        label: "small".to_owned(),
        context_tokens: None,
        max_output_tokens: None,
        tools: None,
        images: None,
        reasoning: None,
        price: Some(ModelPrice {
            cache_read: None,
            cache_write: None,
            up_to_input_tokens: None,
            ..price()
        }),
    };
    vec![full, bare]
}

fn view(state: ProviderState) -> ProviderView {
    let secret = |header: Option<&str>, place| ProviderSecret {
        header: header.map(str::to_owned),
        place,
    };
    ProviderView {
        provider_id: PROVIDER,
        fields: free(),
        revision: 3,
        secrets: vec![
            secret(None, KeyPlace::Keychain),
            secret(Some("X-Team"), KeyPlace::File),
        ],
        state,
        models: models(),
        listed_at_ms: Some(AT),
        created_at_ms: AT,
        updated_at_ms: AT + 1,
    }
}

fn bare_view() -> ProviderView {
    ProviderView {
        fields: bare(Dialect::Ollama),
        secrets: Vec::new(),
        models: Vec::new(),
        listed_at_ms: None,
        ..view(ProviderState::Ok {})
    }
}

pub(crate) fn found() -> Vec<LocalFound> {
    let server = |kind, models| LocalFound::Server {
        kind,
        name: "A name".to_owned(),
        dialect: Dialect::ChatCompletions,
        base_url: "http://127.0.0.1:9000/v1".to_owned(),
        models,
    };
    vec![
        server(LocalKind::Ollama, models()),
        server(LocalKind::LmStudio, Vec::new()),
        server(LocalKind::LlamaCpp, Vec::new()),
        server(LocalKind::Other, Vec::new()),
        LocalFound::Starting {},
        LocalFound::Stranger {},
        LocalFound::Nobody {},
    ]
}

fn local_servers() -> Reply {
    let bare = |found| LocalServer {
        port: 11_434,
        address: "127.0.0.1:11434".to_owned(),
        is_added: false,
        is_served: false,
        found,
        provider_id: None,
    };
    let known = LocalServer {
        is_added: true,
        is_served: true,
        provider_id: Some(PROVIDER),
        ..bare(LocalFound::Nobody {})
    };
    let servers = found().into_iter().map(bare);
    Reply::LocalServers {
        servers: servers.chain([known]).collect(),
    }
}

pub(crate) fn served_states() -> Vec<ServedState> {
    vec![
        ServedState::Starting {},
        ServedState::Ready {
            port: 11_711,
            base_url: "http://127.0.0.1:11711/v1".to_owned(),
        },
        ServedState::Failed {},
    ]
}

fn served() -> Vec<Reply> {
    let served = |state| ServedModel {
        path: "/models/small.gguf".to_owned(),
        name: "small".to_owned(),
        state,
        restarts: 1,
        last_error: Some("It ended.".to_owned()),
    };
    let reply = |state| Reply::Served {
        served: Some(served(state)),
        can_serve: true,
    };
    let none = Reply::Served {
        served: None,
        can_serve: false,
    };
    served_states()
        .into_iter()
        .map(reply)
        .chain([none])
        .collect()
}

pub(super) fn of_providers() -> Vec<Reply> {
    let mut replies = vec![
        Reply::Providers {
            providers: states().into_iter().map(view).collect(),
        },
        Reply::Provider(Box::new(bare_view())),
    ];
    replies.push(local_servers());
    replies.extend(served());
    replies.extend(tests().into_iter().map(|test| Reply::ProviderTested {
        test,
        provider: Box::new(bare_view()),
    }));
    replies
}
