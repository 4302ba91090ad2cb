//! What is known of a model, in words. What nobody says is unknown, never 0. Pure.

use protocol::{ErrorClass, ModelPrice, ProviderModel, ProviderTest};

use crate::time;

/// What a model can hold and do: "Context 200k · tools · images".
pub(crate) fn abilities(model: &ProviderModel) -> String {
    let context = model.context_tokens.map_or_else(
        || "Context unknown".to_owned(),
        |tokens| format!("Context {}", short_count(tokens)),
    );
    let known = [
        (model.tools, "tools", "no tools"),
        (model.images, "images", "no images"),
        (model.reasoning, "reasoning", "no reasoning"),
    ];
    let mut words: Vec<String> = vec![context];
    words.extend(known.iter().filter_map(|(can, yes, no)| {
        let word = if (*can)? { yes } else { no };
        Some((*word).to_owned())
    }));
    if known.iter().all(|(can, ..)| can.is_none()) {
        words.push("abilities unknown".to_owned());
    }
    words.join(" · ")
}

/// What a million tokens cost: "$3 in, $15 out per million tokens".
pub(crate) fn price(price: Option<&ModelPrice>) -> String {
    match price {
        None => "price unknown".to_owned(),
        Some(price) if price.input == 0 && price.output == 0 => "free".to_owned(),
        Some(price) => format!(
            "${} in, ${} out per million tokens",
            dollars(price.input),
            dollars(price.output)
        ),
    }
}

/// "950", "8k", "200k", "1M", "1.5M".
pub(crate) fn short_count(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}k", count / 1_000),
        1_000_000.. => match count % 1_000_000 / 100_000 {
            0 => format!("{}M", count / 1_000_000),
            tenths => format!("{}.{tenths}M", count / 1_000_000),
        },
    }
}

/// Dollars as they are written: "0.5".
pub(crate) fn dollars(microusd: u64) -> String {
    let written = format!("{}.{:06}", microusd / 1_000_000, microusd % 1_000_000);
    written
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}

/// Reads dollars as they are written; nothing where nothing is.
pub(crate) fn microusd(written: &str) -> Result<Option<u64>, &'static str> {
    const FAULT: &str = "Dollars are a number like 0.5.";
    let written = written.trim();
    if written.is_empty() {
        return Ok(None);
    }
    let (whole, part) = written.split_once(['.', ',']).unwrap_or((written, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(part) || part.len() > 6 || whole.len() > 9 {
        return Err(FAULT);
    }
    format!("{whole:0>1}{part:0<6}")
        .parse()
        .map(Some)
        .map_err(|_| FAULT)
}

/// What is wrong beside a field of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) place: Place,
    /// What is wrong, in a sentence of ours.
    pub(crate) words: String,
    /// What to do.
    pub(crate) hint: &'static str,
    /// What the other side said, which is not ours.
    pub(crate) said: Option<String>,
}

/// Which field it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Address,
    Key,
    Whole,
}

impl Fault {
    fn new(place: Place, words: &str, hint: &'static str, said: &str) -> Self {
        Self {
            place,
            words: words.to_owned(),
            hint,
            said: Some(said.to_owned()),
        }
    }

    /// What a test found wrong, and where; nothing if it works.
    pub(crate) fn of_test(test: &ProviderTest) -> Option<Self> {
        let fault = match test {
            ProviderTest::Works { .. } => return None,
            ProviderTest::Unusable { message } => Self::new(
                Place::Address,
                "This cannot be used.",
                "Look at the address, the key and the extra headers.",
                message,
            ),
            ProviderTest::KeyUnavailable { message } => Self::new(
                Place::Key,
                "The key cannot be read from where it is kept.",
                "Unlock the keychain and test again, or enter the key again.",
                message,
            ),
            ProviderTest::NoNetwork { message } => Self::new(
                Place::Address,
                "Nobody answers at this address.",
                "Check the address and your connection. A server on this computer must be running.",
                message,
            ),
            ProviderTest::WrongServer { message } => Self::new(
                Place::Address,
                "Somebody answers there, but not as a model provider of this kind.",
                "Check the address, or choose another API style under Advanced.",
                message,
            ),
            ProviderTest::KeyRefused { message } => Self::new(
                Place::Key,
                "The provider refused the key.",
                "Enter another key. Copy it whole, with nothing before or after it.",
                message,
            ),
            ProviderTest::NoCredit { message } => Self::new(
                Place::Key,
                "The key is good, but there is no credit left.",
                "Add credit at your provider, then test again.",
                message,
            ),
            ProviderTest::Busy {
                message,
                retry_after_ms,
            } => {
                let words = match retry_after_ms {
                    Some(wait_ms) => format!(
                        "The provider is there, but busy. It asks to wait {}.",
                        time::left(0, *wait_ms)
                    ),
                    None => "The provider is there, but busy.".to_owned(),
                };
                Self::new(
                    Place::Whole,
                    &words,
                    "Nothing is wrong with what you entered. Test again later.",
                    message,
                )
            }
        };
        Some(fault)
    }
}

