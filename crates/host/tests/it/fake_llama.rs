//! The entry of the fake `llama-server`; not a test of anything by itself.

use testkit::FakeLlama;

const ENTRY: &str = "fake_llama::entry";

#[test]
fn entry() {
    testkit::fake_llama::play().unwrap();
}

/// It ends when it is asked to.
pub(crate) fn willing() -> FakeLlama {
    FakeLlama::new(ENTRY).unwrap()
}

/// One more in the same test.
pub(crate) fn another(first: &FakeLlama) -> FakeLlama {
    FakeLlama::another(first, ENTRY).unwrap()
}

/// It does not listen when it is asked to end.
pub(crate) fn stubborn() -> FakeLlama {
    FakeLlama::stubborn(ENTRY).unwrap()
}
