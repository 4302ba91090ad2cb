//! Nothing lives here: the promises are in `promises.rs` and the files beside it.
