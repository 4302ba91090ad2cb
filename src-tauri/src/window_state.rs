//! Where the window was: kept in the data folder, so that each folder's window has its own place.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tauri::{
    AppHandle, Manager, PhysicalPosition, PhysicalSize, Runtime, WebviewWindow,
    WebviewWindowBuilder, WindowEvent,
};

use crate::Shell;

const FILE_NAME: &str = "window.json";

/// Size and place of the window when it is neither maximised nor minimised, in logical pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Place {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    is_maximized: bool,
}

/// A place that can be used: a file that somebody edited must not make an invisible window.
impl Place {
    fn is_sane(&self) -> bool {
        let numbers = [self.x, self.y, self.width, self.height];
        numbers
            .iter()
            .all(|number| number.is_finite() && number.abs() < 100_000.0)
            && self.width >= 200.0
            && self.height >= 200.0
    }
}

pub(crate) fn restore<'a, R: Runtime, M: Manager<R>>(
    app: &AppHandle<R>,
    builder: WebviewWindowBuilder<'a, R, M>,
) -> WebviewWindowBuilder<'a, R, M> {
    let Some(place) = read(&app.state::<Shell>().data_dir()) else {
        return builder;
    };
    let builder = builder
        .inner_size(place.width, place.height)
        .maximized(place.is_maximized);
    if is_on_a_screen(app, &place) {
        builder.position(place.x, place.y)
    } else {
        builder
    }
}

/// Notes where the window is whenever it moves, so that it is known when it is gone.
pub(crate) fn follow<R: Runtime>(window: &WebviewWindow<R>) {
    window.manage(LastPlace::default());
    note(window);
    let followed = window.clone();
    window.on_window_event(move |event| {
        if let WindowEvent::Moved(_)
        | WindowEvent::Resized(_)
        | WindowEvent::CloseRequested { .. } = event
        {
            note(&followed);
        }
    });
}

/// Writes the last known place.
pub(crate) fn save<R: Runtime>(app: &AppHandle<R>) {
    let Some(known) = app.try_state::<LastPlace>() else {
        return;
    };
    let Some(place) = *known
        .0
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
    else {
        return;
    };
    let saved = serde_json::to_vec(&place)
        .map_err(std::io::Error::other)
        .and_then(|bytes| {
            host::write_private_file(&app.state::<Shell>().data_dir(), FILE_NAME, &bytes)
        });
    if let Err(error) = saved {
        tracing::warn!(name: "shell.window_state.unsaved", %error);
    }
}

#[derive(Debug, Default)]
struct LastPlace(std::sync::Mutex<Option<Place>>);

fn note<R: Runtime>(window: &WebviewWindow<R>) {
    let Some(place) = place_of(window) else {
        return;
    };
    let known = window.state::<LastPlace>();
    let mut last = known
        .0
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    // The size that a maximised window goes back to is the one it had before.
    *last = match *last {
        Some(before) if place.is_maximized => Some(Place {
            is_maximized: true,
            ..before
        }),
        Some(_) | None => Some(place),
    };
}

fn place_of<R: Runtime>(window: &WebviewWindow<R>) -> Option<Place> {
    if window.is_minimized().ok()? {
        return None;
    }
    let scale = window.scale_factor().ok()?;
    let size: PhysicalSize<u32> = window.inner_size().ok()?;
    let position: PhysicalPosition<i32> = window.outer_position().ok()?;
    let (size, position) = (
        size.to_logical::<f64>(scale),
        position.to_logical::<f64>(scale),
    );
    let is_maximized = window.is_maximized().ok()?;
    Some(Place {
        x: position.x,
        y: position.y,
        width: size.width,
        height: size.height,
        is_maximized,
    })
}

fn is_on_a_screen<R: Runtime>(app: &AppHandle<R>, place: &Place) -> bool {
    let monitors = app.available_monitors().unwrap_or_default();
    monitors.iter().any(|monitor| {
        let scale = monitor.scale_factor();
        let at = monitor.position().to_logical::<f64>(scale);
        let size = monitor.size().to_logical::<f64>(scale);
        // Enough of the top edge to take hold of.
        place.x + 80.0 > at.x
            && place.x + 80.0 < at.x + size.width
            && place.y >= at.y
            && place.y + 40.0 < at.y + size.height
    })
}

fn read(data_dir: &Path) -> Option<Place> {
    let bytes = std::fs::read(data_dir.join(FILE_NAME)).ok()?;
    serde_json::from_slice::<Place>(&bytes)
        .ok()
        .filter(Place::is_sane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_makes_no_sense_is_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE_NAME);
        let sane = Place {
            x: 10.0,
            y: 20.0,
            width: 800.0,
            height: 600.0,
            is_maximized: false,
        };
        std::fs::write(&path, serde_json::to_vec(&sane).unwrap()).unwrap();
        assert_eq!(read(dir.path()), Some(sane));
        for bad in [
            "",
            "null",
            "[]",
            "{\"x\":1}",
            "{\"x\":0,\"y\":0,\"width\":1,\"height\":1,\"is_maximized\":false}",
        ] {
            std::fs::write(&path, bad).unwrap();
            assert_eq!(read(dir.path()), None, "{bad}");
        }
    }
}
