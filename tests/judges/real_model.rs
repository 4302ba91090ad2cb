//! A real model.
