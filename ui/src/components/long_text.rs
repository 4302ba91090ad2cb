//! A text that may be long: its beginning, and all of it when asked for.

use leptos::prelude::*;

use super::escaped::Escaped;
use crate::testid;
use crate::text::beginning;

/// How much of a text is shown at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) lines: usize,
    pub(crate) characters: usize,
}

/// A result: enough to see what came.
pub(crate) const GLANCE: Extent = Extent {
    lines: 12,
    characters: 1_500,
};

/// What is to be decided about: everything that a page can hold without slowing down.
pub(crate) const READING: Extent = Extent {
    lines: 600,
    characters: 40_000,
};

impl Extent {
    /// Whether some of this text would not be shown.
    pub(crate) fn cuts(self, text: &str) -> bool {
        beginning(text, self.lines, self.characters).is_some()
    }
}

/// How the lines of a text are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineStyle {
    Plain,
    /// A unified diff.
    Diff,
}

#[component]
pub(crate) fn LongText(
    /// The text.
    #[prop(into)]
    text: Signal<String>,
    /// How much of it is shown at first.
    extent: Extent,
    /// Whether all of it is shown.
    shows_all: RwSignal<bool>,
    /// How its lines are coloured.
    #[prop(default = LineStyle::Plain)]
    lines: LineStyle,
    /// What it is, for those who do not see it.
    label: &'static str,
) -> impl IntoView {
    let is_cut = Memo::new(move |_| !shows_all.get() && text.with(|text| extent.cuts(text)));
    let shown = move || {
        let text = text.get();
        let cut = is_cut
            .get()
            .then(|| beginning(&text, extent.lines, extent.characters))
            .flatten();
        body(cut.unwrap_or(&text), lines)
    };
    let rest = move || {
        text.with(|text| {
            let begun = beginning(text, extent.lines, extent.characters).unwrap_or(text);
            match text.lines().count().saturating_sub(begun.lines().count()) {
                0 => format!(
                    "{} more characters",
                    text.chars().count() - begun.chars().count()
                ),
                1 => "1 more line".to_owned(),
                lines => format!("{lines} more lines"),
            }
        })
    };
    view! {
        <pre class="long-text" tabindex="0" role="group" aria-label=label>{shown}</pre>
        <Show when=move || is_cut.get()>
            <p class="long-text__cut">
                <span>{move || format!("Not all is shown: {}.", rest())}</span>
                <button
                    type="button"
                    class="button button--small"
                    data-testid=testid::SHOW_ALL
                    on:click=move |_| shows_all.set(true)
                >
                    "Show all"
                </button>
            </p>
        </Show>
    }
}

fn body(text: &str, lines: LineStyle) -> AnyView {
    match lines {
        LineStyle::Plain => view! { <Escaped text=text/> }.into_any(),
        LineStyle::Diff => text.lines().map(diff_line).collect_view().into_any(),
    }
}

/// The sign at the start of a line says what the line is; the colour only repeats it.
fn diff_line(line: &str) -> impl IntoView {
    let class = match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => "diff__line diff__line--head",
        [b'+', ..] => "diff__line diff__line--added",
        [b'-', ..] => "diff__line diff__line--removed",
        [b'@', b'@', ..] => "diff__line diff__line--place",
        _ => "diff__line",
    };
    view! { <span class=class><Escaped text=format!("{line}\n")/></span> }
}
