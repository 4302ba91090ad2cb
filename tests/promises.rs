//! Promises to the user, one file each. They run the built app: headless, or in its real window
//! on a display (`cargo xtask test promises` provides one).

mod audit;
mod files;
mod full_disk;
mod headless;
mod killed_while_streaming;
mod killed_while_working;
mod no_faults;
mod provided;
mod scene;
mod two_processes;
mod window_approve;
mod window_branches;
mod window_card_closed;
mod window_card_keys;
mod window_damaged;
mod window_deny;
mod window_edit_and_allow;
mod window_first_run;
mod window_hostile_text;
mod window_killed;
mod window_killed_waiting;
mod window_looks;
mod window_looks_cards;
mod window_looks_models;
mod window_lost;
mod window_model_picker;
mod window_models;
mod window_put_away;
mod window_queue;
mod window_quit;
mod window_retries;
mod window_second_start;
mod window_session;
mod window_session_rule;
mod window_undo;
