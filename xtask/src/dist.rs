//! s.
use crate::repository::Repository;
use anyhow::Result;
pub(crate) fn run(_r: &Repository) -> Result<()> {
    Ok(())
}
