//! What the server says when it is asked which models it has.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::reply::Reply;

/// Header names in lower case.
pub type Headers = BTreeMap<String, String>;

pub(super) type List = Box<dyn Fn(&Headers) -> Reply + Send + Sync>;

/// Nothing until a test says what.
#[derive(Default)]
pub(super) struct Listing {
    list: Mutex<Option<List>>,
    count: AtomicUsize,
}

impl std::fmt::Debug for Listing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Listing")
    }
}

impl Listing {
    pub(super) fn set(&self, list: List) {
        *self.list.lock().unwrap_or_else(PoisonError::into_inner) = Some(list);
    }

    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    /// What is said at this path, if it is one where models are listed.
    pub(super) fn at(&self, path: &str, headers: &Headers) -> Option<Reply> {
        let path = path.split('?').next().unwrap_or_default();
        if !path.ends_with("/models") && !path.ends_with("/api/tags") {
            return None;
        }
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = list.as_ref().map(|list| list(headers))?;
        self.count.fetch_add(1, Ordering::SeqCst);
        Some(reply)
    }
}
