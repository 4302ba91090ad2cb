//! PDFs made by hand: objects with their numbers, and a table of where they are.

/// A PDF of these objects, the first one the catalogue.
pub(crate) fn pdf(objects: &[String]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in (1..).zip(objects) {
        places.push(bytes.len());
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").as_bytes());
    }
    let table = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1).as_bytes());
    for place in &places {
        bytes.extend(format!("{place:010} 00000 n \n").as_bytes());
    }
    let size = places.len() + 1;
    bytes.extend(
        format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n").as_bytes(),
    );
    bytes
}

/// What a page shows.
pub(crate) fn stream(dictionary: &str, content: &str) -> String {
    let length = content.len();
    format!("<< {dictionary} /Length {length} >>\nstream\n{content}\nendstream")
}

const FONT: &str =
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

/// A PDF with a page for each of these contents.
pub(crate) fn pages(contents: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..contents.len())
        .map(|page| format!("{} 0 R", 4 + 2 * page))
        .collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {} /MediaBox [0 0 300 300] \
             /Resources << /Font << /F1 3 0 R >> >> >>",
            kids.join(" "),
            contents.len()
        ),
        FONT.to_owned(),
    ];
    for (page, content) in contents.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /Contents {} 0 R >>",
            5 + 2 * page
        ));
        objects.push(stream("", content));
    }
    pdf(&objects)
}

/// Shows a line of text.
pub(crate) fn line(text: &str) -> String {
    format!("BT /F1 12 Tf 20 200 Td ({text}) Tj ET")
}
