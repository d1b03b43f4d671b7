//! Which rules classify kernels: the built-in ones, and a file of the user's.

use super::CliError;
use crate::classify::Rules;
use directories::ProjectDirs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The rules of a file that was named, else of the user's configuration folder, else the built-in
/// ones alone.
pub(super) fn load(named: Option<&Path>) -> Result<Rules, CliError> {
    if let Some(path) = named {
        let text = std::fs::read_to_string(path).map_err(|reason| CliError::RulesFile {
            path: path.to_owned(),
            reason,
        })?;
        return Ok(Rules::with_user_file(path, &text)?);
    }
    let Some(path) = configured() else {
        return Ok(Rules::builtin());
    };
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Rules::with_user_file(&path, &text)?),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Rules::builtin()),
        Err(reason) => Err(CliError::RulesFile { path, reason }),
    }
}

fn configured() -> Option<PathBuf> {
    let dirs = ProjectDirs::from("", "", "overlane")?;
    Some(dirs.config_dir().join("kernel_rules.toml"))
}
