//! The shell: one window over the engine.
//!
//! Invariants: it decides nothing; a command is a few lines that hand over to the host; the page
//! gets only the commands named in `build.rs` and in `capabilities/main.json`.
//!
//! Entry point: [`run`].

mod attention;
mod commands;
mod downloads;
mod readiness;
mod shell;
mod signals;
mod subscriptions;
mod window;
mod window_state;
mod wish;

use host::HostOptions;
use tauri::{App, Manager, RunEvent, Runtime};

pub use commands::with_commands;
pub use readiness::Readiness;
pub use shell::Shell;

/// Opens the window and runs until it is closed.
pub fn run(options: HostOptions, readiness: Readiness) -> tauri::Result<()> {
    let instance = host::instance_name(&options.data_dir);
    let single_instance = tauri_plugin_single_instance::Builder::new()
        .callback(|app, _, _| {
            tracing::info!(name: "shell.start.repeated", "a second start was handed over");
            window::focus(app);
        })
        .dbus_id(instance)
        .build();
    let app = with_commands(tauri::Builder::default())
        // First of all: a second start must not get as far as the database.
        .plugin(single_instance)
        .plugin(tauri_plugin_clipboard_manager::init())
        .manage(readiness)
        .setup(move |app| set_up(app, options))
        .build(tauri::generate_context!())?;
    app.run(|app, event| {
        if let RunEvent::Exit = event {
            window_state::save(app);
            app.state::<Shell>().close();
        }
    });
    Ok(())
}

fn set_up<R: Runtime>(
    app: &mut App<R>,
    options: HostOptions,
) -> Result<(), Box<dyn std::error::Error>> {
    app.manage(Shell::start(options));
    window::open(app.handle())?;
    attention::follow(app.handle());
    signals::exit_when_asked(app.handle().clone());
    Ok(())
}
