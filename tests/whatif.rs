//! `overlane whatif` from the outside: the examples of the README, the formats, and what is refused.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use std::path::Path;
use support::kineto::{Run, csv, program};

fn whatif(home: &Path, args: &[&str]) -> Run {
    // Examples name files as they lie in the project.
    program(home)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .arg("whatif")
        .args(args)
        .output()
        .expect("the program starts")
        .into()
}

/// The rows of an answer, without its header, of the named columns.
fn figures(text: &str, columns: &[&str]) -> Vec<String> {
    let lines = csv(text);
    let at: Vec<usize> = columns
        .iter()
        .map(|c| lines[0].iter().position(|head| head == c).unwrap())
        .collect();
    let row = |line: &Vec<String>| at.iter().map(|&i| &*line[i]).collect::<Vec<_>>().join(" ");
    lines[1..].iter().map(row).collect()
}

/// An example, columns of its answer, and what stands there.
type Example = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const EXAMPLES: [Example; 11] = [
    (
        "streams --computation 40ms --communication 30ms",
        &["case", "total_us", "exposed_us", "speed_up", "source"],
        &[
            "serial 70000.000 30000.000 1.0000 modelled",
            "synchronised 70000.000 30000.000 1.0000 modelled",
            "overlapped 40000.000 0.000 1.7500 modelled",
        ],
    ),
    (
        "buckets --backward 100ms --size 500MB --ranks 8 --alpha 5us --bus-bandwidth 60GB/s --bucket-size 1MB,25MB,100MB",
        &[
            "case",
            "bucket_size_bytes",
            "buckets",
            "exposed_us",
            "source",
        ],
        &[
            "size 1000000 500 34.167 modelled",
            "size 25000000 20 734.167 modelled",
            "size 100000000 5 2921.667 modelled",
            "best 79245 6310 6.263 modelled",
            "largest 158113883 4 753.369 modelled",
            "flat_from 50000 10000 6.458 modelled",
            "flat_to 39716412 13 687.589 modelled",
        ],
    ),
    (
        "buckets --backward 22ms --parameters 6MB,1MB,8MB,1MB,5MB,1MB --bucket-size 10MB --timeline --ranks 8 --alpha 5us --bus-bandwidth 60GB/s",
        &[
            "case",
            "bucket_size_bytes",
            "ready_us",
            "start_us",
            "finish_us",
        ],
        &[
            "bucket 15000000 15000.000 15000.000 15442.500",
            "bucket 7000000 22000.000 22000.000 22209.167",
        ],
    ),
    (
        "buckets --backward 100ms --size 500MB --ranks 8 --samples docs/all_reduce_times.csv --bucket-size 25MiB --measured-exposed 1.2ms",
        &["case", "bucket_size_bytes", "exposed_us", "source"],
        &[
            "size 26214400 255.340 modelled",
            "measured  1200.000 measured",
            "best 94182 13.777 modelled",
            "largest 236575629 600.326 modelled",
            "flat_from 66676 815.510 modelled",
            "flat_to 47203044 624.887 modelled",
        ],
    ),
    (
        "chunks --gemm 20ms --comm 16ms --chunks 1,2,4,8",
        &["case", "chunks", "total_us"],
        &[
            "chunks 1 36000.000",
            "chunks 2 28000.000",
            "chunks 4 24000.000",
            "chunks 8 22000.000",
            "best 64 20250.000",
        ],
    ),
    (
        "chunks --gemm 20ms --comm 16ms --chunks 4 --ring",
        &["case", "chunks", "total_us", "exposed_us"],
        &["chunks 4 21000.000 1000.000", "best 5 20000.000 0.000"],
    ),
    (
        "prefetch --gather 4ms --compute 3ms --layers 32 --depth 1,2 --layer-size 400MB --ranks 8",
        &[
            "case",
            "depth",
            "exposed_us",
            "longest_wait_us",
            "extra_memory_bytes",
        ],
        &[
            "serial 0 128000.000  ",
            // The first gather, and 31 times 1 ms, whatever the depth.
            "depth 1 35000.000 1000.000 350000000",
            "depth 2 35000.000 1000.000 700000000",
            "rule_of_thumb 2 35000.000 1000.000 700000000",
        ],
    ),
    (
        "prefetch --sequence 1ms:4ms,1ms:4ms,7ms:4ms,1ms:4ms --depth 1,2",
        &["case", "depth", "exposed_us"],
        &[
            "serial 0 10000.000",
            "depth 1 4000.000",
            "depth 2 1000.000",
            "rule_of_thumb 1 4000.000",
        ],
    ),
    (
        "contention --computation 50ms --communication 40ms --k-comp 1.45 --k-comm 1.4",
        &["case", "k_comp", "k_comm", "total_us", "saved_us"],
        &[
            "serial   90000.000 0.000",
            "ideal 1.0000 1.0000 50000.000 40000.000",
            "phases 1.4500 1.4000 67379.310 22620.690",
            "bound 1.4500 1.4000 72500.000 17500.000",
            "break_even_k_comp 3.5000 1.4000  ",
            "break_even_k_comm 1.4500 3.2222  ",
        ],
    ),
    (
        "contention --computation 50ms --communication 40ms --gamma 100FLOP/byte --intensity 50FLOP/byte --comm-memory-bandwidth 300GB/s --peak-memory-bandwidth 3TB/s --k-comm 1.1",
        &["case", "k_comp", "total_us"],
        &[
            "serial  90000.000",
            "ideal 1.0000 50000.000",
            "phases 1.2000 57333.333",
            "bound 1.2000 60000.000",
            "break_even_k_comp 11.0000 ",
            "break_even_k_comm 1.2000 ",
        ],
    ),
    (
        "fit --samples docs/all_reduce_times.csv --ranks 8",
        &[
            "samples",
            "sizes",
            "alpha_us",
            "bus_bandwidth_gb_per_s",
            "worst_error_percent",
            "source",
        ],
        &["15 5 11.981 79.860 0.2251 modelled"],
    ),
];

