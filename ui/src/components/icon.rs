//! Small drawings that stand beside or instead of a word.

use leptos::prelude::*;

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Again,
    Agent,
    Archive,
    ArrowDown,
    ArrowUp,
    Bell,
    Check,
    Clip,
    Close,
    Copy,
    Fork,
    Import,
    Left,
    Menu,
    Model,
    More,
    Page,
    Pencil,
    Plus,
    Right,
    Search,
    Settings,
    Stop,
}

impl Shape {
    /// Lines on a grid of 16.
    const fn path(self) -> &'static str {
        match self {
            Self::Again => "M13 8a5 5 0 1 1-1.6-3.7M13 2.5V5h-2.5",
            Self::Agent => "M8 2.5v2M4 4.5h8v7H4zM6.5 7.5v1M9.5 7.5v1M2.5 7v2M13.5 7v2M6 13.5h4",
            Self::Archive => "M2.5 3.5h11v3h-11zM3.5 6.5v6h9v-6M6.5 9h3",
            Self::ArrowDown => "M8 3v10M3.5 8.5 8 13l4.5-4.5",
            Self::ArrowUp => "M8 13V3M3.5 7.5 8 3l4.5 4.5",
            Self::Bell => "M4 11V7a4 4 0 0 1 8 0v4l1.2 1.5H2.8zM6.7 14.5h2.6",
            Self::Check => "m3 8.5 3.5 3.5L13 5",
            Self::Clip => {
                "M12.5 7.5 8 12a2.800 2.800 0 0 1-4-4l5-5a1.900 1.900 0 0 1 2.700 2.700L6.900 10.500a.9.9 0 0 1-1.300-1.300L9.800 5"
            }
            Self::Close => "m4 4 8 8M12 4l-8 8",
            Self::Copy => "M6 5.5h7v8H6zM3.5 10.5H3v-8h7V3",
            Self::Fork => "M5 3v4c0 2 6 1 6 4v2M5 7v6M3.5 4.5 5 3l1.5 1.5M9.500 11.5 11 13l1.5-1.5",
            Self::Import => "M8 2.5v7M5 6.5l3 3 3-3M3 12.5h10",
            Self::Left => "M10 3.500 5.500 8l4.500 4.500",
            Self::Menu => "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
            Self::Model => {
                "M8 2.5 13 5.250v5.500L8 13.500l-5-2.750v-5.500zM3 5.250 8 8l5-2.750M8 8v5.500"
            }
            Self::More => "M3.500 8h.01M8 8h.01M12.500 8h.01",
            Self::Page => "M4 2.5h5l3 3v8H4zM9 2.5v3h3M6 8.500h4M6 11h4",
            Self::Pencil => "M3 13l.7-3L10.500 3.200l2.300 2.300L6 12.300z",
            Self::Plus => "M8 3v10M3 8h10",
            Self::Right => "M6 3.500 10.500 8 6 12.500",
            Self::Search => "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.4 10.4l3.1 3.1",
            Self::Settings => {
                "M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 2v1.800M8 12.200V14M2 8h1.800M12.200 8H14M3.800 3.800 5 5M11 11l1.200 1.200M12.200 3.800 11 5M5 11l-1.200 1.200"
            }
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
