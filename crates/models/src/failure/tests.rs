//! The table of errors.

use serde_json::json;

use super::*;

fn class(status: u16, body: &Value) -> ErrorClass {
    from_body(status, body.to_string().as_bytes()).class
}

// RUN-9
#[test]
fn a_status_alone_has_its_class() {
    for (status, expected) in [
        (400, ErrorClass::InvalidRequest),
        (401, ErrorClass::Auth),
        (402, ErrorClass::Billing),
        (403, ErrorClass::Permission),
        (404, ErrorClass::InvalidRequest),
        (408, ErrorClass::Timeout),
        (409, ErrorClass::Overloaded),
        (413, ErrorClass::ContextLength),
        (422, ErrorClass::InvalidRequest),
        (425, ErrorClass::Overloaded),
        (429, ErrorClass::RateLimit),
        (500, ErrorClass::Overloaded),
        (501, ErrorClass::Internal),
        (502, ErrorClass::Overloaded),
        (503, ErrorClass::Overloaded),
        (504, ErrorClass::Timeout),
        (529, ErrorClass::Overloaded),
        (308, ErrorClass::InvalidRequest),
        (799, ErrorClass::Internal),
    ] {
        for body in [
            &b""[..],
            b"<html>busy</html>",
            b"{}",
            b"[]",
            b"null",
            b"\"x\"",
        ] {
            assert_eq!(from_body(status, body).class, expected, "{status}");
        }
    }
}

// RUN-9
#[test]
fn code_and_type_say_more_than_the_status() {
    for (status, error, expected) in [
        // Groq, Google: too large for the limit of a minute, so waiting does not help.
        (
            413,
            json!({"type": "tokens", "code": "rate_limit_exceeded"}),
            ErrorClass::ContextLength,
        ),
        (
            413,
            json!({"status": "RESOURCE_EXHAUSTED"}),
            ErrorClass::ContextLength,
        ),
        // OpenAI: two reasons behind one status, and one type behind many.
        (
            429,
            json!({"type": "insufficient_quota", "code": "insufficient_quota"}),
            ErrorClass::Billing,
        ),
        (
            429,
            json!({"type": "requests", "code": "rate_limit_exceeded"}),
            ErrorClass::RateLimit,
        ),
        (
            400,
            json!({"type": "invalid_request_error", "code": "context_length_exceeded"}),
            ErrorClass::ContextLength,
        ),
        (
            401,
            json!({"type": "invalid_request_error", "code": null}),
            ErrorClass::Auth,
        ),
        (
            400,
            json!({"type": "invalid_request_error", "code": "content_filter"}),
            ErrorClass::ContentRefused,
        ),
        (
            404,
            json!({"type": "invalid_request_error", "code": "model_not_found"}),
            ErrorClass::InvalidRequest,
        ),
        // Anthropic.
        (
            529,
            json!({"type": "overloaded_error"}),
            ErrorClass::Overloaded,
        ),
        (400, json!({"type": "billing_error"}), ErrorClass::Billing),
        // llama.cpp: the code is the status.
        (
            400,
            json!({"code": 400, "type": "exceed_context_size_error", "n_ctx": 4096}),
            ErrorClass::ContextLength,
        ),
        (
            503,
            json!({"code": 503, "type": "unavailable_error"}),
            ErrorClass::Overloaded,
        ),
        // Gemini.
        (
            400,
            json!({"code": 400, "status": "UNAUTHENTICATED"}),
            ErrorClass::Auth,
        ),
    ] {
        assert_eq!(
            class(status, &json!({ "error": error })),
            expected,
            "{error}"
        );
        assert_eq!(
            class(status, &json!([{ "error": error }])),
            expected,
            "{error}"
        );
        assert_eq!(class(status, &error), expected, "bare: {error}");
    }
}

// RUN-9
#[test]
fn an_error_in_the_stream_has_no_status_of_its_own() {
    for (error, expected) in [
        (
            json!({"code": 502, "message": "upstream"}),
            ErrorClass::Overloaded,
        ),
        (json!({"code": "429"}), ErrorClass::RateLimit),
        (json!({"type": "server_error"}), ErrorClass::Overloaded),
        (
            json!({"type": "invalid_request_error"}),
            ErrorClass::InvalidRequest,
        ),
        (
            json!({"code": "rate_limit_exceeded"}),
            ErrorClass::RateLimit,
        ),
        (json!({"message": "odd"}), ErrorClass::Internal),
        (json!("odd"), ErrorClass::Internal),
        (json!({"code": {"nested": 1}}), ErrorClass::Internal),
    ] {
        assert_eq!(from_value(None, &error).class, expected, "{error}");
    }
}

// RUN-9
#[test]
fn the_text_never_decides() {
    let error = json!({"message": "rate limit: context length exceeded, invalid api key, 401"});
    assert_eq!(
        class(400, &json!({ "error": error })),
        ErrorClass::InvalidRequest
    );
    assert_eq!(from_value(None, &error).class, ErrorClass::Internal);
}

#[test]
fn the_sentence_names_the_status_and_what_the_provider_said() {
    let body = br#"{"error":{"message":" No such model. ","code":"model_not_found"}}"#;
    assert_eq!(
        from_body(404, body).message,
        "The provider did not accept the request (404): No such model."
    );
    assert_eq!(
        from_body(503, b"").message,
        "The provider cannot answer now (503)."
    );
}
