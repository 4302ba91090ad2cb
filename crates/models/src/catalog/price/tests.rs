//! Sums and the table.

use super::*;

const PRICE: Price = Price {
    input: 3_000_000,
    output: 15_000_000,
    cache_read: Some(300_000),
    cache_write: None,
    up_to_input_tokens: None,
};

fn usage(input: Option<u64>, output: Option<u64>, cached: Option<u64>) -> Usage {
    Usage {
        input_tokens: input,
        output_tokens: output,
        cached_tokens: cached,
        cache_write_tokens: None,
        cost_microusd: None,
    }
}

// RUN-21
#[test]
fn a_sum_is_there_only_when_everything_is_known() {
    let no_cache = Price {
        cache_read: None,
        ..PRICE
    };
    let same_price = Price {
        cache_read: Some(PRICE.input),
        ..PRICE
    };
    let short = Price {
        up_to_input_tokens: Some(1_000),
        ..PRICE
    };
    for (price, usage, expected) in [
        // 400 · 3 + 600 · 0.3 + 10 · 15 dollars for a million
        (PRICE, usage(Some(1_000), Some(10), Some(600)), Some(1_530)),
        (PRICE, usage(Some(1_000), Some(10), Some(0)), Some(3_150)),
        (PRICE, usage(Some(0), Some(0), Some(0)), Some(0)),
        (PRICE, usage(None, Some(10), Some(0)), None),
        (PRICE, usage(Some(1_000), None, Some(0)), None),
        (PRICE, usage(Some(1_000), Some(10), None), None),
        (PRICE, usage(Some(1_000), Some(10), Some(1_001)), None),
        (no_cache, usage(Some(1_000), Some(10), None), Some(3_150)),
        (no_cache, usage(Some(1_000), Some(10), Some(0)), Some(3_150)),
        (no_cache, usage(Some(1_000), Some(10), Some(1)), None),
        (same_price, usage(Some(1_000), Some(10), None), Some(3_150)),
        (short, usage(Some(1_000), Some(10), Some(0)), Some(3_150)),
        (short, usage(Some(1_001), Some(10), Some(0)), None),
        (PRICE, usage(Some(u64::MAX), Some(u64::MAX), Some(0)), None),
        (PRICE, Usage::default(), None),
    ] {
        assert_eq!(cost(&usage, &price), expected, "{usage:?} {price:?}");
    }
}

#[test]
fn what_is_written_to_a_cache_is_needed_where_it_has_a_price() {
    let price = Price {
        cache_write: Some(3_750_000),
        ..PRICE
    };
    let written = |tokens| Usage {
        cache_write_tokens: tokens,
        ..usage(Some(1_000), Some(0), Some(600))
    };
    assert_eq!(cost(&written(None), &price), None);
    assert_eq!(cost(&written(Some(0)), &price), Some(1_380));
    // 300 · 3 + 600 · 0.3 + 100 · 3.75
    assert_eq!(cost(&written(Some(100)), &price), Some(1_455));
    assert_eq!(
        cost(&written(Some(401)), &price),
        None,
        "more than was read"
    );
    assert_eq!(cost(&written(Some(100)), &PRICE), Some(1_380), "not needed");
}

#[test]
fn a_sum_is_rounded_once() {
    let price = Price {
        input: 500_000,
        output: 500_000,
        cache_read: None,
        ..PRICE
    };
    assert_eq!(cost(&usage(Some(1), Some(1), None), &price), Some(1));
    assert_eq!(cost(&usage(Some(1), Some(0), None), &price), Some(1));
    let cheap = Price {
        input: 499_999,
        ..price
    };
    assert_eq!(cost(&usage(Some(1), Some(0), None), &cheap), Some(0));
}

#[test]
fn what_the_provider_says_it_cost_is_what_it_cost() {
    let said = Usage {
        cost_microusd: Some(7),
        ..Usage::default()
    };
    assert_eq!(cost(&said, &PRICE), Some(7));
}

