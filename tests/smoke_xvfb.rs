//! The real binary on a virtual display: a window with the trace's name appears, is drawn and
//! closes cleanly. Without Xvfb and xdotool the test says "skipped".

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test stops at the first thing that is not as expected"
)]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Ends a process when the test is over, however it ends.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.0.kill();
        let _status = self.0.wait();
    }
}

fn is_there(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output();
    found.is_ok_and(|o| o.status.success())
}

/// A display of its own number, as text for `DISPLAY`.
fn display() -> (Ended, String) {
    let mut server = Command::new("Xvfb")
        .args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1280x800x24",
            "-nolisten",
            "tcp",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut number = String::new();
    let stdout = server.stdout.take().unwrap();
    let server = Ended(server);
    BufReader::new(stdout).read_line(&mut number).unwrap();
    (server, format!(":{}", number.trim()))
}

fn xdotool(display: &str, args: &[&str]) -> Output {
    Command::new("xdotool")
        .args(args)
        .env("DISPLAY", display)
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Asks again and again until there is an answer.
fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(
            begin.elapsed() < Duration::from_mins(1),
            "waited in vain: {what}"
        );
        sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_window_with_the_name_of_the_trace_appears_and_closes() {
    let missing = ["Xvfb", "openbox", "xdotool"]
        .into_iter()
        .find(|p| !is_there(p));
    if let Some(missing) = missing {
        eprintln!("skipped: {missing} is needed to see the real window");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let (_server, display) = display();
    // A window is asked to close by the manager of the display.
    let manager = Command::new("openbox")
        .env("DISPLAY", &display)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _manager = Ended(manager);
    let trace = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/sample_traces/serial_step.json"
    );
    let program = Command::new(env!("CARGO_BIN_EXE_overlane"))
        .arg(trace)
        .env("DISPLAY", &display)
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .env("XDG_RUNTIME_DIR", home.path())
        .env("OVERLANE_CONFIG_DIR", home.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut program = Ended(program);
    let id = wait_for("a window named after the trace", || {
        assert!(
            program.0.try_wait().unwrap().is_none(),
            "the program ended before its window was seen"
        );
        // A pattern with a dash that is not ASCII depends on the locale; the whole title is compared below.
        let found = xdotool(&display, &["search", "--name", "serial_step.json"]);
        text(&found).lines().next().map(str::to_owned)
    });
    assert_eq!(
        text(&xdotool(&display, &["getwindowname", &id])),
        "overlane — serial_step.json"
    );
    let size = text(&xdotool(&display, &["getwindowgeometry", "--shell", &id]));
    assert!(size.contains("WIDTH="), "{size}");
    // A few keys on the way: nothing of it may stop the program.
    for key in ["f", "w", "bracketright", "Escape"] {
        xdotool(&display, &["key", "--window", &id, key]);
    }
    sleep(Duration::from_millis(300));
    // The manager's own key for closing: it asks the window as a click on its cross would.
    let asked = xdotool(
        &display,
        &["windowactivate", "--sync", &id, "key", "alt+F4"],
    );
    assert!(
        asked.status.success(),
        "{}",
        String::from_utf8_lossy(&asked.stderr)
    );
    let status = wait_for("the program to end", || program.0.try_wait().unwrap());
    let mut said = String::new();
    let stderr = program.0.stderr.take().unwrap();
    std::io::Read::read_to_string(&mut BufReader::new(stderr), &mut said).unwrap();
    assert!(status.success(), "{status}: {said}");
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn without_a_display_one_sentence_points_to_the_report() {
    let home = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_overlane"))
            .args(args)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .env("HOME", home.path())
            .env("OVERLANE_CONFIG_DIR", home.path())
            .output()
            .unwrap()
    };
    if !cfg!(target_os = "linux") {
        eprintln!("skipped: only X11 and Wayland tell a missing display through the environment");
        return;
    }
    let plain = run(&[]);
    let said = String::from_utf8_lossy(&plain.stderr).into_owned();
    assert_eq!(plain.status.code(), Some(2), "{said}");
    assert!(said.contains("overlane report"), "{said}");
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    let demo = run(&["--demo"]);
    assert_eq!(
        demo.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&demo.stderr)
    );
    assert!(!demo.stdout.is_empty());
}
