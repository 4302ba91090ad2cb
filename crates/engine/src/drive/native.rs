//! What is kept of a provider's own words.

use std::sync::Arc;

use protocol::{Native, limits};

/// What is stored, or nothing: a reply is never lost because its native form cannot be kept. It is
/// then told in our words, as one of another provider is.
pub(crate) fn kept(native: Native) -> Option<Arc<Native>> {
    let bytes = native.items.len();
    if bytes > limits::NATIVE_BYTES {
        tracing::warn!(name: "engine.model.native_too_large", bytes, dialect = native.dialect);
        return None;
    }
    if !is_array(&native.items) {
        tracing::warn!(name: "engine.model.native_unreadable", bytes, dialect = native.dialect);
        return None;
    }
    Some(Arc::new(native))
}

fn is_array(items: &str) -> bool {
    serde_json::from_str::<Vec<serde::de::IgnoredAny>>(items).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(items: String) -> Native {
        Native {
            dialect: "d".to_owned(),
            model: "m".to_owned(),
            items,
        }
    }

    #[test]
    fn what_is_too_large_or_no_list_is_not_kept() {
        let filled = |bytes: usize| format!("[\"{}\"]", "x".repeat(bytes - 4));
        for items in [
            "[]".to_owned(),
            "[ {} ]".to_owned(),
            filled(limits::NATIVE_BYTES),
        ] {
            let whole = native(items);
            assert_eq!(kept(whole.clone()).as_deref(), Some(&whole));
        }
        for items in ["", "{}", "[", "[]]", "null"].map(str::to_owned) {
            assert_eq!(kept(native(items)), None);
        }
        assert_eq!(kept(native(filled(limits::NATIVE_BYTES + 1))), None);
    }
}
