//! Markdown as views. Nothing in it becomes HTML: not a tag, not a link, not a load.

mod blocks;
mod tree;
mod view;

use std::ops::Range;

use leptos::prelude::*;
use reactive_stores::Field;

use blocks::settled_blocks;

/// A text that is whole.
#[component]
pub fn Markdown(
    /// The text.
    #[prop(into)]
    source: String,
) -> impl IntoView {
    view! { <div class="markdown">{render(&source)}</div> }
}

/// A text that is being written: what is settled is rendered once, only the open end again.
#[component]
pub(crate) fn LiveMarkdown(
    /// The text so far.
    text: Field<String>,
) -> impl IntoView {
    let settled = RwSignal::new(Vec::<(usize, String)>::new());
    let open = RwSignal::new(String::new());
    let open_from = StoredValue::new(0_usize);

    Effect::new(move || {
        let Some(text) = text.try_read() else {
            return;
        };
        let from = open_from.get_value();
        let tail = text.get(from..).unwrap_or_default();
        let blocks = settled_blocks(tail);
        if let Some(last) = blocks.last() {
            open_from.set_value(from + last.end);
            settled.update(|settled| {
                settled.extend(
                    blocks
                        .iter()
                        .map(|block| (from + block.start, slice(tail, block))),
                );
            });
        }
        let end =
            open_from.with_value(|open_from| text.get(*open_from..).unwrap_or_default().to_owned());
        open.set(end);
    });

    view! {
        <div class="markdown markdown--live">
            <For
                each=move || settled.get()
                key=|(start, _)| *start
                children=|(_, source)| render(&source)
            />
            {move || render(&open.read())}
        </div>
    }
}

fn slice(text: &str, range: &Range<usize>) -> String {
    text.get(range.clone()).unwrap_or_default().to_owned()
}

fn render(source: &str) -> AnyView {
    view::nodes(&tree::parse(source)).into_any()
}
