//! A second opinion on real traces: a slow, plain reading of the file and a brute-force count of
//! time segments. It shares nothing with the program but the kernel classification.

use flate2::read::MultiGzDecoder;
use overlane::classify::Rules;
use overlane::trace::class::{GpuKind, KernelClass};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::io::Read as _;
use std::path::Path;

type Fields = HashMap<String, Box<RawValue>>;

/// GPU work as the oracle read it, in absolute ns.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub stream: i64,
    pub start: i128,
    pub end: i128,
    pub class: KernelClass,
    pub name: String,
    pub correlation: Option<String>,
    /// All args of a kernel that states a `Collective name`, as text.
    pub call: HashMap<String, String>,
}

/// One file.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub devices: BTreeMap<i64, Vec<Kernel>>,
    /// First start and last end over all slices.
    pub capture: Option<(i128, i128)>,
    /// `ProfilerStep#N` of the host: number, start, end.
    pub steps: Vec<(i64, i128, i128)>,
    /// Start of the first launch call by correlation id.
    pub launches: HashMap<String, i128>,
    pub events: usize,
}

/// Decimal microseconds to ns by text: integer digits, then three fraction digits, the fourth
/// decides. Exponents do not occur in the files this reads.
fn ns(raw: &str) -> Option<i128> {
    let text = raw.trim_matches('"').trim();
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |t| (-1, t));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = fraction.chars().chain("0000".chars()).take(4).collect();
    let tenths: i128 = format!("{whole}{digits}").parse().ok()?;
    Some(sign * ((tenths + 5) / 10))
}

fn word(raw: &RawValue) -> String {
    serde_json::from_str::<String>(raw.get()).unwrap_or_else(|_| raw.get().to_owned())
}

fn int(raw: Option<&RawValue>) -> Option<i64> {
    word(raw?).trim().parse().ok()
}

/// Reads a whole Chrome trace, gzip or plain; `None` where it is no such file.
pub(crate) fn read(path: &Path, rules: &Rules) -> Option<File> {
    let mut bytes = std::fs::read(path).ok()?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let packed = std::mem::take(&mut bytes);
        MultiGzDecoder::new(packed.as_slice())
            .read_to_end(&mut bytes)
            .ok()?;
    }
    let (events, base): (Vec<Box<RawValue>>, i128) = if bytes.first() == Some(&b'[') {
        (serde_json::from_slice(&bytes).ok()?, 0)
    } else {
        let mut top: Fields = serde_json::from_slice(&bytes).ok()?;
        let events = serde_json::from_str(top.remove("traceEvents")?.get()).ok()?;
        let base = top
            .get("baseTimeNanoseconds")
            .and_then(|b| b.get().parse().ok());
        (events, base.unwrap_or(0))
    };
    let mut file = File {
        events: events.len(),
        ..File::default()
    };
    for event in &events {
        if let Ok(fields) = serde_json::from_str::<Fields>(event.get()) {
            add(&mut file, &fields, base, rules);
        }
    }
    file.steps.sort_by_key(|s| s.1);
    Some(file)
}

fn add(file: &mut File, event: &Fields, base: i128, rules: &Rules) {
    let text = |key: &str| event.get(key).map(|v| word(v)).unwrap_or_default();
    if text("ph") != "X" {
        return;
    }
    let times = event
        .get("ts")
        .and_then(|t| ns(t.get()))
        .zip(event.get("dur").and_then(|d| ns(d.get())));
    let Some((start, dur)) = times.map(|(s, d)| (s + base, d)) else {
        return;
    };
    let end = start + dur;
    let (first, last) = file.capture.unwrap_or((start, end));
    file.capture = Some((first.min(start), last.max(end)));
    let args: Fields = event
        .get("args")
        .and_then(|a| serde_json::from_str(a.get()).ok())
        .unwrap_or_default();
    let (name, cat) = (text("name"), text("cat"));
    let correlation = args.get("correlation").map(|c| word(c));
    let kind = match &*cat {
        "kernel" | "Kernel" | "concurrent_kernel" | "mtia_ccp_events" => GpuKind::Kernel,
        "gpu_memcpy" | "Memcpy" => GpuKind::Memcpy,
        "gpu_memset" | "Memset" => GpuKind::Memset,
        _ => {
            if cat.to_lowercase().contains("runtime") || cat.contains("driver") {
                if let Some(c) = correlation {
                    let at = file.launches.entry(c).or_insert(start);
                    *at = (*at).min(start);
                }
            } else if (cat == "user_annotation" || cat == "cpu_op" || cat == "Operator")
                && let Some(number) = name
                    .strip_prefix("ProfilerStep#")
                    .and_then(|n| n.parse().ok())
            {
                file.steps.push((number, start, end));
            }
            return;
        }
    };
    let stream = int(args.get("stream").map(|v| &**v)).or_else(|| {
        let tid = text("tid");
        tid.trim_start_matches("stream").trim().parse().ok()
    });
    let Some(stream) = stream.filter(|s| *s >= 0) else {
        return;
    };
    let device = int(args.get("device").map(|v| &**v))
        .or_else(|| int(event.get("pid").map(|v| &**v)))
        .unwrap_or(0);
    let states_call = args.contains_key("Collective name");
    let class = rules.classify(kind, &name, states_call).class;
    let call = args.iter().filter(|_| states_call);
    let call = call.map(|(k, v)| (k.clone(), word(v))).collect();
    file.devices.entry(device).or_default().push(Kernel {
        stream,
        start,
        end,
        class,
        name,
        correlation,
        call,
    });
}

