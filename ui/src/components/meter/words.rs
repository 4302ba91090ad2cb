//! What the meter says. What is not known is said to be so, never as 0. Pure.

use protocol::{Fill, Usage, UsageTotal};

const UNKNOWN: &str = "unknown";

/// The one line: how full the window is, and what the session cost. Nothing before the first call.
pub(super) fn line(fill: Option<Fill>, total: &UsageTotal) -> Option<String> {
    if total.calls == 0 && fill.is_none() {
        return None;
    }
    let full = fill.and_then(|fill| {
        let of = fill.of.filter(|of| *of > 0)?;
        Some(format!(
            "{}{} % of {}",
            about(fill),
            percent(fill.tokens, of),
            short(of)
        ))
    });
    let cost = total.sum.cost_microusd.map(|_| cost(total));
    let parts: Vec<String> = match (full, cost) {
        (None, None) => vec![used(total)],
        (full, cost) => full.into_iter().chain(cost).collect(),
    };
    Some(parts.join(" · "))
}

/// How full the window is, in full.
pub(super) fn window(fill: Option<Fill>) -> String {
    match fill {
        None => UNKNOWN.to_owned(),
        Some(Fill {
            tokens,
            of: Some(of),
            ..
        }) if of > 0 => {
            let about = fill.map_or("", about);
            format!(
                "{about}{} of {} tokens ({} %)",
                long(tokens),
                long(of),
                percent(tokens, of)
            )
        }
        Some(fill) => format!(
            "{}{} tokens of an unknown size",
            about(fill),
            long(fill.tokens)
        ),
    }
}

/// What calls read, wrote and cost, by name.
pub(super) fn rows(total: &UsageTotal) -> Vec<(&'static str, String)> {
    let Usage {
        input_tokens,
        output_tokens,
        cached_tokens,
        cache_write_tokens,
        ..
    } = total.sum;
    let is_short = total.calls_unknown > 0;
    let count = |tokens: Option<u64>| match tokens {
        Some(tokens) => format!("{}{}", at_least(is_short), long(tokens)),
        None => UNKNOWN.to_owned(),
    };
    let mut rows = vec![
        ("Tokens in", count(input_tokens)),
        ("of them from the cache", count(cached_tokens)),
        ("Tokens out", count(output_tokens)),
        ("Cost", cost(total)),
    ];
    if let Some(written) = cache_write_tokens {
        rows.insert(2, ("of them written to the cache", count(Some(written))));
    }
    rows
}

/// How many calls there were, and of how many nothing is known.
pub(super) fn calls(total: &UsageTotal) -> String {
    let calls = match total.calls {
        1 => "1 model call".to_owned(),
        calls => format!("{calls} model calls"),
    };
    match total.calls_unknown {
        0 => calls,
        unknown => format!("{calls}, {unknown} of them without a count"),
    }
}

fn used(total: &UsageTotal) -> String {
    let Usage {
        input_tokens,
        output_tokens,
        ..
    } = total.sum;
    match (input_tokens, output_tokens) {
        (None, None) => "usage unknown".to_owned(),
        (input, output) => {
            let tokens = input.unwrap_or(0) + output.unwrap_or(0);
            format!(
                "{}{} tokens",
                at_least(total.calls_unknown > 0),
                short(tokens)
            )
        }
    }
}

fn cost(total: &UsageTotal) -> String {
    match total.sum.cost_microusd {
        Some(cost) => format!(
            "{}{}",
            at_least(total.calls_without_cost > 0),
            dollars(cost)
        ),
        None => UNKNOWN.to_owned(),
    }
}

const fn at_least(is_short: bool) -> &'static str {
    if is_short { "at least " } else { "" }
}

const fn about(fill: Fill) -> &'static str {
    if fill.is_estimated { "about " } else { "" }
}

/// Half a percent is some.
fn percent(tokens: u64, of: u64) -> u64 {
    tokens.saturating_mul(100).div_ceil(of)
}

/// "850", "24k", "1.2M".
fn short(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}k", tokens / 1_000),
        1_000_000.. => match tokens / 100_000 % 10 {
            0 => format!("{}M", tokens / 1_000_000),
            tenths => format!("{}.{tenths}M", tokens / 1_000_000),
        },
    }
}

