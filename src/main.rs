//! Arguments to `cli` or to the window; nothing else.

use overlane::cli::{self, Start, WindowRequest};
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::start() {
        Start::Exit(status) => status,
        Start::Window(request) => match open_window(&request) {
            Ok(()) => ExitCode::SUCCESS,
            Err(NoWindow(reason)) => cli::without_display(&request, &reason),
        },
    }
}

/// Why no window could be opened.
struct NoWindow(String);

/// The seam to `overlane::app`: it is to take the request's paths, rules and renderer, and to say
/// when there is no display.
fn open_window(_request: &WindowRequest) -> Result<(), NoWindow> {
    Err(NoWindow("no display is available".to_owned()))
}
