//! Behaviour that views share.

pub(crate) mod arrow_focus;
pub(crate) mod use_autoscroll;
pub(crate) mod use_hotkeys;
pub(crate) mod use_now;