/// "24,013".
fn long(tokens: u64) -> String {
    let digits = tokens.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A part of a cent is not nothing.
fn dollars(microusd: u64) -> String {
    if (1..10_000).contains(&microusd) {
        return "under $0.01".to_owned();
    }
    let cents = (microusd + 5_000) / 10_000;
    format!("${}.{:02}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(sum: Usage) -> UsageTotal {
        UsageTotal {
            sum,
            calls: 3,
            calls_unknown: 0,
            calls_without_cost: 0,
        }
    }

    fn known() -> UsageTotal {
        total(Usage {
            input_tokens: Some(24_013),
            output_tokens: Some(987),
            cached_tokens: Some(0),
            cache_write_tokens: None,
            cost_microusd: Some(34_400),
        })
    }

    fn fill(tokens: u64, of: Option<u64>, is_estimated: bool) -> Option<Fill> {
        Some(Fill {
            tokens,
            of,
            is_estimated,
        })
    }

    // RUN-21
    #[test]
    fn the_line_says_what_is_known() {
        let none = UsageTotal::default();
        let unknown = total(Usage::default());
        let free = UsageTotal {
            calls_without_cost: 3,
            sum: Usage {
                cost_microusd: None,
                ..known().sum
            },
            ..known()
        };
        let partly = UsageTotal {
            calls_without_cost: 1,
            calls_unknown: 1,
            ..known()
        };
        let half = fill(24_000, Some(200_000), false);
        for (fill, total, expected) in [
            (None, &none, None),
            (half, &none, Some("12 % of 200k")),
            (half, &known(), Some("12 % of 200k · $0.03")),
            (
                fill(1, Some(1_000_000), true),
                &known(),
                Some("about 1 % of 1M · $0.03"),
            ),
            (fill(300, Some(0), false), &free, Some("25k tokens")),
            (None, &free, Some("25k tokens")),
            (None, &known(), Some("$0.03")),
            (None, &partly, Some("at least $0.03")),
            (None, &unknown, Some("usage unknown")),
        ] {
            assert_eq!(line(fill, total).as_deref(), expected);
        }
    }

    // RUN-21
    #[test]
    fn what_is_unknown_is_never_nothing() {
        let values = |total: &UsageTotal| -> Vec<String> {
            rows(total).into_iter().map(|(_, value)| value).collect()
        };
        assert_eq!(values(&known()), ["24,013", "0", "987", "$0.03"]);
        assert_eq!(values(&total(Usage::default())), [UNKNOWN; 4]);
        let partly = UsageTotal {
            calls_unknown: 1,
            calls_without_cost: 1,
            sum: Usage {
                cache_write_tokens: Some(5),
                ..known().sum
            },
            ..known()
        };
        assert_eq!(values(&partly)[2], "at least 5");
        assert_eq!(values(&partly)[4], "at least $0.03");
        assert_eq!(calls(&partly), "3 model calls, 1 of them without a count");
        assert_eq!(window(None), UNKNOWN);
        assert_eq!(
            window(fill(1_200, None, true)),
            "about 1,200 tokens of an unknown size"
        );
        assert_eq!(
            window(fill(1_200, Some(8_192), false)),
            "1,200 of 8,192 tokens (15 %)"
        );
    }

    #[test]
    fn numbers_are_easy_to_read() {
        for (tokens, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1k"),
            (128_000, "128k"),
            (1_000_000, "1M"),
            (1_250_000, "1.2M"),
        ] {
            assert_eq!(short(tokens), expected);
        }
        assert_eq!(
            (long(7), long(1_000), long(12_345_678)),
            ("7".into(), "1,000".into(), "12,345,678".into())
        );
        for (microusd, expected) in [
            (0, "$0.00"),
            (1, "under $0.01"),
            (9_999, "under $0.01"),
            (10_000, "$0.01"),
            (14_999, "$0.01"),
            (1_239_000, "$1.24"),
        ] {
            assert_eq!(dollars(microusd), expected);
        }
    }
}
