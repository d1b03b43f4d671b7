//! What is kept between two starts, and the choices that shape figures: [`Settings`].
//!
//! Only preferences are kept, never a view of a file. Every field has a default, so that an older
//! or newer file still reads; a broken file is dropped with a notice by the caller.

use crate::trace::Basis;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Version of the settings file; a newer one is not understood.
const SETTINGS_VERSION: u32 = 1;
/// How many recent entries are kept.
const MAX_RECENT: usize = 12;

/// Which colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeChoice {
    /// Light on dark.
    #[default]
    Dark,
    /// Dark on light.
    Light,
}

impl ThemeChoice {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Dark => Self::Light,
            Self::Light => Self::Dark,
        }
    }
}

/// The user's preferences.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Which colours.
    pub theme: ThemeChoice,
    /// Whose windows steps use.
    pub basis: Basis,
    /// Whether suspicious kernels are clipped in figures. Not kept: it must be chosen per trace.
    pub clip_suspicious: bool,
    /// Whether brushed edges snap to slices.
    pub snap: bool,
    /// What was opened before, newest first; each entry is what one open named.
    pub recent: Vec<Vec<PathBuf>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::default(),
            basis: Basis::Device,
            clip_suspicious: false,
            snap: true,
            recent: Vec::new(),
        }
    }
}

/// The form on disk.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default)]
struct Stored {
    version: u32,
    theme: ThemeChoice,
    host_steps: bool,
    snap: bool,
    recent: Vec<Vec<PathBuf>>,
}

impl Default for Stored {
    fn default() -> Self {
        Self::of(&Settings::default())
    }
}

impl Stored {
    fn of(settings: &Settings) -> Self {
        let Settings {
            theme,
            basis,
            clip_suspicious: _,
            snap,
            recent,
        } = settings;
        Self {
            version: SETTINGS_VERSION,
            theme: *theme,
            host_steps: *basis == Basis::Host,
            snap: *snap,
            recent: recent.clone(),
        }
    }
}

/// Why a settings file was dropped.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// Not the JSON that this program writes.
    #[error("the settings file could not be read ({0}); defaults are used")]
    Broken(String),
    /// Written by a later version.
    #[error("the settings file is of a newer version ({0}); defaults are used")]
    Newer(u32),
}

impl Settings {
    /// Reads the text of a settings file.
    ///
    /// # Errors
    /// [`SettingsError`] where the text is not what this version writes or its predecessors wrote.
    pub fn from_json(text: &str) -> Result<Self, SettingsError> {
        let stored: Stored =
            serde_json::from_str(text).map_err(|e| SettingsError::Broken(e.to_string()))?;
        if stored.version > SETTINGS_VERSION {
            return Err(SettingsError::Newer(stored.version));
        }
        Ok(Self {
            theme: stored.theme,
            basis: if stored.host_steps {
                Basis::Host
            } else {
                Basis::Device
            },
            clip_suspicious: false,
            snap: stored.snap,
            recent: stored.recent.into_iter().take(MAX_RECENT).collect(),
        })
    }

    /// The text of the settings file.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&Stored::of(self)).unwrap_or_default()
    }

    /// Puts what was opened at the top of the recent list, absolute where the system can tell.
    pub(super) fn remember(&mut self, paths: &[PathBuf]) {
        let entry: Vec<PathBuf> = paths.iter().map(|p| absolute(p)).collect();
        if entry.is_empty() {
            return;
        }
        self.recent.retain(|r| *r != entry);
        self.recent.insert(0, entry);
        self.recent.truncate(MAX_RECENT);
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_a_round_trip() {
        let mut settings = Settings {
            theme: ThemeChoice::Light,
            basis: Basis::Host,
            snap: false,
            ..Settings::default()
        };
        settings.remember(&[PathBuf::from("/a/b.json")]);
        assert_eq!(Settings::from_json(&settings.to_json()), Ok(settings));
    }

    #[test]
    fn missing_fields_take_defaults_and_unknown_ones_are_ignored() {
        assert_eq!(Settings::from_json("{}"), Ok(Settings::default()));
        let read = Settings::from_json(r#"{"theme":"light","later":[1]}"#).unwrap();
        assert_eq!(read.theme, ThemeChoice::Light);
    }

    #[test]
    fn broken_and_newer_files_are_refused() {
        assert!(matches!(
            Settings::from_json("{"),
            Err(SettingsError::Broken(_))
        ));
        assert_eq!(
            Settings::from_json(r#"{"version":99}"#),
            Err(SettingsError::Newer(99))
        );
    }

    #[test]
    fn recent_entries_are_unique_and_newest_first() {
        let mut settings = Settings::default();
        for i in 0..20 {
            settings.remember(&[PathBuf::from(format!("/t/{i}"))]);
        }
        settings.remember(&[PathBuf::from("/t/15")]);
        assert_eq!(settings.recent.len(), MAX_RECENT);
        assert_eq!(settings.recent[0], [PathBuf::from("/t/15")]);
        assert_eq!(
            settings
                .recent
                .iter()
                .filter(|r| r[0].ends_with("15"))
                .count(),
            1
        );
    }
}
