//! What was given along with a message, where it is shown: pictures, and cards that unfold.

use std::sync::Arc;

use leptos::ev::{Event, Targeted};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{AttachmentKind, AttachmentView};
use web_sys::HtmlDetailsElement;

use super::copy_button::CopyButton;
use super::icon::{Icon, Shape};
use super::long_text::{GLANCE, LongText};
use crate::actions::use_actions;
use crate::state::picture;
use crate::{browser, testid};

/// How much a file holds, as people say it.
pub(crate) fn size_text(bytes: u64) -> String {
    match bytes {
        ..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{:.1} MB", bytes as f64 / 1_000_000.0),
    }
}

/// What stands beside the name of an attachment.
pub(crate) fn about(view: &AttachmentView) -> String {
    let size = size_text(view.bytes);
    match (view.kind, view.pages, view.width.zip(view.height)) {
        (AttachmentKind::Pdf, Some(1), _) => format!("PDF, 1 page, {size}"),
        (AttachmentKind::Pdf, Some(pages), _) => format!("PDF, {pages} pages, {size}"),
        (AttachmentKind::Pdf, None, _) => format!("PDF, {size}"),
        (AttachmentKind::Image, _, Some((width, height))) => {
            format!("{width} × {height}, {size}")
        }
        (AttachmentKind::Image | AttachmentKind::Text, _, _) => size,
    }
}

#[component]
pub(crate) fn Attachments(
    /// The attachments of one message, in order.
    attachments: Vec<AttachmentView>,
) -> impl IntoView {
    let shown: Vec<AnyView> = attachments
        .into_iter()
        .map(|view| match view.kind {
            AttachmentKind::Image => view! { <Picture view/> }.into_any(),
            AttachmentKind::Text | AttachmentKind::Pdf => view! { <Card view/> }.into_any(),
        })
        .collect();
    (!shown.is_empty()).then(|| view! { <div class="attachments">{shown}</div> })
}

/// An image. It is read once the page has it, and grows when it is clicked.
#[component]
fn Picture(view: AttachmentView) -> impl IntoView {
    let actions = use_actions();
    let source = RwSignal::new(None::<Arc<str>>);
    let problem = RwSignal::new(None::<String>);
    let is_large = RwSignal::new(false);
    let (id, media_type) = (view.attachment_id, view.media_type.clone());
    spawn_local(async move {
        match actions.read_attachment(id, false).await {
            Ok(Some(data)) => {
                source.try_set(Some(picture(&media_type, &data)));
            }
            Ok(None) => {}
            Err(error) => {
                problem.try_set(Some(error.message));
            }
        }
    });
    let about = about(&view);
    let (name, label) = (view.name.clone(), view.name);
    view! {
        <figure class="attachment attachment--image" data-testid=testid::ATTACHMENT data-kind="image">
            <button
                type="button"
                class="attachment__picture"
                class:attachment__picture--large=move || is_large.get()
                aria-label=format!("Image {label}")
                aria-expanded=move || is_large.get().to_string()
                on:click=move |_| is_large.update(|is_large| *is_large = !*is_large)
            >
                {move || {
                    source.get().map(|source| {
                        view! { <img class="attachment__image" src=source.to_string() alt=name.clone()/> }
                    })
                }}
            </button>
            <figcaption class="attachment__caption">
                <span class="attachment__name">{label}</span>
                <span class="attachment__about">{about}</span>
            </figcaption>
            <p class="call__problem" role="alert">{move || problem.get()}</p>
        </figure>
    }
}

/// Text, or the text of a PDF: one line that unfolds. It is read when it does.
#[component]
fn Card(view: AttachmentView) -> impl IntoView {
    let actions = use_actions();
    let text = RwSignal::new(None::<String>);
    let problem = RwSignal::new(None::<String>);
    let shows_all = RwSignal::new(false);
    let id = view.attachment_id;
    let on_toggle = move |event: Targeted<Event, HtmlDetailsElement>| {
        if !event.target().open() || text.with_untracked(Option::is_some) {
            return;
        }
        spawn_local(async move {
            match actions.read_attachment(id, true).await {
                Ok(Some(data)) => {
                    text.try_set(browser::text_of_base64(&data));
                }
                Ok(None) => {}
                Err(error) => {
                    problem.try_set(Some(error.message));
                }
            }
        });
    };
    let note = (view.kind == AttachmentKind::Pdf).then(|| {
        view! { <p class="call__note">"This text is what the model gets of it."</p> }
    });
    view! {
        <details
            class="attachment attachment--card"
            data-testid=testid::ATTACHMENT
            data-kind=view.kind.as_str()
            on:toggle:target=on_toggle
        >
            <summary class="attachment__head">
                <Icon shape=Shape::Page/>
                <span class="attachment__name">{view.name.clone()}</span>
                <span class="attachment__about">{about(&view)}</span>
            </summary>
            {note}
            {move || {
                text.get().map(|text| {
                    let copied = text.clone();
                    view! {
                        <div class="attachment__text">
                            <CopyButton text=move || copied.clone() label="Copy the text"/>
                            <LongText
                                text=Signal::stored(text)
                                extent=GLANCE
                                shows_all
                                label="Text of the attachment"
                            />
                        </div>
                    }
                })
            }}
            <p class="call__problem" role="alert">{move || problem.get()}</p>
        </details>
    }
}

#[cfg(test)]
mod tests {
    use protocol::AttachmentId;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn sizes_are_said_as_people_say_them() {
        assert_eq!(size_text(999), "999 B");
        assert_eq!(size_text(1_001), "2 KB");
        assert_eq!(size_text(10_485_760), "10.5 MB");
    }

    #[test]
    fn what_stands_beside_a_name_says_what_it_is() {
        let mut view = AttachmentView {
            attachment_id: AttachmentId::from_uuid(Uuid::from_u128(1)),
            name: "a".to_owned(),
            kind: AttachmentKind::Image,
            media_type: "image/png".to_owned(),
            bytes: 2_000,
            width: Some(800),
            height: Some(600),
            pages: None,
            text_bytes: None,
        };
        assert_eq!(about(&view), "800 × 600, 2 KB");
        (view.width, view.height) = (None, None);
        view.kind = AttachmentKind::Pdf;
        view.pages = Some(3);
        assert_eq!(about(&view), "PDF, 3 pages, 2 KB");
        view.kind = AttachmentKind::Text;
        assert_eq!(about(&view), "2 KB");
    }
}
