//! The tree as views.

use leptos::prelude::*;

use super::tree::{CellAlignment, Element, Node, plain_text};
use crate::components::copy_button::CopyButton;

pub(super) fn nodes(nodes: &[Node]) -> Vec<AnyView> {
    nodes.iter().map(node).collect()
}

fn node(node: &Node) -> AnyView {
    match node {
        Node::Text(text) => text.clone().into_any(),
        Node::Code(code) => view! { <code class="markdown__code">{code.clone()}</code> }.into_any(),
        Node::CodeBlock { language, text } => code_block(language.clone(), text),
        Node::Checkbox(is_done) => checkbox(*is_done),
        Node::Break => view! { <br/> }.into_any(),
        Node::Rule => view! { <hr/> }.into_any(),
        Node::Element(kind, children) => element(kind, children),
    }
}

fn element(element: &Element, children: &[Node]) -> AnyView {
    let inner = || nodes(children);
    match element {
        Element::Paragraph => view! { <p>{inner()}</p> }.into_any(),
        Element::Heading(level) => heading(*level, inner()),
        Element::Quote => view! { <blockquote>{inner()}</blockquote> }.into_any(),
        Element::List => view! { <ul>{inner()}</ul> }.into_any(),
        Element::OrderedList(first) => {
            view! { <ol start=first.to_string()>{inner()}</ol> }.into_any()
        }
        Element::Item => item(children),
        Element::Table => table(children),
        Element::TableHead | Element::TableRow => view! { <tr>{inner()}</tr> }.into_any(),
        Element::TableCell(alignment) => {
            view! { <td class=cell_class(*alignment)>{inner()}</td> }.into_any()
        }
        Element::Emphasis => view! { <em>{inner()}</em> }.into_any(),
        Element::Strong => view! { <strong>{inner()}</strong> }.into_any(),
        Element::Strikethrough => view! { <s>{inner()}</s> }.into_any(),
        Element::Link { target } => link(target.clone(), inner()),
        Element::Image { target } => image(target.clone(), &plain_text(children)),
        Element::RawHtml => view! { <p class="markdown__raw">{inner()}</p> }.into_any(),
    }
}

/// The page has headings of its own: those of a message begin below them.
fn heading(level: u8, inner: Vec<AnyView>) -> AnyView {
    match level {
        1 => view! { <h3 class="markdown__h1">{inner}</h3> }.into_any(),
        2 => view! { <h4 class="markdown__h2">{inner}</h4> }.into_any(),
        3 => view! { <h5 class="markdown__h3">{inner}</h5> }.into_any(),
        _ => view! { <h6 class="markdown__h3">{inner}</h6> }.into_any(),
    }
}

fn item(children: &[Node]) -> AnyView {
    let is_task = matches!(children.first(), Some(Node::Checkbox(_)))
        || matches!(
            children.first(),
            Some(Node::Element(Element::Paragraph, inner))
                if matches!(inner.first(), Some(Node::Checkbox(_)))
        );
    view! { <li class:markdown__task=is_task>{nodes(children)}</li> }.into_any()
}

fn checkbox(is_done: bool) -> AnyView {
    let label = if is_done { "Done" } else { "Not done" };
    view! {
        <input type="checkbox" class="markdown__checkbox" disabled checked=is_done aria-label=label/>
    }
    .into_any()
}

/// Not a link one can follow: the text, with where it would lead.
fn link(target: String, inner: Vec<AnyView>) -> AnyView {
    view! { <span class="markdown__link" title=target>{inner}</span> }.into_any()
}

/// Not a load: an address in a message must not call home.
fn image(target: String, description: &str) -> AnyView {
    let label = match description {
        "" => "Image, not loaded".to_owned(),
        description => format!("Image, not loaded: {description}"),
    };
    view! { <span class="markdown__image" title=target>{label}</span> }.into_any()
}

fn code_block(language: String, text: &str) -> AnyView {
    let shown = text.strip_suffix('\n').unwrap_or(text).to_owned();
    let copied = text.to_owned();
    let label = if language.is_empty() {
        "Code".to_owned()
    } else {
        language
    };
    view! {
        <figure class="code-block">
            <figcaption class="code-block__head">
                <span class="code-block__language">{label}</span>
                <CopyButton text=move || copied.clone() label="Copy code"/>
            </figcaption>
            <pre class="code-block__text" tabindex="0"><code>{shown}</code></pre>
        </figure>
    }
    .into_any()
}

fn table(children: &[Node]) -> AnyView {
    let (head, rows): (Vec<&Node>, Vec<&Node>) = children
        .iter()
        .partition(|node| matches!(node, Node::Element(Element::TableHead, _)));
    let head: Vec<AnyView> = head.into_iter().map(head_row).collect();
    let rows: Vec<AnyView> = rows.into_iter().map(node).collect();
    view! {
        <div class="markdown__table" tabindex="0">
            <table><thead>{head}</thead><tbody>{rows}</tbody></table>
        </div>
    }
    .into_any()
}

fn head_row(head: &Node) -> AnyView {
    let Node::Element(_, cells) = head else {
        return node(head);
    };
    let cells: Vec<AnyView> = cells.iter().map(head_cell).collect();
    view! { <tr>{cells}</tr> }.into_any()
}

fn head_cell(cell: &Node) -> AnyView {
    match cell {
        Node::Element(Element::TableCell(alignment), inner) => {
            view! { <th scope="col" class=cell_class(*alignment)>{nodes(inner)}</th> }.into_any()
        }
        Node::Text(_)
        | Node::Code(_)
        | Node::CodeBlock { .. }
        | Node::Checkbox(_)
        | Node::Break
        | Node::Rule
        | Node::Element(..) => node(cell),
    }
}

const fn cell_class(alignment: CellAlignment) -> &'static str {
    match alignment {
        CellAlignment::Start => "markdown__cell",
        CellAlignment::Center => "markdown__cell markdown__cell--center",
        CellAlignment::End => "markdown__cell markdown__cell--end",
    }
}
