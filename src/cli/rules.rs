//! Which rules classify kernels: the built-in ones, and a file of the user's.

use super::CliError;
use crate::classify::Rules;
use crate::export;
use std::io::ErrorKind;
use std::path::Path;

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
    let Some(folder) = export::config_folder() else {
        return Ok(Rules::builtin());
    };
    let path = folder.join("kernel_rules.toml");
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Rules::with_user_file(&path, &text)?),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Rules::builtin()),
        Err(reason) => Err(CliError::RulesFile { path, reason }),
    }
}
