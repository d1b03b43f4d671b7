//! Arguments to `cli` or to the window; nothing else.

use overlane::app::{self, AppError, AppOptions};
use overlane::cli::{self, Start, WindowRequest};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

fn main() -> ExitCode {
    let started = Instant::now();
    match cli::start() {
        Start::Exit(status) => status,
        Start::Window(request) => match open_window(&request, started) {
            Ok(()) => ExitCode::SUCCESS,
            Err(AppError::FrameStats { path, reason }) => cli::without_frame_stats(&path, reason),
            Err(error) => cli::without_display(&request, &error.to_string()),
        },
    }
}

fn open_window(request: &WindowRequest, started: Instant) -> Result<(), AppError> {
    app::run(AppOptions {
        paths: request.paths.clone(),
        compare: request.compare.clone(),
        is_demo: request.demo,
        options: request.options.clone(),
        sample: Arc::new(|| cli::sample_paths().map_err(|e| e.to_string())),
        rules: Arc::clone(&request.rules),
        renderer: match request.renderer {
            Some(cli::Renderer::Wgpu) => app::Renderer::Wgpu,
            Some(cli::Renderer::Glow) | None => app::Renderer::Glow,
        },
        frame_stats: request.frame_stats.clone(),
        started,
    })
}
