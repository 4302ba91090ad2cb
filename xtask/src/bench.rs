//! s.
use crate::repository::Repository;
use anyhow::Result;
#[derive(clap::Args)]
pub(crate) struct Arguments {}
pub(crate) fn run(_r: &Repository, _a: &Arguments) -> Result<()> {
    Ok(())
}
