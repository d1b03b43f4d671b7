//! The window: an eframe app that wires session, views, loads and workers together.
//!
//! It computes nothing. A frame drains what workers brought, draws the views, applies the actions
//! they returned and runs the effects that follow; nothing in it ever waits. [`run`] opens the
//! window; tests build an [`App`] with a picker and a loader of their own.

mod autosave;
mod complete;
mod effects;
mod frame_stats;
mod icon;
mod options;
pub mod picker;
mod picture;
mod settings_file;
mod setup;
mod worker;

pub use options::{AppError, AppOptions, Renderer, SampleSource};
pub use setup::Setup;

use crate::classify::Rules;
use crate::ingest::Cancel;
use crate::load::{LoadEnd, LoadJob, Loader};
use crate::session::{
    Action, Arrival, CompareAction, Effect, OpenForm, OpenWhat, Session, Settings, SnapshotAction,
    SnapshotArrival,
};
use crate::ui::theme::Theme;
use crate::ui::{self, Caches};
use egui::{Context, Ui, ViewportCommand};
use frame_stats::FrameStats;
use picker::FilePicker;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use worker::{Job, Watched, Workers};

/// How often the numbers of a running load are refreshed.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// The app of the window.
pub struct App {
    session: Session,
    theme: Theme,
    caches: Caches,
    job: Option<LoadJob>,
    /// The load of what the trace is compared with.
    other_job: Option<LoadJob>,
    workers: Workers,
    picker: Box<dyn FilePicker>,
    loader: Loader,
    sample: SampleSource,
    rules: Arc<Rules>,
    settings_path: Option<PathBuf>,
    title: String,
    /// The loads whose files are watched, of the trace and of the snapshot.
    watched: [u64; 2],
    frame_stats: Option<Arc<FrameStats>>,
    /// Stops the search that reads files.
    search: Cancel,
    /// Stops the snapshot that is being read.
    snapshot: Cancel,
    /// Ends reading of launch details, of the trace and of the one it is compared with.
    launches: [Cancel; 2],
    autosave: autosave::Autosave,
}

impl App {
    /// Builds the app and starts to load what was given.
    #[must_use]
    pub fn new(ctx: &Context, setup: Setup) -> Self {
        let (settings, notice) = match &setup.settings_path {
            Some(path) => settings_file::read(path),
            None => (Settings::default(), None),
        };
        let theme = Theme::of(settings.theme);
        theme.install(ctx);
        let wake = ctx.clone();
        let mut app = Self {
            session: Session::new(settings, Arc::clone(&setup.rules)),
            theme,
            caches: Caches::default(),
            job: None,
            other_job: None,
            workers: Workers::start(Arc::new(move || wake.request_repaint())),
            picker: setup.picker,
            loader: setup.loader,
            sample: setup.sample,
            rules: setup.rules,
            settings_path: setup.settings_path,
            title: String::new(),
            watched: [0, 0],
            frame_stats: None,
            search: Cancel::default(),
            snapshot: Cancel::default(),
            launches: Default::default(),
            autosave: autosave::Autosave::default(),
        };
        // The dialog says what the command line said, for the next time.
        let form = OpenForm::of(&setup.options);
        app.act(ctx, Action::EditOpenForm { form });
        let first = if setup.is_demo {
            Action::OpenWith {
                what: OpenWhat::Sample,
            }
        } else {
            Action::OpenPaths {
                paths: setup.paths,
                options: setup.options,
            }
        };
        app.act(ctx, first);
        if !setup.compare.is_empty() {
            app.act(ctx, Action::Compare(CompareAction::With(setup.compare)));
        }
        if let Some(notice) = notice {
            app.arrive(ctx, Arrival::Notice(notice));
        }
        app
    }

    /// The state of the program.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Applies one action at once, as a view's would be after the frame.
    pub fn act(&mut self, ctx: &Context, action: Action) {
        // What goes is kept as it was.
        if action == Action::Snapshot(SnapshotAction::Close) {
            self.keep_session_now();
        }
        let effects = self.session.apply(action);
        self.run_all(ctx, effects);
    }

    fn arrive(&mut self, ctx: &Context, arrival: Arrival) {
        let replaces = match &arrival {
            Arrival::Loaded { .. } => true,
            Arrival::Snapshot(arrival) => matches!(arrival, SnapshotArrival::Opened { .. }),
            _ => false,
        };
        if replaces {
            self.keep_session_now();
        }
        self.autosave.touch();
        let effects = self.session.arrive(arrival);
        self.run_all(ctx, effects);
    }

    fn run_all(&mut self, ctx: &Context, effects: Vec<Effect>) {
        for effect in effects {
            self.run(ctx, effect);
        }
    }

    /// Takes in what the load and the workers brought.
    fn drain(&mut self, ctx: &Context) {
        if let Some(arrival) = ended(&mut self.job) {
            self.arrive(ctx, arrival);
        }
        if let Some(arrival) = ended(&mut self.other_job) {
            self.arrive(ctx, Arrival::Other(Box::new(arrival)));
        }
        let arrivals: Vec<Arrival> = self.workers.drain().collect();
        for arrival in arrivals {
            self.arrive(ctx, arrival);
        }
        self.watch_files();
    }