/// Why nothing is sent to a provider, and what ends that.
pub(crate) const fn paused(class: ErrorClass) -> (&'static str, &'static str) {
    match class {
        ErrorClass::Billing => (
            "no credit left",
            "Add credit at your provider, then resume.",
        ),
        ErrorClass::Auth
        | ErrorClass::Permission
        | ErrorClass::RateLimit
        | ErrorClass::Overloaded
        | ErrorClass::Network
        | ErrorClass::Timeout
        | ErrorClass::InvalidRequest
        | ErrorClass::ContextLength
        | ErrorClass::ContentRefused
        | ErrorClass::Tool
        | ErrorClass::Internal
        | ErrorClass::Cancelled
        | ErrorClass::InDoubt
        | ErrorClass::Limit => ("its key was refused", "Enter another key."),
    }
}

/// How many: "1 model", "12 models".
pub(crate) fn model_count(count: usize) -> String {
    match count {
        0 => "no models".to_owned(),
        1 => "1 model".to_owned(),
        many => format!("{many} models"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> ProviderModel {
        ProviderModel {
            name: "m".to_owned(),
            label: "M".to_owned(),
            context_tokens: None,
            max_output_tokens: None,
            tools: None,
            images: None,
            reasoning: None,
            price: None,
        }
    }

    #[test]
    fn what_nobody_says_is_unknown() {
        assert_eq!(abilities(&model()), "Context unknown · abilities unknown");
        assert_eq!(price(None), "price unknown");
        let known = ProviderModel {
            context_tokens: Some(200_000),
            tools: Some(true),
            images: Some(false),
            ..model()
        };
        assert_eq!(abilities(&known), "Context 200k · tools · no images");
        let told = ModelPrice {
            input: 3_000_000,
            output: 15_500_000,
            cache_read: None,
            cache_write: None,
            up_to_input_tokens: None,
        };
        assert_eq!(price(Some(&told)), "$3 in, $15.5 out per million tokens");
    }

    #[test]
    fn counts_are_short() {
        for (count, words) in [
            (950, "950"),
            (8_192, "8k"),
            (200_000, "200k"),
            (1_000_000, "1M"),
            (1_500_000, "1.5M"),
        ] {
            assert_eq!(short_count(count), words);
        }
    }

    #[test]
    fn every_outcome_of_a_test_has_its_place() {
        let message = || "said".to_owned();
        let cases = [
            (
                ProviderTest::Unusable { message: message() },
                Place::Address,
            ),
            (
                ProviderTest::KeyUnavailable { message: message() },
                Place::Key,
            ),
            (
                ProviderTest::NoNetwork { message: message() },
                Place::Address,
            ),
            (
                ProviderTest::WrongServer { message: message() },
                Place::Address,
            ),
            (ProviderTest::KeyRefused { message: message() }, Place::Key),
            (ProviderTest::NoCredit { message: message() }, Place::Key),
        ];
        for (test, place) in cases {
            let fault = Fault::of_test(&test).unwrap();
            assert_eq!(fault.place, place, "{test:?}");
            assert_eq!(fault.said.as_deref(), Some("said"));
            assert!(!fault.hint.is_empty());
        }
        assert_eq!(Fault::of_test(&ProviderTest::Works { models: 1 }), None);
        let busy = ProviderTest::Busy {
            message: message(),
            retry_after_ms: Some(7_200),
        };
        let fault = Fault::of_test(&busy).unwrap();
        assert!(fault.words.ends_with("wait 8 s."), "{}", fault.words);
        assert_eq!(fault.place, Place::Whole);
    }

    #[test]
    fn dollars_are_read_as_they_are_written() {
        for (written, read) in [
            ("", None),
            ("0.5", Some(500_000)),
            (".5", Some(500_000)),
            ("12", Some(12_000_000)),
        ] {
            assert_eq!(microusd(written), Ok(read), "{written}");
        }
        assert!(microusd("1e3").is_err());
        assert!(microusd("0.0000001").is_err());
        assert_eq!(dollars(500_000), "0.5");
        assert_eq!(dollars(12_000_000), "12");
    }
}