#[test]
fn the_examples_of_the_readme_say_what_they_say() {
    let readme = include_str!("../README.md");
    let section = readme.split_once("\n### What if\n").unwrap().1;
    let section = section.split_once("\n## ").unwrap().0;
    let there: Vec<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("overlane whatif "))
        // Those of traces stand for the user's own; see below for the samples.
        .filter(|line| !line.contains("--from"))
        .collect();
    let tested: Vec<&str> = EXAMPLES.iter().map(|(line, ..)| *line).collect();
    assert_eq!(there, tested);
    let home = tempfile::tempdir().unwrap();
    for (line, columns, rows) in EXAMPLES {
        let mut args: Vec<&str> = line.split(' ').collect();
        let text = whatif(home.path(), &args);
        assert_eq!((text.status, &*text.stderr), (0, ""), "{line}");
        assert!(text.stdout.contains("assumes: ") && !text.stdout.contains("NaN"));
        args.extend(["--format", "csv"]);
        let got = whatif(home.path(), &args);
        assert_eq!(figures(&got.stdout, columns), rows, "{line}");
        // Every column and every flag is in the README.
        for column in &csv(&got.stdout)[0] {
            assert!(section.contains(column.as_str()), "{column}");
        }
        args.retain(|arg| *arg != "--timeline");
        args.push("--sweep");
        let sweep = whatif(home.path(), &args);
        assert_eq!(sweep.status, 0, "{line}: {}", sweep.stderr);
        assert!(csv(&sweep.stdout).len() > 9, "{line}");
        assert_eq!(csv(&sweep.stdout)[0], csv(&got.stdout)[0]);
        // Every figure has a source.
        assert!(
            figures(&sweep.stdout, &["source"])
                .iter()
                .all(|s| ["measured", "modelled"].contains(&s.as_str()))
        );
    }
}

#[test]
fn every_flag_is_in_the_readme() {
    let readme = include_str!("../README.md");
    let home = tempfile::tempdir().unwrap();
    for model in [
        "streams",
        "buckets",
        "chunks",
        "prefetch",
        "contention",
        "fit",
    ] {
        let help = whatif(home.path(), &[model, "--help"]);
        assert_eq!(help.status, 0);
        let flags = help.stdout.lines().filter_map(|line| {
            let flag = line.trim_start().strip_prefix("--")?;
            Some(flag.split([' ', '[']).next()?.to_owned())
        });
        let own: Vec<String> = flags.collect();
        assert!(own.iter().any(|flag| flag == "sweep"));
        // Those that every command has.
        for flag in own
            .iter()
            .filter(|f| !["renderer", "rules"].contains(&f.as_str()))
        {
            assert!(readme.contains(&format!("`--{flag}")), "{model} --{flag}");
        }
    }
}

