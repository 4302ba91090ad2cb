//! Behaviour that views share.

pub(crate) mod arrow_focus;
pub(crate) mod use_autoscroll;
pub(crate) mod use_hotkeys;
pub(crate) mod use_in_view;
pub(crate) mod use_local_servers;
pub(crate) mod use_now;
pub(crate) mod use_served_model;
pub(crate) mod use_steady;
pub(crate) mod use_tick;