/// Figures of a window in ns, by counting segments between neighbouring edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    pub kernels: u64,
    pub window: i128,
    pub run: i128,
    pub idle: i128,
    pub compute: i128,
    pub non_compute: i128,
    pub comp: i128,
    pub comm: i128,
    pub memory: i128,
    pub overlap: i128,
    pub compute_only: i128,
    pub exposed_comm: i128,
    pub exposed_memory: i128,
    pub sum: i128,
}

/// Counts one window `[from, to)`. `last_end` is the last end of the device.
pub(crate) fn count<'a>(
    kernels: impl Iterator<Item = &'a Kernel>,
    from: i128,
    to: i128,
    last_end: i128,
) -> Figures {
    let mut out = Figures {
        window: to - from,
        ..Figures::default()
    };
    // (time, class, +1 or -1)
    let mut edges: Vec<(i128, usize, i32)> = Vec::new();
    for k in kernels {
        let (start, end) = (k.start.max(from), k.end.min(to));
        if k.start == k.end {
            let inside = from <= k.start && (k.start < to || (k.start == to && to == last_end));
            out.kernels += u64::from(inside);
        } else if start < end {
            out.kernels += 1;
            out.sum += end - start;
            edges.push((start, k.class as usize, 1));
            edges.push((end, k.class as usize, -1));
        }
    }
    edges.sort_unstable();
    let mut active = [0_i32; 3];
    let mut at = from;
    for (time, class, change) in edges {
        segment(&mut out, time - at, active);
        at = time;
        active[class] += change;
    }
    segment(&mut out, to - at, active);
    out
}

fn segment(out: &mut Figures, length: i128, active: [i32; 3]) {
    let [c, m, y] = active.map(|n| n > 0);
    let mut add = |yes: bool, field: fn(&mut Figures) -> &mut i128| {
        if yes {
            *field(out) += length;
        }
    };
    add(c || m || y, |f| &mut f.run);
    add(!(c || m || y), |f| &mut f.idle);
    add(c, |f| &mut f.compute);
    add(!c && (m || y), |f| &mut f.non_compute);
    add(c, |f| &mut f.comp);
    add(m, |f| &mut f.comm);
    add(y, |f| &mut f.memory);
    add(c && m, |f| &mut f.overlap);
    add(c && !m, |f| &mut f.compute_only);
    add(m && !c, |f| &mut f.exposed_comm);
    add(y && !c && !m, |f| &mut f.exposed_memory);
}

/// Kernels of one name in a window: the count, the sum inside, the whole lengths in order.
pub(crate) type ByName<'a> = BTreeMap<&'a str, (i128, Vec<i128>)>;

/// Puts the kernels of a window together by name.
pub(crate) fn by_name(kernels: &[Kernel], from: i128, to: i128, last_end: i128) -> ByName<'_> {
    let mut out = ByName::new();
    for k in kernels {
        let one = count(std::iter::once(k), from, to, last_end);
        if one.kernels == 1 {
            let group = out.entry(k.name.as_str()).or_default();
            group.0 += one.sum;
            group.1.push(k.end - k.start);
        }
    }
    for group in out.values_mut() {
        group.1.sort_unstable();
    }
    out
}

/// Device steps by the definition, as (number or `None` for before, start, end, launched).
pub(crate) fn device_steps(file: &File, kernels: &[Kernel]) -> Vec<(Option<i64>, i128, i128, u64)> {
    let launch = |k: &Kernel| {
        k.correlation
            .as_ref()
            .and_then(|c| file.launches.get(c))
            .copied()
    };
    let first = kernels.iter().map(|k| k.start).min().unwrap_or(0);
    let last = kernels.iter().map(|k| k.end).max().unwrap_or(0);
    let mut found: Vec<(i128, i64, u64)> = Vec::new();
    for &(number, start, end) in &file.steps {
        let mine: Vec<&Kernel> = kernels
            .iter()
            .filter(|k| launch(k).is_some_and(|t| start <= t && t < end))
            .collect();
        let compute = mine
            .iter()
            .filter(|k| k.class == KernelClass::Computation)
            .map(|k| k.start)
            .min();
        if let Some(boundary) = compute.or_else(|| mine.iter().map(|k| k.start).min()) {
            found.push((boundary, number, mine.len() as u64));
        }
    }
    let mut rows = Vec::new();
    let before = file.steps.first().map_or(0, |first_step| {
        kernels
            .iter()
            .filter(|k| launch(k).is_some_and(|t| t < first_step.1))
            .count() as u64
    });
    if let Some(&(boundary, ..)) = found.first()
        && (boundary > first || before > 0)
    {
        rows.push((None, first, boundary, before));
    }
    for (i, &(start, number, launched)) in found.iter().enumerate() {
        let end = found.get(i + 1).map_or(last, |next| next.0);
        rows.push((Some(number), start, end, launched));
    }
    rows
}
