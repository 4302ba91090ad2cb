//! Small drawings that stand beside or instead of a word.

use leptos::prelude::*;

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    ArrowDown,
    ArrowUp,
    Bell,
    Check,
    Close,
    Copy,
    Menu,
    Plus,
    Search,
    Stop,
}

impl Shape {
    /// Lines on a grid of 16.
    const fn path(self) -> &'static str {
        match self {
            Self::ArrowDown => "M8 3v10M3.5 8.5 8 13l4.5-4.5",
            Self::ArrowUp => "M8 13V3M3.5 7.5 8 3l4.5 4.5",
            Self::Bell => "M4 11V7a4 4 0 0 1 8 0v4l1.2 1.5H2.8zM6.7 14.5h2.6",
            Self::Check => "m3 8.5 3.5 3.5L13 5",
            Self::Close => "m4 4 8 8M12 4l-8 8",
            Self::Copy => "M6 5.5h7v8H6zM3.5 10.5H3v-8h7V3",
            Self::Menu => "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
            Self::Plus => "M8 3v10M3 8h10",
            Self::Search => "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.4 10.4l3.1 3.1",
            Self::Stop => "M4.5 4.5h7v7h-7z",
        }
    }
}

#[component]
pub(crate) fn Icon(shape: Shape) -> impl IntoView {
    view! {
        <svg class="icon" class:icon--filled=move || shape == Shape::Stop viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d=shape.path()/>
        </svg>
    }
}
