//! [`MemoryLimit`]: how much memory a load may take, and what the system has left.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How much memory a load may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryLimit {
    /// What the system has left when the load begins; no limit where it does not tell.
    #[default]
    System,
    /// So many bytes.
    Bytes(u64),
    /// Whatever it takes.
    None,
}

/// Why a text is no memory limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no amount of memory; write a number with a unit, like 4GiB or 500MB, or none")]
pub struct MemoryError(String);

/// Names of units and their bytes; the longer ones first, since some end like others.
const UNITS: [(&str, u64); 9] = [
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("b", 1),
];

impl MemoryLimit {
    /// The limit in bytes at this moment; `None` where there is none.
    #[must_use]
    pub fn bytes(self) -> Option<u64> {
        match self {
            Self::System => available(),
            Self::Bytes(bytes) => Some(bytes),
            Self::None => None,
        }
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System => f.write_str("what is available"),
            Self::Bytes(bytes) => write!(f, "{bytes}B"),
            Self::None => f.write_str("none"),
        }
    }
}

impl FromStr for MemoryLimit {
    type Err = MemoryError;

    fn from_str(text: &str) -> Result<Self, MemoryError> {
        let wrong = || MemoryError(text.to_owned());
        let lower = text.trim().to_ascii_lowercase();
        if lower == "none" {
            return Ok(Self::None);
        }
        let unit = UNITS.iter().find(|(name, _)| lower.ends_with(name));
        let (name, unit) = unit.ok_or_else(wrong)?;
        let number = lower.strip_suffix(name).unwrap_or_default().trim();
        let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
        // Three decimals are a thousandth of a unit, which is finer than anybody needs.
        if part.is_empty() || part.len() > 3 || whole.is_empty() {
            return Err(wrong());
        }
        let digits = |text: &str| {
            let plain = text.bytes().all(|b| b.is_ascii_digit());
            text.parse::<u64>().ok().filter(|_| plain)
        };
        let whole = digits(whole).ok_or_else(wrong)?;
        let thousandths = digits(&format!("{part:0<3}")).ok_or_else(wrong)?;
        whole
            .checked_mul(*unit)
            .and_then(|bytes| bytes.checked_add(unit / 1_000 * thousandths))
            .map(Self::Bytes)
            .ok_or_else(wrong)
    }
}

/// Memory that can be taken without swapping, as far as the system tells: on Linux what the kernel
/// counts as available, or what the control groups of this process leave, whichever is least.
fn available() -> Option<u64> {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let machine = read(Path::new("/proc/meminfo")).and_then(|text| of_meminfo(&text));
    let own = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let groups = own.lines().flat_map(group_folders).filter_map(|folder| {
        let [limit, used] = if folder.starts_with(V1) {
            ["memory.limit_in_bytes", "memory.usage_in_bytes"]
        } else {
            ["memory.max", "memory.current"]
        };
        let used = read(&folder.join(used))?;
        let stat = read(&folder.join("memory.stat")).unwrap_or_default();
        of_group(&read(&folder.join(limit))?, &used, &stat)
    });
    machine.into_iter().chain(groups).min()
}

const V1: &str = "/sys/fs/cgroup/memory";
const V2: &str = "/sys/fs/cgroup";

/// The folders of the control group that a line of `/proc/self/cgroup` names, and of those around
/// it, whose limits count as well.
fn group_folders(line: &str) -> Vec<PathBuf> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
        return Vec::new();
    };
    let root = match controllers {
        "" => V2,
        list if list.split(',').any(|c| c == "memory") => V1,
        _ => return Vec::new(),
    };
    let path = Path::new(path.trim_start_matches('/'));
    path.ancestors().map(|p| Path::new(root).join(p)).collect()
}

/// `MemAvailable` of a `meminfo` file, in bytes.
fn of_meminfo(text: &str) -> Option<u64> {
    field(text, "MemAvailable:")?.checked_mul(1 << 10)
}

/// What a control group has left, in bytes; `max` and other words mean that it has no limit. Cached
/// files that were not used lately give way, so they do not count as used.
fn of_group(limit: &str, used: &str, stat: &str) -> Option<u64> {
    let limit: u64 = limit.trim().parse().ok()?;
    let used: u64 = used.trim().parse().ok()?;
    let cached = field(stat, "total_inactive_file").or_else(|| field(stat, "inactive_file"));
    Some(limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
}

/// The number behind a word at the start of a line.
fn field(text: &str, word: &str) -> Option<u64> {
    let mut lines = text.lines().map(str::split_ascii_whitespace);
    let mut fields = lines.find_map(|mut f| (f.next() == Some(word)).then_some(f))?;
    fields.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_understood() {
        for (text, limit) in [
            ("none", MemoryLimit::None),
            ("4GiB", MemoryLimit::Bytes(4 << 30)),
            ("1.5 GB", MemoryLimit::Bytes(1_500_000_000)),
            ("500mb", MemoryLimit::Bytes(500_000_000)),
            ("0.25kib", MemoryLimit::Bytes(250)),
            ("12B", MemoryLimit::Bytes(12)),
        ] {
            assert_eq!(text.parse(), Ok(limit), "{text}");
        }
        for text in ["", "4", "GiB", "4.GiB", "x4GiB", "-1GB", "99999999999999TB"] {
            assert!(text.parse::<MemoryLimit>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_the_system_says_is_read() {
        let text = "MemTotal:  24000000 kB\nMemFree: 1 kB\nMemAvailable:   2000 kB\n";
        assert_eq!(of_meminfo(text), Some(2_048_000));
        assert_eq!(of_meminfo("MemTotal: 1 kB"), None);
        let stat = "anon 1\ninactive_file 150\n";
        assert_eq!(of_group("1000\n", "400\n", ""), Some(600));
        assert_eq!(of_group("1000\n", "400\n", stat), Some(750));
        assert_eq!(of_group("1000", "4000", ""), Some(0));
        assert_eq!(of_group("max\n", "400\n", stat), None);
        assert_eq!(
            group_folders("0::/user.slice/a"),
            [
                "/sys/fs/cgroup/user.slice/a",
                "/sys/fs/cgroup/user.slice",
                "/sys/fs/cgroup/"
            ]
            .map(PathBuf::from)
        );
        assert_eq!(
            group_folders("5:cpu,memory:/"),
            [PathBuf::from("/sys/fs/cgroup/memory/")]
        );
        assert!(group_folders("3:cpuset:/x").is_empty());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_system_tells() {
        assert!(MemoryLimit::System.bytes().is_some_and(|b| b > 0));
    }
}
