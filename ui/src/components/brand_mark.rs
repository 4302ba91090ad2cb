//! The mark: a kelp whose holdfast grips its rock.

use leptos::prelude::*;

#[component]
pub(crate) fn BrandMark() -> impl IntoView {
    view! {
        <svg class="brand-mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <path
                class="brand-mark__kelp"
                d="M12 15.5C9.6 12.6 14.4 10.6 12 7.4 10.9 5.9 11.2 3.8 12.4 2.5c1.5 1.6 1.9 3.5.9 5.2-1.6 2.9 2.6 4.7-1.3 7.8z"
            />
            <path
                class="brand-mark__kelp"
                d="M11.6 11.6C8.2 11.6 6.6 9.4 6.7 6.3c2.9.4 4.9 2.2 4.9 5.3zM12.9 11c.2-2.7 1.8-4.3 4.6-4.4 0 2.8-1.8 4.5-4.6 4.4z"
            />
            <path
                class="brand-mark__grip"
                d="M12 14.5v5M12 15c-.4 2.4-1.9 3.3-4.4 3.6M12 15c.4 2.4 1.9 3.3 4.4 3.6M12 14.8c-1.400 1.500-3.900 1.200-5.900 2.400M12 14.800c1.400 1.500 3.900 1.200 5.900 2.400"
            />
            <path class="brand-mark__rock" d="M3.5 21.300c2.300-1.900 5.300-2.500 8.500-2.500s6.200.6 8.500 2.500"/>
        </svg>
    }
}
