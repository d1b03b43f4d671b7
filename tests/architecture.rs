//! The layers of the program, checked on the source text: which module may use which.
//!
//! One crate cannot enforce layers with Cargo, so this test reads every `use crate::…` and
//! `crate::…` path under `src` and compares it with the table below. Its messages quote the rule.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A module, and the modules that it may use. `lib.rs` and `main.rs` wire everything.
const LAYERS: [(&str, &[&str]); 17] = [
    ("time", &[]),
    ("interval", &["time"]),
    ("memory", &["time"]),
    ("trace", &["memory", "interval", "time"]),
    ("classify", &["trace", "memory", "interval", "time"]),
    (
        "ingest",
        &["classify", "trace", "memory", "interval", "time"],
    ),
    ("snapshot", &["ingest", "memory", "time"]),
    (
        "load",
        &["ingest", "classify", "trace", "memory", "interval", "time"],
    ),
    ("metrics", &["trace", "memory", "interval", "time"]),
    (
        "whatif",
        &["metrics", "trace", "memory", "interval", "time"],
    ),
    ("timeline", &["trace", "memory", "interval", "time"]),
    (
        "export",
        &[
            "snapshot", "metrics", "whatif", "trace", "memory", "interval", "time",
        ],
    ),
    (
        "session",
        &[
            "snapshot", "ingest", "classify", "metrics", "whatif", "timeline", "export", "trace",
            "memory", "interval", "time",
        ],
    ),
    (
        "ui",
        &[
            "session", "snapshot", "ingest", "classify", "metrics", "whatif", "timeline", "export",
            "trace", "memory", "interval", "time",
        ],
    ),
    (
        "app",
        &[
            "ui", "session", "load", "snapshot", "ingest", "classify", "metrics", "whatif",
            "timeline", "export", "trace", "memory", "interval", "time",
        ],
    ),
    (
        "cli",
        &[
            "snapshot", "ingest", "classify", "metrics", "whatif", "export", "trace", "memory",
            "interval", "time",
        ],
    ),
    ("main", &["cli", "app"]),
];

/// Crates that only some modules may name, and why.
const CRATES: [(&str, &[&str], &str); 6] = [
    (
        "egui",
        &["ui", "app"],
        "the core knows nothing of egui and is tested without it",
    ),
    (
        "eframe",
        &["ui", "app"],
        "the core knows nothing of egui and is tested without it",
    ),
    ("egui_plot", &["ui"], "plots are drawn by views"),
    (
        "rfd",
        &["app"],
        "dialogs are effects that app runs off the UI thread",
    ),
    ("clap", &["cli"], "arguments are the command line's own"),
    (
        "rayon",
        &["interval", "ingest", "trace", "metrics", "timeline"],
        "parallel work belongs to the core; views are serial and cheap",
    ),
];

/// Longest file that reads in one sitting, and those that may be longer, with the reason.
const MAX_LINES: usize = 400;
const LONGER: [(&str, &str); 0] = [];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// `(path below src, top-level module, text without comments)` of every source file.
fn files() -> Vec<(String, String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&src, &mut found);
    found
        .into_iter()
        .map(|path| {
            let below = path
                .strip_prefix(&src)
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/");
            let module = below
                .split('/')
                .next()
                .unwrap()
                .trim_end_matches(".rs")
                .to_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            let code: Vec<&str> = text
                .lines()
                .filter(|l| !l.trim_start().starts_with("//"))
                .collect();
            (below, module, code.join("\n"))
        })
        .collect()
}

/// Modules named behind `crate::`, also in groups such as `use crate::{time::Ns, trace};`.
fn used_modules(code: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for prefix in ["crate::", "overlane::"] {
        for (at, _) in code.match_indices(prefix) {
            let rest = &code[at + prefix.len()..];
            if let Some(group) = rest.strip_prefix('{') {
                let mut depth = 1_i32;
                let mut word = String::new();
                for c in group.chars() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        _ => {}
                    }
                    if depth == 1 && (c.is_alphanumeric() || c == '_') {
                        word.push(c);
                    } else if !word.is_empty() {
                        used.insert(std::mem::take(&mut word));
                    }
                    if depth == 0 {
                        break;
                    }
                }
            } else {
                used.insert(
                    rest.chars()
                        .take_while(|c| c.is_alphanumeric() || *c == '_')
                        .collect(),
                );
            }
        }
    }
    used
}

#[test]
fn modules_use_only_what_is_left_of_them() {
    for (path, module, code) in files() {
        if module == "lib" {
            continue;
        }
        let (_, allowed) = LAYERS
            .iter()
            .find(|(name, _)| *name == module)
            .unwrap_or_else(|| panic!("{path}: `{module}` is not in the module map"));
        for used in used_modules(&code) {
            let known = LAYERS.iter().any(|(name, _)| *name == used);
            assert!(
                !known || used == module || allowed.contains(&&*used),
                "{path}: `{module}` uses `{used}`; it may use only {allowed:?}"
            );
        }
    }
}

#[test]
fn crates_stay_where_they_belong() {
    for (path, module, code) in files() {
        for (name, homes, why) in CRATES {
            let named =
                code.contains(&format!("{name}::")) || code.contains(&format!("use {name};"));
            assert!(
                !named || homes.contains(&&*module),
                "{path}: names `{name}`, but {why}"
            );
        }
        let spawns = code.contains("thread::spawn") || code.contains("thread::Builder");
        // The command line loads on its own thread, so its progress line needs another.
        assert!(
            !spawns || module == "load" || path.starts_with("app/") || path == "cli/progress.rs",
            "{path}: starts a thread; only load.rs, the workers of app and cli/progress.rs may"
        );
        assert!(!code.contains("static mut"), "{path}: has a static mut");
    }
}

#[test]
fn only_the_theme_makes_colours() {
    for (path, _, code) in files() {
        let makes = [
            "Color32::from_",
            "Color32::WHITE",
            "Color32::BLACK",
            "Color32::RED",
            "Rgba::from",
        ]
        .iter()
        .any(|c| code.contains(c));
        assert!(
            !makes || path.starts_with("ui/theme"),
            "{path}: makes a colour; only ui/theme.rs may"
        );
    }
}

#[test]
fn files_read_in_one_sitting() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (path, ..) in files() {
        let lines = std::fs::read_to_string(src.join(&path))
            .unwrap()
            .lines()
            .count();
        let listed = LONGER.iter().any(|(name, _)| *name == path);
        assert!(
            lines <= MAX_LINES || listed,
            "{path}: {lines} lines; split it where a seam is natural"
        );
    }
}

#[test]
fn every_module_says_what_it_owns() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (path, ..) in files() {
        let text = std::fs::read_to_string(src.join(&path)).unwrap();
        assert!(
            text.starts_with("//! "),
            "{path}: does not begin with what it owns"
        );
    }
}
