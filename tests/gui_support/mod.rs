//! What the tests of the window share: an app with a picker that answers from the test, and a
//! trace whose figures can be worked out by hand.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "every test file uses its own part of it and stops at the first thing that is not as expected"
)]

use egui_kittest::Harness;
use overlane::app::picker::{FilePicker, PickFuture};
use overlane::app::{App, Setup};
use overlane::classify::Rules;
use overlane::ingest::LoadOptions;
use overlane::load::{Loader, ingest_loader};
use overlane::session::PickWhat;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Answers of a picker, given by the test.
#[derive(Clone, Default)]
pub struct Answers {
    pub open: Arc<Mutex<Option<Vec<PathBuf>>>>,
    pub save: Arc<Mutex<Option<Vec<PathBuf>>>>,
}

struct FakePicker(Answers);

impl FilePicker for FakePicker {
    fn open(&self, _: PickWhat, _: Option<&Path>) -> PickFuture {
        Box::pin(std::future::ready(self.0.open.lock().unwrap().clone()))
    }

    fn save(&self, _: &str, _: Option<&Path>) -> PickFuture {
        Box::pin(std::future::ready(self.0.save.lock().unwrap().clone()))
    }
}

/// A window in a test.
pub struct Window {
    pub harness: Harness<'static, App>,
    pub answers: Answers,
    pub dir: tempfile::TempDir,
}

/// What a test starts with.
pub struct Start {
    pub paths: Vec<PathBuf>,
    /// What they are compared with.
    pub compare: Vec<PathBuf>,
    pub sample: Result<Vec<PathBuf>, String>,
    pub loader: Loader,
    pub size: [f32; 2],
    /// The folder of the settings, where another window had it before.
    pub config: Option<PathBuf>,
    /// Text of a settings file.
    pub settings: Option<String>,
    /// What of the paths is loaded.
    pub options: LoadOptions,
}

impl Default for Start {
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            compare: Vec::new(),
            sample: Err("the sample is not here".to_owned()),
            loader: ingest_loader(),
            size: [1280.0, 800.0],
            config: None,
            settings: None,
            options: LoadOptions::default(),
        }
    }
}

impl Start {
    pub fn open(self) -> Window {
        let dir = tempfile::tempdir().unwrap();
        let folder = self.config.as_deref().unwrap_or(dir.path());
        let settings_path = folder.join("settings.json");
        if let Some(text) = &self.settings {
            std::fs::write(&settings_path, text).unwrap();
        }
        let answers = Answers::default();
        let picker = FakePicker(answers.clone());
        let harness = Harness::builder()
            .with_size(self.size)
            .build_eframe(move |cc| {
                App::new(
                    &cc.egui_ctx,
                    Setup {
                        paths: self.paths,
                        compare: self.compare,
                        is_demo: false,
                        options: self.options,
                        sample: Arc::new(move || self.sample.clone()),
                        rules: Arc::new(Rules::builtin()),
                        picker: Box::new(picker),
                        loader: self.loader,
                        settings_path: Some(settings_path),
                    },
                )
            });
        let mut window = Window {
            harness,
            answers,
            dir,
        };
        window.settle();
        window
    }
}

impl Window {
    /// A few frames.
    pub fn settle(&mut self) {
        self.harness.run_steps(4);
    }

    /// Frames until something holds; what workers bring takes a moment.
    pub fn until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        while !holds(self) {
            assert!(
                begin.elapsed() < Duration::from_secs(20),
                "waited in vain: {what}"
            );
            std::thread::sleep(Duration::from_millis(5));
            self.harness.step();
        }
        self.settle();
    }

    pub fn until_loaded(&mut self) {
        self.until("the trace is loaded", |w| {
            w.harness.state().session().trace.is_some()
        });
    }

    /// Writes a picture for people to look at, where the environment names a folder.
    pub fn picture(&mut self, name: &str) {
        if let Some(folder) = std::env::var_os("OVERLANE_PICTURES") {
            let mut image = self.harness.render().unwrap();
            // The window clears to the canvas's colour; the test renderer to nothing.
            let theme =
                overlane::ui::theme::Theme::of(self.harness.state().session().settings.theme);
            let ground = theme.canvas.to_array();
            for pixel in image.pixels_mut() {
                let rest = 255 - u32::from(pixel.0[3]);
                for (value, ground) in pixel.0.iter_mut().zip(ground) {
                    let sum = u32::from(*value) + u32::from(ground) * rest / 255;
                    *value = u8::try_from(sum.min(255)).unwrap();
                }
                pixel.0[3] = 255;
            }
            std::fs::create_dir_all(&folder).unwrap();
            image
                .save(Path::new(&folder).join(format!("{name}.png")))
                .unwrap();
        }
    }
}

