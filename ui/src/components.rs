//! The pieces that screens are made of: each takes fields and callbacks.

pub(crate) mod agent_form;
pub(crate) mod agent_picker;
pub(crate) mod brand_mark;
pub(crate) mod composer;
pub(crate) mod confirm_button;
pub(crate) mod copy_button;
pub(crate) mod escaped;
pub(crate) mod icon;
pub(crate) mod live_message;
pub(crate) mod long_text;
pub(crate) mod markdown;
pub(crate) mod menu;
pub(crate) mod message;
pub(crate) mod message_tools;
pub(crate) mod queue;
pub(crate) mod resume_row;
pub(crate) mod run_bar;
pub(crate) mod session_row;
pub(crate) mod title_field;
pub(crate) mod tool_call;
pub(crate) mod waiting_bar;
