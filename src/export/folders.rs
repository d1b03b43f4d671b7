//! Where the program's own files lie: settings, the user's rules, the bundled sample.

use directories::ProjectDirs;
use std::path::PathBuf;

/// Names the folder for the program's own files in place of the platform's.
pub const CONFIG_DIR_VARIABLE: &str = "OVERLANE_CONFIG_DIR";

/// The folder of the settings and the rules: the one that [`CONFIG_DIR_VARIABLE`] names, else the
/// platform's; `None` for a user without a home.
#[must_use]
pub fn config_folder() -> Option<PathBuf> {
    named().or_else(|| Some(project()?.config_dir().to_path_buf()))
}

/// The folder of files that can be made again: the one that [`CONFIG_DIR_VARIABLE`] names, else
/// the platform's for caches.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    named().or_else(|| Some(project()?.cache_dir().to_path_buf()))
}

fn named() -> Option<PathBuf> {
    std::env::var_os(CONFIG_DIR_VARIABLE)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

fn project() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "overlane")
}