#[test]
fn json_is_one_document_with_sources() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("answer.json");
    let got = whatif(
        home.path(),
        &[
            "buckets",
            "--backward",
            "100ms",
            "--size",
            "500MB",
            "--ranks",
            "8",
            "--samples",
            "docs/all_reduce_times.csv",
            "--bucket-size",
            "25MB",
            "--format",
            "json",
            "--out",
            out.to_str().unwrap(),
        ],
    );
    assert_eq!((got.status, &*got.stdout), (0, ""), "{}", got.stderr);
    let text = std::fs::read_to_string(&out).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["schema"], "overlane.whatif/1");
    assert_eq!(json["model"], "buckets");
    let source = |name: &str| {
        let inputs = json["inputs"].as_array().unwrap();
        inputs.iter().find(|i| i["input"] == name).unwrap()["source"].clone()
    };
    assert_eq!(source("backward_us"), "typed");
    assert_eq!(source("alpha_us"), "modelled");
    assert_eq!(json["rows"][0]["bucket_size_bytes"], 25_000_000);
    assert!(text.contains("\"value\": 100000.000"), "digits are kept");
    assert!(json["rows"][0]["ready_us"].is_null());
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn tables_are_read_by_the_names_of_their_columns() {
    let home = tempfile::tempdir().unwrap();
    let fit = |text: &str| {
        let path = write(home.path(), "samples.csv", text);
        whatif(
            home.path(),
            &["fit", "--samples", &path, "--ranks", "2", "--format", "csv"],
        )
    };
    // As a report of collectives has them; a row without a transfer time says nothing.
    let got = fit(
        "kind,group,bytes,transfer_us\nall-reduce,0,1000000,11.000\nall-reduce,0,,\n\
         all-reduce,0,2000000,21.000\nall-reduce,0,8000000,81.000\n",
    );
    assert_eq!(
        figures(&got.stdout, &["alpha_us", "bus_bandwidth_gb_per_s"]),
        ["1.000 100.000"],
        "{}",
        got.stderr
    );
    assert!(got.stderr.contains("1 of 4 rows"));
    let with_units = fit("size,time\n1MB,11us\n2MB,21us\n8MB,0.081ms\n");
    assert!(
        with_units.stdout.contains("100.000"),
        "{}",
        with_units.stderr
    );
    for (text, part) in [
        ("size,time\n1MB,11us\n2MB,21us\n", "too few"),
        ("size,time\n1MB,11us\n2MB,21us\n4MB,41us\n", "factor of 8"),
        (
            "size,time\n1MB,11us\n2MB,21us\n8MB,500us\n",
            "negative alpha",
        ),
        ("size,time\n1MB,11us\n2MB,11us\n8MB,11us\n", "do not grow"),
        ("size,time\n1MB,11\n", "line 2: '11' has no unit"),
        ("a,b\n1,2\n", "has no column size_bytes"),
        ("size,time\n1MB\n", "cannot be read as CSV"),
        (
            "kind,size,time\na,1MB,1us\nb,2MB,2us\n",
            "more than one kind",
        ),
        ("size_bytes,time_us\n1e5,3\n", "line 2"),
    ] {
        let got = fit(text);
        assert_eq!((got.status, got.stderr.lines().count()), (2, 1), "{text}");
        assert!(got.stderr.contains(part), "{}", got.stderr);
    }
}