    /// Tells the worker which files to look at, once a load.
    fn watch_files(&mut self) {
        let [of_trace, of_snapshot] = &mut self.watched;
        let session = &self.session;
        if let Some(trace) = session
            .trace
            .as_ref()
            .filter(|_| *of_trace != session.generation)
        {
            *of_trace = session.generation;
            self.workers
                .queue(Job::Watch(Watched::of(*of_trace, trace)));
        }
        let snapshot = &session.snapshot;
        if let Some(open) = snapshot
            .open
            .as_ref()
            .filter(|_| *of_snapshot != snapshot.generation)
        {
            *of_snapshot = snapshot.generation;
            self.workers
                .queue(Job::Watch(Watched::of_snapshot(*of_snapshot, open)));
        }
    }

    fn dropped_files(ctx: &Context) -> Option<Action> {
        let paths: Vec<PathBuf> = ctx.input(|i| {
            i.raw
                .dropped_files
                .iter()
                .map(|f| f.path().to_path_buf())
                .collect()
        });
        (!paths.is_empty()).then_some(Action::Open { paths })
    }

    fn show_title(&mut self, ctx: &Context) {
        let title = self.session.compared_name().map_or_else(
            || "overlane".to_owned(),
            |name| format!("overlane — {name}"),
        );
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    fn show_theme(&mut self, ctx: &Context) {
        // Whoever embeds the app, or the system, may have chosen another one meanwhile.
        if self.theme.choice != self.session.settings.theme || !self.theme.is_installed(ctx) {
            self.theme = Theme::of(self.session.settings.theme);
            self.theme.install(ctx);
            // Fonts are drawn anew for another ground, so laid out texts are of no use any more.
            self.caches = Caches::default();
            ctx.request_repaint();
        }
    }
}

/// What came of a load that is over.
fn ended(job: &mut Option<LoadJob>) -> Option<Arrival> {
    let (generation, end) = job
        .as_ref()
        .and_then(|j| Some((j.generation(), j.poll()?)))?;
    *job = None;
    Some(match end {
        LoadEnd::Loaded(trace, took) => Arrival::Loaded {
            generation,
            trace,
            took,
        },
        LoadEnd::Cancelled => Arrival::LoadCancelled { generation },
        LoadEnd::IsPickle => Arrival::Snapshot(SnapshotArrival::LoadIsPickle { generation }),
        LoadEnd::Failed(sentence) => Arrival::LoadFailed {
            generation,
            sentence,
        },
    })
}

impl eframe::App for App {
    fn logic(&mut self, ctx: &Context, frame: &mut eframe::Frame) {
        if let Some(stats) = &self.frame_stats {
            let is_paced = self.job.is_some() || self.other_job.is_some();
            stats.frame(Instant::now(), frame.info().cpu_usage, is_paced);
        }
        self.drain(ctx);
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        // Before the views, so that kernels are of the same window as all other figures.
        let mut effects = self.session.refresh_tables();
        effects.extend(self.session.refresh_search());
        effects.extend(self.session.refresh_snapshot());
        self.run_all(&ctx, effects);
        let mut actions = ui::screen(ui, &self.session, &self.theme, &mut self.caches);
        actions.extend(Self::dropped_files(&ctx));
        let changed = !actions.is_empty();
        for action in actions {
            self.act(&ctx, action);
        }
        self.note_session();
        if changed {
            self.autosave.touch();
        }
        self.autosave(&ctx);
        self.show_title(&ctx);
        self.show_theme(&ctx);
        if changed {
            ctx.request_repaint();
        }
        if self.job.is_some() || self.other_job.is_some() || self.session.snapshot.load.is_some() {
            ctx.request_repaint_after(PROGRESS_EVERY);
        }
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        self.keep_session_at_exit();
    }

    fn clear_color(&self, _visuals: &egui::Visuals) -> [f32; 4] {
        self.theme.canvas.to_normalized_gamma_f32()
    }
}

/// Opens the window and stays until it is closed.
///
/// # Errors
/// [`AppError`] where there is no display, the renderer cannot start, or the times of the frames
/// cannot be written.
pub fn run(options: AppOptions) -> Result<(), AppError> {
    let native = options.native()?;
    let stats = options
        .frame_stats
        .clone()
        .map(|path| (path, Arc::new(FrameStats::new(options.started))));
    let shared = stats.as_ref().map(|(_, stats)| Arc::clone(stats));
    let result = eframe::run_native(
        "overlane",
        native,
        Box::new(move |cc| {
            let mut app = App::new(&cc.egui_ctx, Setup::system(options));
            app.frame_stats = shared;
            Ok(Box::new(app))
        }),
    );
    result.map_err(|error| AppError::of(&error))?;
    match stats {
        Some((path, stats)) => stats.write(&path).map_err(|error| AppError::FrameStats {
            path,
            reason: error.to_string(),
        }),
        None => Ok(()),
    }
}
