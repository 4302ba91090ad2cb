//! What a PDF may be like for it to be read: nothing that leads back into itself, nothing that is
//! nested without end. The library follows both until its stack is used up, and with it the app.

use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};
use protocol::CommandError;

use super::damaged;

/// Lists and tables inside of each other. Real files have a handful.
const DEEPEST_OBJECT: usize = 2_000;
/// Forms that show other forms.
const DEEPEST_FORM: usize = 32;
/// Forms that are looked at, however often they are shown.
const MOST_FORMS: usize = 20_000;
/// Tables that a page belongs to, one inside of the other.
const DEEPEST_PAGE: usize = 256;

/// There is no text in pictures, and the library would take them for forms.
pub(super) fn empty_pictures(document: &mut Document) {
    for object in document.objects.values_mut() {
        if let Object::Stream(stream) = object
            && stream
                .dict
                .get(b"Subtype")
                .and_then(Object::as_name)
                .is_ok_and(|subtype| subtype == b"Image")
        {
            stream.set_plain_content(Vec::new());
        }
    }
}

/// Compressed data counts along with the rest, by chance as often up as down.
pub(super) fn check_nesting(bytes: &[u8]) -> Result<(), CommandError> {
    let mut depth = 0_usize;
    let mut rest = bytes;
    while let [first, ..] = rest {
        let taken = match (first, rest) {
            (b'[', _) => {
                depth += 1;
                1
            }
            (b'<', [_, b'<', ..]) => {
                depth += 1;
                2
            }
            (b']', _) => {
                depth = depth.saturating_sub(1);
                1
            }
            (b'>', [_, b'>', ..]) => {
                depth = depth.saturating_sub(1);
                2
            }
            (b'e', _) if rest.starts_with(b"endobj") => {
                depth = 0;
                6
            }
            _ => 1,
        };
        if depth > DEEPEST_OBJECT {
            return Err(damaged());
        }
        rest = &rest[taken..];
    }
    Ok(())
}

pub(super) fn check(
    document: &Document,
    pages: impl Iterator<Item = ObjectId>,
) -> Result<(), CommandError> {
    let mut looked = 0;
    for page in pages {
        let page = document.get_dictionary(page).map_err(|_| damaged())?;
        let resources = inherited(document, page)?;
        if let Some(resources) = resources {
            check_forms(document, resources, &mut Vec::new(), &mut looked)?;
        }
    }
    Ok(())
}

/// The resources of a page, its own or those of what it belongs to, which must come to an end.
fn inherited<'a>(
    document: &'a Document,
    page: &'a Dictionary,
) -> Result<Option<&'a Dictionary>, CommandError> {
    let (mut found, mut at) = (None, page);
    for _ in 0..DEEPEST_PAGE {
        found = found.or_else(|| dictionary(document, at.get(b"Resources").ok()?));
        let parent = at.get(b"Parent").and_then(Object::as_reference);
        match parent.and_then(|parent| document.get_dictionary(parent)) {
            Ok(parent) => at = parent,
            Err(_) => return Ok(found),
        }
    }
    Err(damaged())
}

/// No form shows itself, also not through others.
fn check_forms(
    document: &Document,
    resources: &Dictionary,
    path: &mut Vec<ObjectId>,
    looked: &mut usize,
) -> Result<(), CommandError> {
    let forms = resources.get(b"XObject").ok();
    let Some(forms) = forms.and_then(|forms| dictionary(document, forms)) else {
        return Ok(());
    };
    for (_, form) in forms {
        let Ok((Some(id), Object::Stream(form))) = document.dereference(form) else {
            continue;
        };
        *looked += 1;
        if *looked > MOST_FORMS {
            return Err(damaged());
        }
        if !shows_another(form) {
            continue;
        }
        if path.contains(&id) || path.len() >= DEEPEST_FORM {
            return Err(damaged());
        }
        // One without resources of its own is shown with those of whoever shows it.
        let own = form.dict.get(b"Resources").ok();
        let own = own.and_then(|own| dictionary(document, own));
        path.push(id);
        check_forms(document, own.unwrap_or(resources), path, looked)?;
        path.pop();
    }
    Ok(())
}

/// The operator that shows a form. It may be part of another word: then one too many is looked at.
fn shows_another(form: &Stream) -> bool {
    let content = form.decompressed_content();
    let content = content.as_deref().unwrap_or(&form.content);
    content.windows(2).any(|two| two == b"Do")
}

fn dictionary<'a>(document: &'a Document, object: &'a Object) -> Option<&'a Dictionary> {
    document.dereference(object).ok()?.1.as_dict().ok()
}
