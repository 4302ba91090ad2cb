//! What a text may and may not become.

use super::*;

fn text(text: &str) -> Node {
    Node::Text(text.to_owned())
}

fn paragraph(nodes: Vec<Node>) -> Node {
    Node::Element(Element::Paragraph, nodes)
}

#[test]
fn tags_are_text() {
    assert_eq!(
        parse("<script>alert(1)</script>\n\na <img src=x onerror=alert(1)> b"),
        [
            Node::Element(Element::RawHtml, vec![text("<script>alert(1)</script>\n")]),
            paragraph(vec![text("a <img src=x onerror=alert(1)> b")]),
        ]
    );
}

#[test]
fn a_link_keeps_its_target_for_showing() {
    let target = "javascript:alert(1)".to_owned();
    assert_eq!(
        parse("[safe](javascript:alert(1))"),
        [paragraph(vec![Node::Element(
            Element::Link { target },
            vec![text("safe")]
        )])]
    );
}

#[test]
fn a_fence_has_a_language_and_its_exact_text() {
    let block = |language: &str, text: &str| Node::CodeBlock {
        language: language.to_owned(),
        text: text.to_owned(),
    };
    assert_eq!(
        parse("```rust,ignore\nfn a() {\n\n}\n```"),
        [block("rust", "fn a() {\n\n}\n")]
    );
    assert_eq!(parse("```\nopen"), [block("", "open")]);
}

#[test]
fn cells_know_their_column() {
    let cell =
        |alignment, cell: &str| Node::Element(Element::TableCell(alignment), vec![text(cell)]);
    let row = vec![
        cell(CellAlignment::Start, "1"),
        cell(CellAlignment::End, "2"),
    ];
    let head = vec![
        cell(CellAlignment::Start, "a"),
        cell(CellAlignment::End, "b"),
    ];
    assert_eq!(
        parse("| a | b |\n|---|--:|\n| 1 | 2 |"),
        [Node::Element(
            Element::Table,
            vec![
                Node::Element(Element::TableHead, head),
                Node::Element(Element::TableRow, row),
            ]
        )]
    );
}

#[test]
fn endless_nesting_is_cut_flat_and_loses_no_text() {
    let source = format!("{} deep", ">".repeat(5_000));
    let nodes = parse(&source);
    assert_eq!(plain_text(&nodes), "deep");
    assert!(depth(&nodes) <= DEEPEST);
}

fn depth(nodes: &[Node]) -> usize {
    nodes
        .iter()
        .map(|node| match node {
            Node::Element(_, nodes) => 1 + depth(nodes),
            Node::Text(_)
            | Node::Code(_)
            | Node::CodeBlock { .. }
            | Node::Checkbox(_)
            | Node::Break
            | Node::Rule => 0,
        })
        .max()
        .unwrap_or(0)
}
