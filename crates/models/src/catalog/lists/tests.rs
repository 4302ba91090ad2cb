//! What is read of the lists that servers send.

use serde_json::json;

use super::super::card::{Capabilities, Known};
use super::super::price::Price;
use super::*;

fn card(name: &str) -> ModelCard {
    ModelCard::named(&json!(name)).expect("a name")
}

fn names(cards: &[ModelCard]) -> Vec<&str> {
    cards.iter().map(|card| card.name.as_str()).collect()
}

const fn can(tools: Known, images: Known, reasoning: Known) -> Capabilities {
    Capabilities {
        tools,
        images,
        reasoning,
    }
}

/// Things that are no lists, or lists of something else.
fn strangers() -> Vec<Value> {
    vec![
        json!(null),
        json!("x"),
        json!(7),
        json!({}),
        json!({"data": null}),
        json!({"data": {}, "models": {}}),
        json!({"error": "Unexpected endpoint or method. (GET /x)"}),
        json!({"data": [{"title": "a post"}, 7], "models": [{"year": 1908}, null]}),
        json!([1, 2, 3]),
    ]
}

#[test]
fn a_name_is_all_that_is_certain() {
    let list = json!({"object": "list", "data": [
        {"id": "gpt-5.5", "object": "model", "created": 1, "owned_by": "openai"},
        {"id": "b"},
    ]});
    assert_eq!(openai::read(&list), Some(vec![card("gpt-5.5"), card("b")]));
    assert_eq!(
        openai::read(&json!([{"id": "bare"}])),
        Some(vec![card("bare")])
    );
    assert_eq!(openai::read(&json!({"data": []})), Some(Vec::new()));
    assert!(!openai::is_open_to_all(&list));
}

