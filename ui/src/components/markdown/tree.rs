//! Markdown events to a small tree of exactly what can be shown.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

pub(super) const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS);

/// Deeper nesting is shown flat: a view as deep as a hostile text would exhaust the stack.
const DEEPEST: usize = 24;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Text(String),
    Code(String),
    CodeBlock { language: String, text: String },
    Checkbox(bool),
    Break,
    Rule,
    Element(Element, Vec<Node>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Element {
    Paragraph,
    Heading(u8),
    Quote,
    List,
    OrderedList(u64),
    Item,
    Table,
    TableHead,
    TableRow,
    TableCell(CellAlignment),
    Emphasis,
    Strong,
    Strikethrough,
    Link {
        target: String,
    },
    Image {
        target: String,
    },
    /// Tags that are shown as what they are: text.
    RawHtml,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellAlignment {
    Start,
    Center,
    End,
}

pub(super) fn parse(source: &str) -> Vec<Node> {
    let mut builder = Builder::default();
    for event in Parser::new_ext(source, OPTIONS) {
        builder.take(event);
    }
    builder.finish()
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    top: Vec<Node>,
    alignments: Vec<CellAlignment>,
}

/// A tag that has been opened.
struct Open {
    kind: OpenKind,
    nodes: Vec<Node>,
}

enum OpenKind {
    Element(Element),
    CodeBlock {
        language: String,
    },
    /// Not shown itself: what is in it goes to what it is in.
    Flat,
}

impl Builder {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => {
                let kind = if self.open.len() < DEEPEST {
                    self.kind(tag)
                } else {
                    OpenKind::Flat
                };
                self.open.push(Open {
                    kind,
                    nodes: Vec::new(),
                });
            }
            Event::End(end) => self.close(end),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.push_text(&text);
            }
            Event::Code(code) => self.push(Node::Code(code.into_string())),
            Event::SoftBreak => self.push_text("\n"),
            Event::HardBreak => self.push(Node::Break),
            Event::Rule => self.push(Node::Rule),
            Event::TaskListMarker(is_done) => self.push(Node::Checkbox(is_done)),
            // Not enabled: shown as written.
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.push_text(&text);
            }
        }
    }

    fn kind(&mut self, tag: Tag<'_>) -> OpenKind {
        OpenKind::Element(match tag {
            Tag::Paragraph => Element::Paragraph,
            Tag::Heading { level, .. } => Element::Heading(level as u8),
            Tag::BlockQuote(_) => Element::Quote,
            Tag::CodeBlock(kind) => {
                return OpenKind::CodeBlock {
                    language: language(&kind),
                };
            }
            Tag::HtmlBlock => Element::RawHtml,
            Tag::List(None) => Element::List,
            Tag::List(Some(first)) => Element::OrderedList(first),
            Tag::Item => Element::Item,
            Tag::Table(alignments) => {
                self.alignments = alignments.iter().map(CellAlignment::of).collect();
                Element::Table
            }
            Tag::TableHead => Element::TableHead,
            Tag::TableRow => Element::TableRow,
            Tag::TableCell => Element::TableCell(self.next_alignment()),
            Tag::Emphasis => Element::Emphasis,
            Tag::Strong => Element::Strong,
            Tag::Strikethrough => Element::Strikethrough,
            Tag::Link { dest_url, .. } => Element::Link {
                target: dest_url.into_string(),
            },
            Tag::Image { dest_url, .. } => Element::Image {
                target: dest_url.into_string(),
            },
            // Not enabled.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => return OpenKind::Flat,
        })
    }

    fn next_alignment(&self) -> CellAlignment {
        let column = self.open.last().map_or(0, |row| row.nodes.len());
        self.alignments
            .get(column)
            .copied()
            .unwrap_or(CellAlignment::Start)
    }

    fn close(&mut self, _end: TagEnd) {
        let Some(Open { kind, nodes }) = self.open.pop() else {
            return;
        };
        match kind {
            OpenKind::Element(element) => self.push(Node::Element(element, nodes)),
            OpenKind::CodeBlock { language } => {
                let text = plain_text(&nodes);
                self.push(Node::CodeBlock { language, text });
            }
            OpenKind::Flat => nodes.into_iter().for_each(|node| self.push(node)),
        }
    }

    /// Joins what belongs together: the parser gives text in pieces.
    fn push_text(&mut self, text: &str) {
        match self.siblings().last_mut() {
            Some(Node::Text(before)) => before.push_str(text),
            Some(_) | None => self.push(Node::Text(text.to_owned())),
        }
    }

    fn push(&mut self, node: Node) {
        self.siblings().push(node);
    }

    fn siblings(&mut self) -> &mut Vec<Node> {
        match self.open.last_mut() {
            Some(open) => &mut open.nodes,
            None => &mut self.top,
        }
    }

    fn finish(mut self) -> Vec<Node> {
        while !self.open.is_empty() {
            self.close(TagEnd::Paragraph);
        }
        self.top
    }
}

impl CellAlignment {
    const fn of(alignment: &Alignment) -> Self {
        match alignment {
            Alignment::None | Alignment::Left => Self::Start,
            Alignment::Center => Self::Center,
            Alignment::Right => Self::End,
        }
    }
}

/// The first word of what follows the fence.
fn language(kind: &CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Indented => String::new(),
        CodeBlockKind::Fenced(info) => info
            .split([' ', ',', '{'])
            .next()
            .unwrap_or_default()
            .to_owned(),
    }
}

/// The text in these nodes, without form.
pub(super) fn plain_text(nodes: &[Node]) -> String {
    let mut text = String::new();
    for node in nodes {
        match node {
            Node::Text(more) | Node::Code(more) | Node::CodeBlock { text: more, .. } => {
                text.push_str(more);
            }
            Node::Break => text.push('\n'),
            Node::Element(_, nodes) => text.push_str(&plain_text(nodes)),
            Node::Checkbox(_) | Node::Rule => {}
        }
    }
    text
}

#[cfg(test)]
mod tests;
