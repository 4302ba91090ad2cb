//! How long a provider asks to wait: in milliseconds, in seconds, or until a date.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// The wait in milliseconds. A date is compared with the provider's own clock where it says what
/// that shows, because ours may be wrong.
pub(super) fn read(headers: &HeaderMap, now_ms: u64) -> Option<u64> {
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let after = header(RETRY_AFTER.as_str());
    header("retry-after-ms")
        .and_then(|ms| milliseconds(ms, 1.0))
        .or_else(|| milliseconds(after?, 1_000.0))
        .or_else(|| {
            let until = httpdate::parse_http_date(after?).ok()?;
            let now = header(DATE.as_str())
                .and_then(|date| httpdate::parse_http_date(date).ok())
                .unwrap_or_else(|| UNIX_EPOCH + Duration::from_millis(now_ms));
            Some(between(now, until))
        })
}

fn milliseconds(number: &str, unit: f64) -> Option<u64> {
    let value: f64 = number.parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some((value * unit) as u64)
}

/// Nothing if it is over already.
fn between(now: SystemTime, until: SystemTime) -> u64 {
    let wait = until.duration_since(now).unwrap_or_default();
    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn wait(pairs: &[(&'static str, &'static str)]) -> Option<u64> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let name = HeaderName::from_static(name);
            headers.insert(name, HeaderValue::from_static(value));
        }
        // 1994-11-06 08:49:30, seven seconds before the date in the headers below.
        read(&headers, 784_111_770_000)
    }

    // RUN-8
    #[test]
    fn every_form_is_understood() {
        const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
        for (headers, expected) in [
            (&[][..], None),
            (&[("retry-after", "20")], Some(20_000)),
            (&[("retry-after", " 0 ")], Some(0)),
            (&[("retry-after", "1.5")], Some(1_500)),
            (
                &[("retry-after", "1"), ("retry-after-ms", "250")],
                Some(250),
            ),
            (
                &[("retry-after", "2"), ("retry-after-ms", "soon")],
                Some(2_000),
            ),
            (&[("retry-after", DATE)], Some(7_000)),
            (
                &[
                    ("retry-after", DATE),
                    ("date", "Sun, 06 Nov 1994 08:49:07 GMT"),
                ],
                Some(30_000),
            ),
            (
                &[
                    ("retry-after", DATE),
                    ("date", "Sun, 06 Nov 1994 09:00:00 GMT"),
                ],
                Some(0),
            ),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "")], None),
        ] {
            assert_eq!(wait(headers), expected, "{headers:?}");
        }
    }
}
