//! Who is to answer: asked at the first start, and never again after a choice.

use leptos::prelude::*;

#[component]
pub(crate) fn FirstRunView() -> impl IntoView {
    view! { <section class="panel"></section> }
}
