//! What a path being typed could become: entries of its folder that start with the typed name.

use crate::session::{expand_home, folder_of};
use std::path::MAIN_SEPARATOR;

/// More would not be read by anyone.
const MAX: usize = 60;

/// Full paths in the way they were typed, folders first and with a separator at the end.
#[must_use]
pub(super) fn candidates(text: &str) -> Vec<String> {
    let folder = folder_of(text);
    let prefix = text.get(folder.len()..).unwrap_or("");
    let place = if folder.is_empty() { "." } else { folder };
    let Ok(entries) = std::fs::read_dir(expand_home(place)) else {
        return Vec::new();
    };
    let wanted = prefix.to_lowercase();
    let mut found: Vec<(bool, String)> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let name = entry.file_name().to_str()?.to_owned();
            let hidden = name.starts_with('.') && !prefix.starts_with('.');
            if hidden || !name.to_lowercase().starts_with(&wanted) {
                return None;
            }
            // Follows links, as opening would.
            let is_file = !std::fs::metadata(entry.path()).is_ok_and(|m| m.is_dir());
            Some((is_file, name))
        })
        .collect();
    found.sort_by_cached_key(|(is_file, name)| (*is_file, natural(name)));
    found
        .into_iter()
        .take(MAX)
        .map(|(is_file, name)| {
            let end = if is_file {
                String::new()
            } else {
                MAIN_SEPARATOR.to_string()
            };
            format!("{folder}{name}{end}")
        })
        .collect()
}

/// A key by which `rank2` sorts before `rank10`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let (mut word, mut digits) = (String::new(), String::new());
    for c in name.to_lowercase().chars() {
        if c.is_ascii_digit() {
            digits.push(c);
        } else {
            if !digits.is_empty() {
                parts.push((
                    std::mem::take(&mut word),
                    digits.parse().unwrap_or(u64::MAX),
                ));
                digits.clear();
            }
            word.push(c);
        }
    }
    parts.push((word, digits.parse().unwrap_or(0)));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_first_and_numbers_sort_as_numbers() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["rank10.json", "rank2.json", "other.txt", ".hidden"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        std::fs::create_dir(dir.path().join("Ranks")).unwrap();
        let folder = format!("{}/", dir.path().display());
        let with = |names: &[&str]| -> Vec<String> {
            names.iter().map(|n| format!("{folder}{n}")).collect()
        };
        assert_eq!(
            candidates(&format!("{folder}ra")),
            with(&["Ranks/", "rank2.json", "rank10.json"])
        );
        assert_eq!(candidates(&format!("{folder}.h")), with(&[".hidden"]));
        assert_eq!(candidates(&folder).len(), 4);
        assert!(candidates(&format!("{folder}nothing/x")).is_empty());
    }
}
