//! Would a request fit: what is asked, the answer in words, and what is free and yet of no use.

use super::super::controls::{Figure, swatch, weak};
use super::super::icon::Icon;
use super::super::panels::csv_buttons;
use super::super::theme::{SMALL_GAP, Theme};
use super::words::{exact, mib, percent};
use crate::session::{Action, CsvPanel, FitForm, Fitted, Session, SnapshotAction, SnapshotTable};
use crate::snapshot::{Fit, PoolId, PoolSize};
use egui::{
    Align, Color32, ComboBox, Label, Layout, RichText, Role, ScrollArea, Slider, TextEdit, Ui,
    WidgetInfo, vec2,
};

/// Width of the column with what is asked and answered.
const COLUMN: f32 = 620.0;
/// Width of the words before a field.
const WORDS: f32 = 130.0;

/// Shows it.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    ScrollArea::vertical()
        .id_salt("would it fit")
        .auto_shrink([false, false])
        .show(ui, |ui| {
            ui.set_max_width(COLUMN.min(ui.available_width()));
            form(ui, session, theme, out);
            ui.add_space(SMALL_GAP);
            if let Some(fitted) = session.snapshot.fitted() {
                let faded = theme.faded();
                let is_current = session.snapshot.shown_moment().is_some_and(|(_, now)| now);
                let theme = if is_current { theme } else { &faded };
                answer(ui, theme, fitted, out);
                ui.add_space(SMALL_GAP);
                reasons(ui, theme, fitted);
            }
        });
}

fn send(out: &mut Vec<Action>, form: FitForm) {
    out.push(Action::Snapshot(SnapshotAction::Fit(form)));
}

fn form(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let form = &session.snapshot.fit;
    line(ui, theme, "Request", |ui| {
        let mut text = form.size.clone();
        let response = ui.add(TextEdit::singleline(&mut text).desired_width(110.0));
        name_field(&response, "Size of the request", &form.size);
        if response.changed() {
            send(
                out,
                FitForm {
                    size: text,
                    ..form.clone()
                },
            );
        }
        slider(ui, session, form, out);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let panel = CsvPanel::Snapshot(SnapshotTable::Fit);
            csv_buttons(ui, theme, "Would it fit?", panel, out);
        });
    });
    trouble(ui, theme, form.size_trouble.as_deref());
    line(ui, theme, "Stream and pool", |ui| {
        places(ui, session, form, out);
    });
    line(ui, theme, "Driver has free", |ui| {
        let told = session
            .snapshot
            .fitted()
            .filter(|f| f.driver_is_recorded)
            .and_then(|f| f.driver_free);
        let hint = told.map_or_else(|| "not known".to_owned(), mib);
        let mut text = form.driver.clone();
        let field = TextEdit::singleline(&mut text)
            .hint_text(hint)
            .desired_width(110.0);
        let response = ui.add(field);
        name_field(&response, "Free memory of the driver", &form.driver);
        if response.changed() {
            send(
                out,
                FitForm {
                    driver: text,
                    ..form.clone()
                },
            );
        }
        let (words, hover) = match (told, form.driver.is_empty()) {
            (_, false) => ("typed", ""),
            (Some(_), true) => (
                "told by the recording",
                "What the driver had when memory ran out, and what the allocator gave back or took since. Others may have taken or given back as well.",
            ),
            (None, true) => (
                "optional, such as 2 GiB",
                "A snapshot does not say what the driver has. nvidia-smi does, or torch.cuda.mem_get_info().",
            ),
        };
        ui.label(weak(theme, words).small()).on_hover_text(hover);
    });
    trouble(ui, theme, form.driver_trouble.as_deref());
}

fn line(ui: &mut Ui, theme: &Theme, words: &str, contents: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        let size = vec2(WORDS, 20.0);
        ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_width(WORDS);
            ui.label(weak(theme, words));
        });
        contents(ui);
    });
}

fn name_field(response: &egui::Response, name: &str, value: &str) {
    response.widget_info(|| WidgetInfo {
        label: Some(name.to_owned()),
        current_text_value: Some(value.to_owned()),
        ..WidgetInfo::new(Role::TextInput)
    });
}

