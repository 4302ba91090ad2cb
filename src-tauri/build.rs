//! Names the commands that the window may use: everything else is refused.

fn main() {
    let manifest = tauri_build::AppManifest::new().commands(&[
        "acknowledge",
        "copy_text",
        "execute",
        "report_ready",
        "restore_backup",
        "save_export",
        "start_state",
        "subscribe",
        "unsubscribe",
        "watch_sessions",
    ]);
    let attributes = tauri_build::Attributes::new().app_manifest(manifest);
    if let Err(error) = tauri_build::try_build(attributes) {
        panic!("{error:#}");
    }
}
