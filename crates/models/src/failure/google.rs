//! What Google's services add to an error: why, and when to come back.

use protocol::ErrorClass;
use serde_json::Value;

/// By the reason that is told with it: a bad key is otherwise a bad request like any other.
pub(super) fn class_of(status: Option<u16>, error: &Value) -> Option<ErrorClass> {
    let mut reasons = details(error).filter_map(|detail| detail["reason"].as_str());
    // Among others, that there is no free use in this country.
    let is_forbidden =
        error["status"] == "FAILED_PRECONDITION" && matches!(status, None | Some(400));
    reasons
        .find_map(by_reason)
        .or(is_forbidden.then_some(ErrorClass::Permission))
}

fn by_reason(reason: &str) -> Option<ErrorClass> {
    let class = match reason {
        "API_KEY_INVALID" | "ACCESS_TOKEN_EXPIRED" | "CREDENTIALS_MISSING" => ErrorClass::Auth,
        "API_KEY_SERVICE_BLOCKED"
        | "API_KEY_HTTP_REFERRER_BLOCKED"
        | "API_KEY_IP_ADDRESS_BLOCKED"
        | "SERVICE_DISABLED"
        | "CONSUMER_SUSPENDED" => ErrorClass::Permission,
        "BILLING_DISABLED" => ErrorClass::Billing,
        "RATE_LIMIT_EXCEEDED" => ErrorClass::RateLimit,
        _ => return None,
    };
    Some(class)
}

/// How long it asks to wait, in milliseconds: `"32s"`, `"0.5s"`.
pub(super) fn retry_after_ms(error: &Value) -> Option<u64> {
    details(error).find_map(|detail| {
        let seconds = detail["retryDelay"].as_str()?.trim().strip_suffix('s')?;
        let seconds: f64 = seconds.parse().ok()?;
        (seconds.is_finite() && seconds >= 0.0).then_some((seconds * 1_000.0) as u64)
    })
}

fn details(error: &Value) -> impl Iterator<Item = &Value> {
    error["details"].as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::from_body;
    use super::*;

    fn error(status: u16, details: &Value) -> (ErrorClass, Option<u64>) {
        let body =
            json!({"error": {"code": status, "message": "m", "status": "X", "details": details}});
        let error = from_body(status, body.to_string().as_bytes());
        (error.class, error.retry_after_ms)
    }

    // RUN-9
    #[test]
    fn a_reason_says_more_than_the_status() {
        let info = "type.googleapis.com/google.rpc.ErrorInfo";
        for (status, reason, expected) in [
            (400, "API_KEY_INVALID", ErrorClass::Auth),
            (403, "API_KEY_SERVICE_BLOCKED", ErrorClass::Permission),
            (403, "BILLING_DISABLED", ErrorClass::Billing),
            (403, "RATE_LIMIT_EXCEEDED", ErrorClass::RateLimit),
            (400, "BRAND_NEW", ErrorClass::InvalidRequest),
        ] {
            let details = json!([{"@type": "other"}, {"@type": info, "reason": reason}]);
            assert_eq!(error(status, &details), (expected, None), "{reason}");
        }
    }

    // RUN-8
    #[test]
    fn it_says_when_to_come_back() {
        for (delay, expected) in [
            (json!("32s"), Some(32_000)),
            (json!("0.25s"), Some(250)),
            (json!("0s"), Some(0)),
            (json!("-1s"), None),
            (json!("NaNs"), None),
            (json!("soon"), None),
            (json!(7), None),
        ] {
            let details =
                json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]);
            assert_eq!(
                error(429, &details),
                (ErrorClass::RateLimit, expected),
                "{delay}"
            );
        }
        for odd in [json!(null), json!({}), json!([1, null, "x"]), json!("x")] {
            assert_eq!(error(429, &odd), (ErrorClass::RateLimit, None), "{odd}");
        }
    }

    // RUN-9
    #[test]
    fn statuses_have_their_classes() {
        for (status, name, expected) in [
            (400, "INVALID_ARGUMENT", ErrorClass::InvalidRequest),
            (400, "FAILED_PRECONDITION", ErrorClass::Permission),
            (401, "UNAUTHENTICATED", ErrorClass::Auth),
            (403, "PERMISSION_DENIED", ErrorClass::Permission),
            (404, "NOT_FOUND", ErrorClass::InvalidRequest),
            (429, "RESOURCE_EXHAUSTED", ErrorClass::RateLimit),
            (500, "INTERNAL", ErrorClass::Overloaded),
            (503, "UNAVAILABLE", ErrorClass::Overloaded),
            (504, "DEADLINE_EXCEEDED", ErrorClass::Timeout),
        ] {
            let body = json!([{"error": {"code": status, "status": name}}]).to_string();
            assert_eq!(from_body(status, body.as_bytes()).class, expected, "{name}");
        }
    }
}