fn trouble(ui: &mut Ui, theme: &Theme, trouble: Option<&str>) {
    if let Some(trouble) = trouble {
        let text = RichText::new(trouble).small().color(theme.error);
        ui.add(Label::new(text).wrap());
    }
}

/// From one block to more than everything that is reserved, by factors.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place on a slider"
)]
fn slider(ui: &mut Ui, session: &Session, form: &FitForm, out: &mut Vec<Action>) {
    let reserved = session
        .snapshot
        .shown_moment()
        .map_or(0, |(moment, _)| moment.row.totals.reserved);
    let most = (reserved as f64 * 1.5).max(1024.0 * 1024.0 * 1024.0);
    let mut bytes = form.bytes as f64;
    let most = most.max(bytes);
    ui.spacing_mut().slider_width = 220.0;
    let slider = Slider::new(&mut bytes, 512.0..=most)
        .show_value(false)
        .logarithmic(true);
    let response = ui.add(slider);
    let shown = mib(form.bytes);
    response.widget_info(|| {
        let mut info = WidgetInfo::slider(true, form.bytes as f64, "Size of the request, slider");
        info.current_text_value = Some(shown.clone());
        info
    });
    if response.changed() {
        send(
            out,
            FitForm {
                size: round(bytes as u64),
                ..form.clone()
            },
        );
    }
}

/// A size that a person would type: whole MiB from 1 MiB on, else whole units of 512 bytes.
fn round(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{} B", (bytes / 512).max(1) * 512),
        _ => format!("{} MiB", (bytes + (1 << 19)) >> 20),
    }
}

fn place_words((stream, pool): (i64, PoolId)) -> String {
    if pool.is_private() {
        format!("stream {stream}, private pool {}.{}", pool.0, pool.1)
    } else {
        format!("stream {stream}")
    }
}

fn places(ui: &mut Ui, session: &Session, form: &FitForm, out: &mut Vec<Action>) {
    let combo = ComboBox::from_id_salt("stream and pool")
        .selected_text(place_words(form.place))
        .width(240.0)
        .show_ui(ui, |ui| {
            for place in session.snapshot.places() {
                let chosen = place == form.place;
                if ui.selectable_label(chosen, place_words(place)).clicked() {
                    send(
                        out,
                        FitForm {
                            place,
                            ..form.clone()
                        },
                    );
                }
            }
        });
    combo.response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::ComboBox, true, "Stream and pool");
        info.current_text_value = Some(place_words(form.place));
        info
    });
}

/// The answer in words.
#[must_use]
fn words(fitted: &Fitted) -> String {
    let size = mib(fitted.request.bytes);
    match &fitted.fit {
        Fit::CachedBlock { address, .. } => {
            format!("Yes: a free block serves {size}, at {address:#x}.")
        }
        Fit::NewSegment { size: new, grows } => {
            let what = if *grows {
                format!("an expandable segment grows by {}", mib(*new))
            } else {
                format!("a new segment of {} is taken from the driver", mib(*new))
            };
            format!("Yes, but not from the cache: {what}.")
        }
        Fit::AfterReleasing {
            segments,
            bytes,
            size: new,
        } => format!(
            "After releasing: no cached block serves {size}. The allocator first gives back {} ({}), then takes {} from the driver.",
            super::super::controls::counted(
                *segments,
                "wholly free segment",
                "wholly free segments"
            ),
            mib(*bytes),
            mib(*new),
        ),
        Fit::No { short_by } => format!(
            "No: {size} does not fit. Even after all wholly free segments go back, {} are missing.",
            mib(*short_by)
        ),
        Fit::CannotTell {
            size: new,
            releasable,
        } => format!(
            "Cannot tell: no cached block serves {size}. It takes {} from the driver, and what the driver has is not known; {} can be given back first.",
            mib(*new),
            mib(*releasable),
        ),
    }
}

