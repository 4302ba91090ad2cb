//! Promises to the user.
