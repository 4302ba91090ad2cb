//! Some providers say themselves whether the same request is worth another try.

use engine::ModelError;
use protocol::ErrorClass;
use reqwest::header::HeaderMap;

const NAME: &str = "x-should-retry";

/// Whether it is tried again follows from the class, so the class follows from what the provider says.
/// A refusal stays one: no other try mends a key.
pub(super) fn apply(headers: &HeaderMap, error: &mut ModelError) {
    let said = headers.get(NAME).and_then(|value| value.to_str().ok());
    let is_worth_it = match said.map(str::trim) {
        Some("true") => true,
        Some("false") => false,
        Some(_) | None => return,
    };
    error.class = if is_worth_it {
        worth_it(error.class)
    } else {
        not_worth_it(error.class)
    };
}

const fn worth_it(class: ErrorClass) -> ErrorClass {
    if matches!(class, ErrorClass::InvalidRequest | ErrorClass::Internal) {
        return ErrorClass::Overloaded;
    }
    class
}

const fn not_worth_it(class: ErrorClass) -> ErrorClass {
    if matches!(class, ErrorClass::RateLimit) {
        return ErrorClass::Limit;
    }
    if class.is_transient() {
        return ErrorClass::Internal;
    }
    class
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn class(class: ErrorClass, said: Option<&'static str>) -> ErrorClass {
        let mut headers = HeaderMap::new();
        if let Some(said) = said {
            headers.insert(NAME, HeaderValue::from_static(said));
        }
        let mut error = ModelError::new(class, "No.");
        apply(&headers, &mut error);
        error.class
    }

    // RUN-8
    #[test]
    fn the_provider_says_whether_it_is_worth_another_try() {
        for before in ErrorClass::ALL {
            assert_eq!(class(before, None), before);
            assert_eq!(class(before, Some("perhaps")), before);
            assert!(!class(before, Some("false")).is_transient(), "{before:?}");
            let is_refusal = matches!(
                before,
                ErrorClass::Auth | ErrorClass::Billing | ErrorClass::Permission
            );
            if is_refusal {
                assert_eq!(class(before, Some("true")), before);
            }
        }
        for before in [ErrorClass::InvalidRequest, ErrorClass::Internal] {
            assert!(class(before, Some(" true ")).is_transient());
        }
        // A longer session does not get shorter by being sent again.
        let long = ErrorClass::ContextLength;
        assert_eq!(class(long, Some("true")), long);
    }
}