#[test]
fn the_table_can_be_read_and_is_dated() {
    let table = PriceTable::read(BUILT_IN).expect("it can be read");
    assert_eq!(table, PriceTable::built_in());
    assert_eq!(table.as_of(ANTHROPIC), Some("2026-09-22"));
    assert_eq!(table.as_of("http://127.0.0.1:8080/v1"), None);
    for (host, prices) in &table.providers {
        assert!(!prices.models.is_empty(), "{host}");
        assert!(undated(&format!("x-{}", prices.as_of)).is_some(), "{host}");
        for (name, price) in &prices.models {
            assert!(price.output > price.input && price.input > 0, "{name}");
            assert!(
                price.cache_read.is_none_or(|read| read < price.input),
                "{name}"
            );
            assert!(
                price.cache_write.is_none_or(|write| write > price.input),
                "{name}"
            );
        }
    }
}

const ANTHROPIC: &str = "https://api.anthropic.com/v1";

#[test]
fn a_price_is_the_providers_own() {
    let table = PriceTable::built_in();
    let price = table.listed(ANTHROPIC, "claude-opus-5");
    assert_eq!(price.map(|price| price.input), Some(5_000_000));
    // A day of release is not a model of its own.
    for (base_url, model) in [
        (ANTHROPIC, "claude-haiku-4-5-20251001"),
        ("https://api.openai.com/v1", "gpt-5.4-mini-2026-03-17"),
        (ANTHROPIC, "models/claude-opus-5"),
    ] {
        assert!(table.listed(base_url, model).is_some(), "{model}");
    }
    for (base_url, model) in [
        ("http://127.0.0.1:8080/v1", "claude-opus-5"),
        ("https://api.anthropic.com.example/v1", "claude-opus-5"),
        ("nonsense", "claude-opus-5"),
        (ANTHROPIC, "claude-opus-5-fast"),
        (ANTHROPIC, "claude-opus"),
        (ANTHROPIC, "claude-opus-5-2026"),
        (ANTHROPIC, ""),
        (ANTHROPIC, "-20251001"),
        (ANTHROPIC, "é-2025100"),
    ] {
        assert_eq!(table.listed(base_url, model), None, "{model}");
    }
}

#[test]
fn the_person_knows_best_and_the_provider_better_than_the_table() {
    let table = PriceTable::built_in();
    let name = "claude-opus-5".to_owned();
    let card = ModelCard::named(&name.clone().into()).expect("a name");
    let said = Price { input: 1, ..PRICE };
    let described = ModelCard {
        price: Some(said),
        ..card.clone()
    };
    let none = BTreeMap::new();
    let own = BTreeMap::from([(name, PRICE)]);
    let listed = table.listed(ANTHROPIC, "claude-opus-5");
    assert!(listed.is_some());
    assert_eq!(table.price(ANTHROPIC, &card, &none), listed);
    assert_eq!(table.price(ANTHROPIC, &described, &none), Some(said));
    assert_eq!(table.price(ANTHROPIC, &described, &own), Some(PRICE));
    let local = "http://127.0.0.1:8080/v1";
    assert_eq!(table.price(local, &card, &none), None);
    assert_eq!(table.price(local, &card, &own), Some(PRICE));
}

#[test]
fn what_is_no_table_is_refused() {
    let row = |row: &str| {
        format!(
            r#"{{"providers":{{"h":{{"as_of":"2026-01-01","source":"s","models":{{"m":{row}}}}}}}}}"#
        )
    };
    assert!(PriceTable::read(&row(r#"{"input":1,"output":2}"#)).is_some());
    for odd in [
        r#"{"input":1}"#,
        r#"{"input":-1,"output":2}"#,
        r#"{"input":1,"output":1e9}"#,
        r#"{"input":1,"output":2,"cache_read":-1}"#,
        r#"{"input":1,"output":2,"typo":3}"#,
    ] {
        assert_eq!(PriceTable::read(&row(odd)), None, "{odd}");
    }
}
