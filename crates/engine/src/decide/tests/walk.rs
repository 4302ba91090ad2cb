//! Random inputs against a real store.