/// One rank, one GPU. In µs from the first kernel:
///
/// ```text
///              0        100       200       300       400       500
/// stream 7     [0 gemm 100]   [150 gemm 250]  [300 gemm 400][420 gemm 450]
/// stream 20         [80 reduce 120]   [240 gather 320]          [440 reduce 500]
/// stream 7                                                 [405 copy 415]
/// steps        |--------- 0 ---------| |---------- 1 ----------------------|
/// ```
pub const SAMPLE: &str = r#"{"schemaVersion":1,"distributedInfo":{"rank":0,"world_size":2},
"deviceProperties":[{"id":0,"name":"Test GPU"}],
"traceEvents":[
{"ph":"M","name":"process_name","pid":77,"tid":0,"args":{"name":"python"}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":77,"tid":1,"ts":1000,"dur":230},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":77,"tid":1,"ts":1230,"dur":260},
{"ph":"X","cat":"user_annotation","name":"forward pass","pid":77,"tid":1,"ts":1005,"dur":200},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":77,"tid":1,"ts":1010,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":77,"tid":1,"ts":1020,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":77,"tid":1,"ts":1030,"dur":5,"args":{"correlation":3}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":77,"tid":1,"ts":1240,"dur":5,"args":{"correlation":4}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":77,"tid":1,"ts":1250,"dur":5,"args":{"correlation":5}},
{"ph":"X","cat":"cuda_runtime","name":"cudaMemcpyAsync","pid":77,"tid":1,"ts":1260,"dur":5,"args":{"correlation":6}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":77,"tid":1,"ts":1270,"dur":5,"args":{"correlation":7}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":77,"tid":1,"ts":1280,"dur":5,"args":{"correlation":8}},
{"ph":"X","cat":"kernel","name":"ampere_sgemm_128x64_tn","pid":0,"tid":7,"ts":1100,"dur":100,"args":{"device":0,"stream":7,"correlation":1,"grid":[8,4,1]}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","pid":0,"tid":20,"ts":1180,"dur":40,"args":{"device":0,"stream":20,"correlation":2,"Collective name":"allreduce"}},
{"ph":"X","cat":"kernel","name":"ampere_sgemm_128x64_tn","pid":0,"tid":7,"ts":1250,"dur":100,"args":{"device":0,"stream":7,"correlation":3}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllGather_RING_LL","pid":0,"tid":20,"ts":1340,"dur":80,"args":{"device":0,"stream":20,"correlation":4}},
{"ph":"X","cat":"kernel","name":"ampere_sgemm_128x64_tn","pid":0,"tid":7,"ts":1400,"dur":100,"args":{"device":0,"stream":7,"correlation":5}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":7,"ts":1505,"dur":10,"args":{"device":0,"stream":7,"correlation":6,"bytes":4096}},
{"ph":"X","cat":"kernel","name":"ampere_sgemm_128x64_tn","pid":0,"tid":7,"ts":1520,"dur":30,"args":{"device":0,"stream":7,"correlation":7}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","pid":0,"tid":20,"ts":1540,"dur":60,"args":{"device":0,"stream":20,"correlation":8}}
]}"#;

/// Puts the sample into a folder.
pub fn sample_in(folder: &Path) -> PathBuf {
    let path = folder.join("sample_rank0.json");
    std::fs::write(&path, SAMPLE).unwrap();
    path
}
