//! A text of unknown origin: what cannot be seen is named.

use leptos::prelude::*;

use crate::text::{Piece, name_of, pieces};

#[component]
pub(crate) fn Escaped(
    /// The text.
    #[prop(into)]
    text: String,
) -> impl IntoView {
    pieces(&text)
        .into_iter()
        .map(|piece| match piece {
            Piece::Plain(text) => text.into_any(),
            Piece::Hidden(character) => view! {
                <span class="escaped" title="A character that cannot be seen">
                    {name_of(character)}
                </span>
            }
            .into_any(),
        })
        .collect_view()
}
