//! Behaviour of looking at files.