#[test]
fn what_providers_add_is_read() {
    let list = json!({"data": [
        // OpenRouter.
        {
            "id": "a/b", "canonical_slug": "a/b-1", "name": "A: B", "context_length": 200_000,
            "architecture": {"input_modalities": ["text", "image"]},
            "pricing": {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003"},
            "top_provider": {"context_length": 131_072, "max_completion_tokens": 8_192},
            "supported_parameters": ["tools", "max_tokens"],
        },
        // Groq, vLLM, Mistral.
        {"id": "c", "context_window": 8_192, "max_completion_tokens": 1_024},
        {"id": "d", "max_model_len": 32_768},
        {"id": "e", "max_context_length": 65_536, "capabilities": {"function_calling": true, "vision": false}},
    ]});
    let cards = openai::read(&list).expect("a list");
    let first = ModelCard {
        label: "A: B".to_owned(),
        context_tokens: Some(131_072),
        max_output_tokens: Some(8_192),
        capabilities: can(Known::Yes, Known::Yes, Known::No),
        price: Some(Price {
            input: 3_000_000,
            output: 15_000_000,
            cache_read: Some(300_000),
            cache_write: None,
            up_to_input_tokens: None,
        }),
        ..card("a/b")
    };
    assert_eq!(cards[0], first);
    assert_eq!(cards[1].context_tokens, Some(8_192));
    assert_eq!(cards[1].max_output_tokens, Some(1_024));
    assert_eq!(cards[2].context_tokens, Some(32_768));
    assert_eq!(cards[3].context_tokens, Some(65_536));
    assert_eq!(
        cards[3].capabilities,
        can(Known::Yes, Known::No, Known::Unknown)
    );
    assert!(openai::is_open_to_all(&list));
}

#[test]
fn what_cannot_be_is_unknown() {
    let list = json!({"data": [{
        "id": "a", "name": 7, "context_length": -1, "max_model_len": "many",
        "max_completion_tokens": 0, "context_window": 1e300, "capabilities": "all",
        "supported_parameters": {}, "pricing": {"prompt": "-1", "completion": "free"},
    }]});
    assert_eq!(openai::read(&list), Some(vec![card("a")]));
}

#[test]
fn what_is_no_name_names_no_model() {
    let long = "x".repeat(1_000);
    let list = json!({"data": [
        {"id": ""}, {"id": " "}, {"id": 7}, {"id": null}, {"id": "a\nb"}, {"id": long}, {}, null,
        {"id": "good", "name": "L".repeat(1_000)},
    ]});
    let cards = openai::read(&list).expect("a list");
    assert_eq!(names(&cards), ["good"]);
    assert_eq!(cards[0].label.len(), 120);
}

#[test]
fn each_model_is_there_once() {
    let cards = vec![card("a"), card("b"), card("a").labelled(&json!("Again"))];
    assert_eq!(each_once(cards), [card("a"), card("b")]);
}

#[test]
fn anthropic_says_how_much_its_models_hold() {
    let page = json!({"data": [
        {
            "type": "model", "id": "claude-opus-5-5", "display_name": "Claude Opus 5.5",
            "created_at": "2026-09-22T00:00:00Z", "max_input_tokens": 1_000_000, "max_tokens": 128_000,
            "capabilities": {"image_input": {"supported": true}, "thinking": {"supported": false}},
        },
        {"id": "gone", "lifecycle": "retired"},
        {"id": "old", "capabilities": null, "max_tokens": null, "lifecycle": "deprecated"},
    ], "has_more": true, "first_id": "claude-opus-5-5", "last_id": "old"});
    let (cards, next) = anthropic::read(&page).expect("a page");
    let first = ModelCard {
        label: "Claude Opus 5.5".to_owned(),
        context_tokens: Some(1_000_000),
        max_output_tokens: Some(128_000),
        capabilities: can(Known::Unknown, Known::Yes, Known::No),
        ..card("claude-opus-5-5")
    };
    assert_eq!(cards, [first, card("old")]);
    assert_eq!(next.as_deref(), Some("old"));
    assert_eq!(
        anthropic::path(next.as_deref()),
        "models?limit=1000&after_id=old"
    );
    let last = json!({"data": [], "has_more": false, "last_id": "x"});
    assert_eq!(anthropic::read(&last), Some((Vec::new(), None)));
}

#[test]
fn gemini_lists_what_writes() {
    let page = json!({"models": [
        {
            "name": "models/gemini-2.5-flash", "displayName": "Gemini 2.5 Flash",
            "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536, "thinking": true,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        },
        {"name": "models/embed", "supportedGenerationMethods": ["embedContent"]},
        {"name": "tunedModels/t", "supportedGenerationMethods": ["generateContent"]},
    ], "nextPageToken": "a b&c"});
    let (cards, next) = gemini::read(&page).expect("a page");
    let first = ModelCard {
        label: "Gemini 2.5 Flash".to_owned(),
        context_tokens: Some(1_048_576),
        max_output_tokens: Some(65_536),
        capabilities: can(Known::Unknown, Known::Unknown, Known::Yes),
        ..card("gemini-2.5-flash")
    };
    assert_eq!(cards, [first, card("tunedModels/t")]);
    assert_eq!(
        gemini::path(next.as_deref()),
        "models?pageSize=1000&pageToken=a%20b%26c"
    );
    assert_eq!(
        gemini::read(&json!({"models": []})),
        Some((Vec::new(), None))
    );
}

#[test]
fn ollama_describes_each_model() {
    let list = json!({"models": [
        {"name": "qwen3:8b", "model": "qwen3:8b", "size": 5_225_388_164_u64, "details": {"family": "qwen3"}},
        {"name": "older"},
    ]});
    assert_eq!(
        ollama::read(&list),
        Some(vec![card("qwen3:8b"), card("older")])
    );
    let info = json!({"general.architecture": "qwen3", "qwen3.context_length": 40_960, "llama.context_length": 1});
    for (shown, window) in [
        (json!({"model_info": info}), Some(40_960)),
        (
            json!({"model_info": info, "parameters": "stop \"x\"\n  num_ctx    8192\ntop_k 20"}),
            Some(8_192),
        ),
        (
            json!({"model_info": info, "parameters": "num_ctx many"}),
            Some(40_960),
        ),
        (json!({"model_info": {"qwen3.context_length": 1}}), None),
        (json!({"model_info": {"general.architecture": 7}}), None),
        (json!("odd"), None),
    ] {
        let described = ollama::describe(card("a"), &shown).expect("it writes");
        assert_eq!(described.context_tokens, window, "{shown}");
    }
    let shown = json!({"capabilities": ["completion", "tools", "thinking"]});
    let described = ollama::describe(card("a"), &shown).expect("it writes");
    assert_eq!(
        described.capabilities,
        can(Known::Yes, Known::No, Known::Yes)
    );
    let measures = json!({"capabilities": ["embedding"]});
    assert_eq!(ollama::describe(card("a"), &measures), None);
}

#[test]
fn lm_studio_says_what_is_loaded() {
    let list = json!({"object": "list", "data": [
        {"id": "a", "type": "vlm", "state": "not-loaded", "max_context_length": 32_768},
        {
            "id": "b", "type": "llm", "state": "loaded", "max_context_length": 131_072,
            "loaded_context_length": 4_096, "capabilities": ["tool_use"],
        },
        {"id": "c", "type": "embeddings", "state": "loaded"},
    ]});
    let cards = lm_studio::read_older(&list).expect("its list");
    let first = ModelCard {
        context_tokens: Some(32_768),
        capabilities: can(Known::Unknown, Known::Yes, Known::Unknown),
        ..card("a")
    };
    let second = ModelCard {
        context_tokens: Some(4_096),
        capabilities: can(Known::Yes, Known::No, Known::Unknown),
        ..card("b")
    };
    assert_eq!(cards, [first, second]);
    let others = json!({"object": "list", "data": [{"id": "a", "object": "model"}]});
    assert_eq!(lm_studio::read_older(&others), None);
}

#[test]
fn the_newer_list_of_lm_studio_says_more() {
    let list = json!({"models": [
        {
            "type": "llm", "key": "qwen/qwen3.5-9b", "display_name": "Qwen3.5 9B", "max_context_length": 262_144,
            "loaded_instances": [{"id": "qwen/qwen3.5-9b", "config": {"context_length": 4_096}}],
            "capabilities": {"vision": true, "trained_for_tool_use": false, "reasoning": {"default": "on"}},
        },
        {"type": "llm", "key": "b", "max_context_length": 8_192, "loaded_instances": []},
        {"type": "embedding", "key": "c", "loaded_instances": []},
    ]});
    let first = ModelCard {
        label: "Qwen3.5 9B".to_owned(),
        context_tokens: Some(4_096),
        capabilities: can(Known::No, Known::Yes, Known::Yes),
        ..card("qwen/qwen3.5-9b")
    };
    let second = ModelCard {
        context_tokens: Some(8_192),
        ..card("b")
    };
    assert_eq!(lm_studio::read(&list), Some(vec![first, second]));
    // Ollama's list is no such one, and an empty one could be anybody's.
    assert_eq!(lm_studio::read(&json!({"models": [{"name": "m"}]})), None);
    assert_eq!(lm_studio::read(&json!({"models": []})), None);
}

#[test]
fn llama_cpp_says_what_its_model_has() {
    let props = json!({
        "default_generation_settings": {"n_ctx": 16_384}, "total_slots": 4,
        "modalities": {"vision": true, "audio": false}, "chat_template_caps": {"supports_tools": true},
    });
    assert!(llama_cpp::are_props(&props));
    let list = json!({"object": "list", "data": [
        {
            "id": "/models/Qwen3-8B-Q4_K_M.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 40_960},
            "architecture": {"input_modalities": ["text"]},
        },
    ]});
    assert!(llama_cpp::is_list(&list));
    let described = ModelCard {
        label: "Qwen3-8B-Q4_K_M".to_owned(),
        context_tokens: Some(16_384),
        capabilities: can(Known::Yes, Known::Yes, Known::Unknown),
        ..card("/models/Qwen3-8B-Q4_K_M.gguf")
    };
    assert_eq!(llama_cpp::read(&list, Some(&props)), Some(vec![described]));
    let silent = json!({"default_generation_settings": {}, "total_slots": 1, "chat_template_caps": {"supports_tools": false}});
    let cards = llama_cpp::read(&list, Some(&silent)).expect("a list");
    assert_eq!(
        cards[0].capabilities,
        can(Known::Unknown, Known::No, Known::Unknown)
    );
    // What it was trained with is not what it runs with.
    let alone = llama_cpp::read(&list, None).expect("a list");
    assert_eq!(alone[0].context_tokens, None);
    let two = json!({"data": [
        {"id": "a", "owned_by": "llamacpp", "meta": {"n_ctx": 512}}, {"id": "b", "owned_by": "llamacpp"},
    ]});
    let cards = llama_cpp::read(&two, Some(&props)).expect("a list");
    assert_eq!(cards[0].context_tokens, Some(512));
    assert_eq!(cards[1].context_tokens, None, "nobody knows whose it is");
}

#[test]
fn what_is_no_list_of_models_is_none() {
    for stranger in strangers() {
        assert_eq!(openai::read(&stranger), None, "{stranger}");
        assert_eq!(anthropic::read(&stranger), None, "{stranger}");
        assert_eq!(gemini::read(&stranger), None, "{stranger}");
        assert_eq!(ollama::read(&stranger), None, "{stranger}");
        assert_eq!(lm_studio::read(&stranger), None, "{stranger}");
        assert_eq!(lm_studio::read_older(&stranger), None, "{stranger}");
        assert!(!llama_cpp::is_list(&stranger) && !llama_cpp::are_props(&stranger));
        assert!(!openai::is_open_to_all(&stranger));
    }
}
