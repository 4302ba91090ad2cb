//! The mark: a kelp whose holdfast grips its rock. `icons/holdfast.svg` is the same drawing.

use leptos::prelude::*;

#[component]
pub(crate) fn BrandMark() -> impl IntoView {
    view! {
        <svg class="brand-mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <path
                class="brand-mark__rock"
                d="M3.6 20.6C4.1 18.3 7.4 17 12.2 17s7.8 1.3 8.2 3.6c.2 1.3-1.9 1.9-8.4 1.9s-8.7-.6-8.4-1.9Z"
            />
            <path
                class="brand-mark__grip"
                d="M12 13.8C11.2 16 8.3 15.9 6.9 18.9M12 13.8C11.9 16.3 10.3 17 9.9 20.2M12 13.8C12.8 16 15.7 15.9 17.1 18.9M12 13.8C12.1 16.3 13.7 17 14.1 20.2"
            />
            <path
                class="brand-mark__kelp"
                d="M11.1 14.3C9.3 11.9 12.9 9.7 11.2 7 10.2 5.4 10.7 3 12.7 1.4c1.3 2 1.7 3.900.8 5.8-1.3 2.8 1.3 4.6-.5 7.1Z"
            />
            <path
                class="brand-mark__kelp"
                d="M11.7 14.2C8.7 13.2 9.7 10.6 8.1 9 6.6 7.6 5.9 5.9 6.6 3.9c2 .8 3.1 2.1 3.3 4 .2 2.3 2.3 3 2.3 5.3ZM12.3 14.2c3-1 2-3.4 3.6-4.9 1.5-1.4 2.3-2.9 1.7-4.8-2 .7-3.2 1.9-3.5 3.7-.3 2.2-2.2 3-2.2 5.2Z"
            />
        </svg>
    }
}