#[test]
fn buckets_and_layers_come_from_tables_too() {
    let home = tempfile::tempdir().unwrap();
    let ready = write(
        home.path(),
        "ready.csv",
        "ready_us,size_bytes\n10000,60000000\n100000,6000000\n",
    );
    let got = whatif(
        home.path(),
        &[
            "buckets",
            "--backward",
            "100ms",
            "--ready",
            &ready,
            "--ranks",
            "8",
            "--alpha",
            "5us",
            "--bus-bandwidth",
            "60GB/s",
            "--measured-exposed",
            "200us",
            "--format",
            "csv",
        ],
    );
    assert_eq!(
        figures(&got.stdout, &["case", "buckets", "exposed_us", "source"]),
        ["ready 2 180.000 modelled", "measured  200.000 measured"],
        "{}",
        got.stderr
    );
    let layers = write(
        home.path(),
        "layers.csv",
        "gather,compute,reduce_scatter\n2ms,3ms,2ms\n2ms,3ms,2ms\n2ms,3ms,2ms\n",
    );
    let backward = [
        "prefetch",
        "--layer-times",
        &layers,
        "--pass",
        "backward",
        "--depth",
        "1",
        "--format",
        "csv",
    ];
    let got = whatif(home.path(), &backward);
    assert_eq!(
        figures(&got.stdout, &["total_us"])[1],
        "13000.000",
        "{}",
        got.stderr
    );
    let shared = whatif(home.path(), &[&backward[..], &["--shared-stream"]].concat());
    assert_eq!(
        figures(&shared.stdout, &["total_us", "tail_us"])[1],
        "14000.000 2000.000"
    );
    // An input is never overwritten.
    let over = whatif(home.path(), &[&backward[..], &["--out", &layers]].concat());
    assert_eq!(over.status, 2);
    assert!(
        std::fs::read_to_string(&layers)
            .unwrap()
            .starts_with("gather")
    );
}

/// A command that is refused, and a part of the sentence.
const REFUSED: &[(&str, &str)] = &[
    ("", "requires a subcommand"),
    (
        "streams --computation 40 --communication 30ms",
        "'40' has no unit; write it with ns, us, ms or s, like 40ms",
    ),
    (
        "streams --computation 0ms --communication 30ms",
        "greater than zero",
    ),
    (
        "streams --computation=-4ms --communication 30ms",
        "out of range",
    ),
    (
        "streams --computation 9223372036854775807ns --communication 1ns",
        "beyond what can be told",
    ),
    (
        "buckets --backward 100ms --size 500 --ranks 8 --alpha 5us --bus-bandwidth 60GB/s",
        "'500' has no unit",
    ),
    (
        "buckets --backward 100ms --size 500MB --ranks 8 --alpha 5us --bus-bandwidth 60",
        "'60' has no unit",
    ),
    (
        "buckets --backward 100ms --size 500MB --ranks 8 --alpha 5us --bus-bandwidth 480Gb/s",
        "is no bandwidth",
    ),
    (
        "buckets --backward 100ms --size 500MB --ranks 1 --alpha 5us --bus-bandwidth 60GB/s",
        "at least 2 ranks",
    ),
    (
        "buckets --backward 100ms --size 500MB --ranks 8 --alpha 5us --bus-bandwidth 60GB/s --bucket-size 1B",
        "more than 1000000",
    ),
    (
        "buckets --backward 100ms --size 500MB --ranks 8 --alpha 5us --bus-bandwidth 60GB/s --timeline",
        "one size",
    ),
    (
        "buckets --backward 100ms --size 500MB --ranks 8",
        "required",
    ),
    (
        "chunks --gemm 20ms --comm 16ms --chunks 0",
        "greater than zero",
    ),
    ("chunks --gemm 20ms --comm 16ms --alpha 17ms", "longer than"),
    (
        "prefetch --gather 4ms --compute 3ms --layers 0",
        "nothing in",
    ),
    (
        "prefetch --gather 4ms --compute 3ms --layers 4294967295",
        "more than 1000000",
    ),
    ("prefetch --sequence 4ms", "'4ms' is no layer"),
    ("prefetch --sequence 4ms:3", "'3' has no unit"),
    ("prefetch --sequence 4ms:3ms:2ms", "--pass backward"),
    ("prefetch --sequence 4ms:3ms --depth 0", "greater than zero"),
    (
        "contention --computation 50ms --communication 40ms --k-comp 0.5 --k-comm 1",
        "between 1 and 1000",
    ),
    (
        "contention --computation 50ms --communication 40ms --k-comp NaN --k-comm 1",
        "between 1 and 1000",
    ),
    (
        "contention --computation 50ms --communication 40ms --gamma 1FLOP/byte --k-comm 1",
        "required",
    ),
    ("fit --samples nowhere.csv --ranks 8", "nowhere.csv"),
];

#[test]
fn what_cannot_be_is_one_sentence() {
    let home = tempfile::tempdir().unwrap();
    for (line, part) in REFUSED {
        let args: Vec<&str> = line.split(' ').filter(|arg| !arg.is_empty()).collect();
        let got = whatif(home.path(), &args);
        assert_eq!(
            (got.status, got.stderr.lines().count(), &*got.stdout),
            (2, 1, ""),
            "{line}: {}",
            got.stderr
        );
        assert!(got.stderr.contains(part), "{line}: {}", got.stderr);
    }
}

