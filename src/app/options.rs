//! What the window is started with, and why it could not be.

use crate::classify::Rules;
use crate::ingest::LoadOptions;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Lays the bundled sample out on disk and says where, or why not. May block.
pub type SampleSource = Arc<dyn Fn() -> Result<Vec<PathBuf>, String> + Send + Sync>;

/// What the window is started with.
#[derive(Clone)]
pub struct AppOptions {
    /// Files and folders to open at the start.
    pub paths: Vec<PathBuf>,
    /// What to compare it with; nothing where this is empty.
    pub compare: Vec<PathBuf>,
    /// Whether the sample is to be opened instead.
    pub is_demo: bool,
    /// What of it is loaded.
    pub options: LoadOptions,
    /// The bundled sample.
    pub sample: SampleSource,
    /// How kernels are classified.
    pub rules: Arc<Rules>,
    /// What draws.
    pub renderer: Renderer,
    /// Where the times of the frames are written at the end.
    pub frame_stats: Option<PathBuf>,
    /// When the program started.
    pub started: Instant,
}

/// What draws the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Renderer {
    /// OpenGL; by far the faster one where the CPU draws.
    #[default]
    Glow,
    /// Vulkan, Metal or Direct3D; only in builds with the feature `wgpu`.
    Wgpu,
}

/// Why there is no window.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppError {
    /// Nothing to show a window on.
    #[error("no display is available")]
    NoDisplay,
    /// The build has only one renderer.
    #[error(
        "this build has no wgpu renderer; build it with `cargo build --release --features wgpu`, or leave --renderer out"
    )]
    NoWgpu,
    /// The display is there but cannot be drawn on.
    #[error("the window could not be opened: {0}")]
    Renderer(String),
    /// The window was closed, but the times of its frames are lost.
    #[error("{}: the times of the frames cannot be written: {reason}", path.display())]
    FrameStats {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
}

impl AppError {
    pub(super) fn of(error: &eframe::Error) -> Self {
        match error {
            eframe::Error::WinitEventLoop(_) => Self::NoDisplay,
            other => Self::Renderer(other.to_string()),
        }
    }
}

impl AppOptions {
    /// The options of eframe.
    pub(super) fn native(&self) -> Result<eframe::NativeOptions, AppError> {
        if !has_display(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty())) {
            return Err(AppError::NoDisplay);
        }
        let viewport = egui::ViewportBuilder::default()
            .with_title("overlane")
            .with_app_id("overlane")
            .with_inner_size([1440.0, 900.0])
            .with_min_inner_size([720.0, 420.0])
            .with_drag_and_drop(true)
            .with_icon(super::icon::icon());
        Ok(eframe::NativeOptions {
            viewport,
            renderer: self.renderer.eframe()?,
            // The same pixels everywhere, and less for a software rasteriser to do.
            dithering: false,
            multisampling: 0,
            ..eframe::NativeOptions::default()
        })
    }
}

impl Renderer {
    #[cfg(feature = "wgpu")]
    #[expect(clippy::unnecessary_wraps, reason = "the build without wgpu can fail")]
    fn eframe(self) -> Result<eframe::Renderer, AppError> {
        Ok(match self {
            Self::Glow => eframe::Renderer::Glow,
            Self::Wgpu => eframe::Renderer::Wgpu,
        })
    }

    #[cfg(not(feature = "wgpu"))]
    fn eframe(self) -> Result<eframe::Renderer, AppError> {
        match self {
            Self::Glow => Ok(eframe::Renderer::Glow),
            Self::Wgpu => Err(AppError::NoWgpu),
        }
    }
}

/// Whether a window can be asked for at all. Only X11 and Wayland tell through the environment.
fn has_display(is_set: impl Fn(&str) -> bool) -> bool {
    if cfg!(any(target_os = "macos", target_os = "windows")) {
        return true;
    }
    ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"]
        .into_iter()
        .any(is_set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_display_is_told_by_the_environment() {
        assert!(has_display(|name| name == "DISPLAY"));
        assert!(has_display(|name| name == "WAYLAND_DISPLAY"));
        assert!(!has_display(|_| false));
    }

    #[test]
    fn a_missing_renderer_says_how_to_get_it() {
        assert!(AppError::NoWgpu.to_string().contains("--features wgpu"));
    }
}