fn answer(ui: &mut Ui, theme: &Theme, fitted: &Fitted, out: &mut Vec<Action>) {
    let (icon, color) = match &fitted.fit {
        Fit::CachedBlock { .. } | Fit::NewSegment { .. } => (Icon::Check, theme.good),
        Fit::AfterReleasing { .. } | Fit::CannotTell { .. } => (Icon::Info, theme.warning),
        Fit::No { .. } => (Icon::Warning, theme.error),
    };
    ui.horizontal_top(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(18.0, 20.0), egui::Sense::hover());
        icon.paint(ui.painter(), rect, color);
        let text = RichText::new(words(fitted)).size(14.5).color(theme.text);
        ui.add(Label::new(text).wrap());
    });
    ui.horizontal(|ui| {
        if let Fit::CachedBlock { address, .. } = &fitted.fit
            && ui.link("Show the block").clicked()
        {
            out.push(Action::Snapshot(SnapshotAction::Show(*address)));
        }
        let pool = match fitted.pool.size {
            PoolSize::Small => "small pool (requests up to 1 MiB)",
            PoolSize::Large => "large pool",
        };
        let text = format!("Takes a block of {} from the {pool}.", mib(fitted.rounded));
        ui.label(weak(theme, text))
            .on_hover_text(exact(fitted.rounded));
    });
    let text = format!(
        "The largest request that free blocks of this stream and pool serve: {}.",
        mib(fitted.largest)
    );
    ui.add(Label::new(weak(theme, text)).wrap());
}

/// Free bytes by what keeps them from serving the request.
fn reasons(ui: &mut Ui, theme: &Theme, fitted: &Fitted) {
    let of = &fitted.fragmentation;
    let parts: [(&str, u64, Color32, &str); 7] = [
        (
            "Could serve it",
            of.serving,
            theme.good,
            "In blocks that could serve the request.",
        ),
        (
            "Too small",
            of.too_small,
            theme.exposed_comm,
            "In blocks of its own pool that are too small.",
        ),
        (
            "Kept whole",
            of.oversize,
            theme.overlap,
            "In blocks of its own pool that max_split_size_mb keeps for larger requests.",
        ),
        (
            "Pool of the other size",
            of.other_size,
            theme.computation,
            "The small pool serves requests up to 1 MiB, the large pool all others; neither helps the other.",
        ),
        (
            "Other stream",
            of.other_stream,
            theme.communication,
            "A free block serves only the stream that it was allocated on.",
        ),
        (
            "Other pool",
            of.other_pool,
            theme.memory,
            "In a private pool, such as that of a CUDA graph, or in the common one.",
        ),
        (
            "Awaiting free (not free)",
            of.awaiting_free,
            theme.annotation,
            "Given back, but another stream still uses it: not free, and not part of the sum.",
        ),
    ];
    ui.label(weak(
        theme,
        format!(
            "Of {} free bytes, {} cannot serve it",
            mib(of.free),
            mib(of.unusable())
        ),
    ));
    bar(ui, theme, &parts, of.free);
    for (word, bytes, color, hover) in parts {
        Figure {
            color: Some(color),
            indent: 0.0,
            word,
            value: mib(bytes),
            share: if word.starts_with("Awaiting") {
                String::new()
            } else {
                percent(bytes, of.free)
            },
            hover: format!("{}\n\n{hover}", exact(bytes)),
            strong: bytes > 0,
        }
        .show(ui, theme);
    }
}

/// The free bytes as one bar.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "widths on the screen"
)]
fn bar(ui: &mut Ui, theme: &Theme, parts: &[(&str, u64, Color32, &str)], free: u64) {
    let size = vec2(ui.available_width(), 14.0);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "Free bytes by reason"));
    ui.painter().rect_filled(rect, 3.0, theme.raised);
    let mut x = rect.left();
    for (_, bytes, color, _) in parts.iter().take(6) {
        let width = rect.width() * (*bytes as f64 / free.max(1) as f64) as f32;
        let part = egui::Rect::from_min_size(egui::pos2(x, rect.top()), vec2(width, rect.height()));
        ui.painter().rect_filled(part, 0.0, *color);
        x += width;
    }
}

/// A colour and what it means.
pub(super) fn key(ui: &mut Ui, color: Color32, words: &str) {
    swatch(ui, color);
    ui.label(RichText::new(words).size(11.5));
}