/// The schedule of `sample_traces/bucketed_ddp`, step 12, on both ranks: backward [1270, 3730), four
/// buckets, 400 exposed.
#[test]
fn inputs_come_from_a_trace_and_what_is_typed_wins() {
    let home = tempfile::tempdir().unwrap();
    let ask = |args: &str| {
        let args: Vec<&str> = args.split_whitespace().collect();
        whatif(home.path(), &args)
    };
    let buckets = "buckets --from sample_traces/bucketed_ddp --step 12 --alpha 5us";
    for rank in ["", " --rank 1"] {
        let run = ask(&format!(
            "{buckets} --bus-bandwidth 41.943GB/s --format json{rank}"
        ));
        assert_eq!(run.status, 0, "{}", run.stderr);
        for input in [
            r#""input":"backward_us","value":2460.000,"source":"measured""#,
            r#""input":"size_bytes","value":75540480,"source":"measured""#,
            r#""input":"ranks","value":2,"source":"measured""#,
            r#""input":"alpha_us","value":5.000,"source":"typed""#,
        ] {
            let text: String = run.stdout.split_whitespace().collect();
            assert!(text.contains(input), "{input}: {text}");
        }
        assert!(
            run.stderr
                .contains("first to last of 30 computation kernels"),
            "{}",
            run.stderr
        );
    }
    let run = ask(&format!(
        "{buckets} --bus-bandwidth 41.943GB/s --format csv"
    ));
    let rows = figures(&run.stdout, &["case", "buckets", "exposed_us", "source"]);
    assert!(
        rows.contains(&"ready 4 405.000 modelled".to_owned()),
        "{rows:?}"
    );
    assert!(
        rows.contains(&"measured  400.000 measured".to_owned()),
        "{rows:?}"
    );
    // Without a fit the link has to be typed; the sentence says why.
    let run = ask(buckets);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("span less than a factor of 8")
            && run.stderr.contains("--bus-bandwidth"),
        "{}",
        run.stderr
    );
    let typed = format!("{buckets} --bus-bandwidth 50GB/s --backward 3ms --format csv");
    let rows = figures(&ask(&typed).stdout, &["case"]);
    assert!(!rows.contains(&"ready".to_owned()), "{rows:?}");
    let run = ask("streams --from sample_traces/bucketed_ddp --step 99");
    assert_eq!(run.status, 2);
}

/// The factors of the verdict that `sample_traces/README.md` works out by hand.
#[test]
fn factors_of_contention_come_from_the_verdict() {
    let home = tempfile::tempdir().unwrap();
    let ask = |args: &str| {
        let args: Vec<&str> = args.split_whitespace().collect();
        whatif(home.path(), &args)
    };
    let factors = |args: &str| {
        let run = ask(&format!("contention {args} --format json"));
        assert_eq!(run.status, 0, "{}", run.stderr);
        let text: String = run.stdout.split_whitespace().collect();
        let part = |name: &str| {
            let (_, rest) = text.split_once(&format!(r#""input":"{name}","#)).unwrap();
            rest.split('}').next().unwrap().to_owned()
        };
        [part("k_comp"), part("k_comm")]
    };
    let pays = "--from sample_traces/overlap_pays --baseline sample_traces/overlap_pays_serial";
    let measured = r#""value":1.4000,"source":"measured""#;
    assert_eq!(factors(pays), [measured; 2]);
    let typed = r#""value":1.2000,"source":"typed""#;
    assert_eq!(factors(&format!("{pays} --k-comm 1.2")), [measured, typed]);
    // No slowing is not taken for granted where nothing ran alone; the sentence says why.
    let run = ask("contention --from sample_traces/prefetch_fsdp.json --step 1");
    assert_eq!(run.status, 2);
    let why = "k_comp is not measured: less than half of the time beside can be compared";
    assert!(
        run.stderr.contains(why) && run.stderr.contains("type --k-comp"),
        "{}",
        run.stderr
    );
    // A baseline is of no use where nothing is measured, and what is written is none of the traces.
    let typed = "contention --computation 1ms --communication 1ms --k-comp 1 --k-comm 1";
    assert_eq!(ask(&format!("{typed} --baseline x.json")).status, 2);
}
