//! What is wrong, what to do, and what the other side said.

use leptos::prelude::*;

use super::escaped::Escaped;
use crate::model_words::{Fault, Place};
use crate::testid;

#[component]
pub(crate) fn FaultView(fault: Fault) -> impl IntoView {
    let place = match fault.place {
        Place::Address => "address",
        Place::Key => "key",
        Place::Whole => "whole",
    };
    view! {
        <div class="fault" role="alert" data-testid=testid::PROVIDER_FAULT data-place=place>
            <p><strong>{fault.words}</strong>" "{fault.hint}</p>
            {fault.said.map(|said| view! { <p class="fault__said"><Escaped text=said/></p> })}
        </div>
    }
}
