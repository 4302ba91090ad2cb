//! Whole parts of the screen.

pub(crate) mod agents;
pub(crate) mod banners;
pub(crate) mod empty_state;
pub(crate) mod first_run;
pub(crate) mod models;
pub(crate) mod resume_panel;
pub(crate) mod session_list;
pub(crate) mod session_view;
pub(crate) mod settings;
mod settings_network;
pub(crate) mod settings_rules;
pub(crate) mod sidebar;
pub(crate) mod start_failed;
pub(crate) mod toasts;
pub(crate) mod top_bar;
pub(crate) mod transcript;
