//! Running effects: each starts something and returns at once.

use super::App;
use super::autosave::SessionJob;
use super::worker::Job;
use crate::ingest::{LoadRequest, Progress};
use crate::load::LoadJob;
use crate::session::{Arrival, Effect, KeptAs, SnapshotArrival, SnapshotEffect, TraceHandle};
use egui::Context;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl App {
    pub(super) fn run(&mut self, ctx: &Context, effect: Effect) {
        match effect {
            Effect::StartLoad {
                generation,
                paths,
                options,
            } => {
                let request = LoadRequest {
                    paths,
                    rules: Arc::clone(&self.rules),
                    options,
                };
                self.start_load(ctx, generation, request);
            }
            Effect::RecallSession { generation, paths } => {
                self.recall_session(ctx, KeptAs::Trace(generation), &paths);
            }
            Effect::CancelLoad => self.job = None,
            Effect::Snapshot(effect) => self.run_for_snapshot(ctx, effect),
            Effect::Other(effect) => self.run_for_other(ctx, *effect),
            Effect::ReadLaunches { generation, trace } => {
                self.read_launches(generation, trace, false);
            }
            Effect::JudgeOverlap(task) => self.workers.judge_overlap(task, false),
            Effect::AlignKernels { a, b, key } => self.workers.align_kernels(a, b, key),
            Effect::PickOpen { what } => {
                let dialog = self.picker.open(what, self.folder().as_deref());
                self.workers
                    .await_dialog(dialog, move |outcome| Arrival::Picked { what, outcome });
            }
            Effect::PickSave {
                suggested,
                contents,
            } => {
                let dialog = self.picker.save(&suggested, self.folder().as_deref());
                self.workers
                    .await_dialog(dialog, move |outcome| Arrival::PickedSave {
                        suggested,
                        contents,
                        outcome,
                    });
            }
            Effect::FindSample => self
                .workers
                .queue(Job::FindSample(Arc::clone(&self.sample))),
            Effect::WriteFile {
                path,
                contents,
                replace,
            } => self.workers.queue(Job::Write {
                path,
                contents,
                replace,
                inputs: self.session.inputs(),
            }),
            Effect::SavePicture { area, suggested } => self.save_picture(ctx, area, &suggested),
            Effect::CopyText(text) => ctx.copy_text(text),
            Effect::SaveSettings => {
                if let Some(path) = &self.settings_path {
                    let json = self.session.settings.to_json();
                    self.workers.queue(Job::SaveSettings(path.clone(), json));
                }
            }
            Effect::SearchArgs { trace, key, names } => {
                self.stop_search();
                let cancel = self.search.clone();
                self.workers.search_args(trace.0, key, names, cancel);
            }
            Effect::StopSearch => self.stop_search(),
            other => self.look_up(other),
        }
    }

    /// What is to be done for the snapshot.
    fn run_for_snapshot(&mut self, ctx: &Context, effect: SnapshotEffect) {
        match effect {
            SnapshotEffect::Cancel => std::mem::take(&mut self.snapshot).cancel(),
            SnapshotEffect::Recall { generation, path } => {
                self.recall_session(ctx, KeptAs::Snapshot(generation), &[path]);
            }
            SnapshotEffect::Measure { snapshot, question } => {
                self.workers.ask_snapshot(snapshot, question);
            }
            SnapshotEffect::Open { generation, path } => {
                std::mem::take(&mut self.snapshot).cancel();
                let progress = Progress::default();
                let started = SnapshotArrival::Started {
                    generation,
                    progress: progress.clone(),
                };
                self.arrive(ctx, Arrival::Snapshot(started));
                let cancel = self.snapshot.clone();
                self.workers
                    .open_snapshot(generation, path, progress, cancel);
            }
        }
    }

    /// Effects that only ask the worker for something.
    fn look_up(&self, effect: Effect) {
        if let Some(job) = job_of(effect) {
            self.workers.queue(job);
        }
    }

    /// The same for what the trace is compared with.
    fn run_for_other(&mut self, ctx: &Context, effect: Effect) {
        match effect {
            Effect::StartLoad {
                generation,
                paths,
                options,
            } => {
                let request = LoadRequest {
                    paths,
                    rules: Arc::clone(&self.rules),
                    options,
                };
                let (job, started) = self.load_job(ctx, generation, request);
                self.other_job = Some(job);
                self.arrive(ctx, Arrival::Other(Box::new(started)));
            }
            Effect::CancelLoad => self.other_job = None,
            Effect::ReadLaunches { generation, trace } => {
                self.read_launches(generation, trace, true);
            }
            Effect::JudgeOverlap(task) => self.workers.judge_overlap(task, true),
            other => {
                if let Some(job) = job_of(other) {
                    self.workers.queue(Job::Other(Box::new(job)));
                }
            }
        }
    }

    /// Reads launch details, and stops whoever still reads them for an older load of the same side.
    fn read_launches(&mut self, generation: u64, trace: TraceHandle, is_other: bool) {
        let [first, second] = &mut self.launches;
        let slot = if is_other { second } else { first };
        std::mem::take(slot).cancel();
        let cancel = slot.clone();
        self.workers
            .read_launches(generation, trace, cancel, is_other);
    }

    /// Stops reading files for a search; what it still answers is dropped by its key.
    fn stop_search(&mut self) {
        std::mem::take(&mut self.search).cancel();
    }

    /// Dropping the running job cancels it; its result would be dropped by its number anyway.
    fn start_load(&mut self, ctx: &Context, generation: u64, request: LoadRequest) {
        self.stop_search();
        let (job, started) = self.load_job(ctx, generation, request);
        self.job = Some(job);
        self.arrive(ctx, started);
    }

    /// A load that runs, and what tells that it began.
    fn load_job(&self, ctx: &Context, generation: u64, request: LoadRequest) -> (LoadJob, Arrival) {
        let wake = ctx.clone();
        let job = LoadJob::start(generation, request, Arc::clone(&self.loader), move || {
            wake.request_repaint();
        });
        let progress = job.progress().clone();
        let started = Arrival::LoadStarted {
            generation,
            progress,
        };
        (job, started)
    }

    /// The folder that dialogs start in: that of the trace, else of what was opened last.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        let recent = || self.session.settings.recent.first()?.first();
        let path = self.session.sources.first().or_else(recent)?;
        path.parent().filter(|p| p.is_dir()).map(Path::to_path_buf)
    }
}

/// What the worker is to do, for effects that only ask it for something.
fn job_of(effect: Effect) -> Option<Job> {
    Some(match effect {
        Effect::ReadEvent { trace, slice } => Job::ReadEvent(trace.0, slice),
        Effect::PackStreams {
            generation,
            trace,
            rank,
            device,
        } => Job::PackStreams(generation, trace.0, rank, device),
        Effect::FindHits { trace, key } => Job::FindHits(trace.0, key),
        Effect::OpenSession { path } => Job::Session(SessionJob::Open(path)),
        Effect::CompletePath { text } => Job::Complete(text),
        Effect::Measure { trace, question } => Job::Measure(trace.0, question),
        Effect::FindKernel {
            trace,
            key,
            group,
            after,
        } => Job::FindKernel(trace.0, key, group, after),
        _ => return None,
    })
}
