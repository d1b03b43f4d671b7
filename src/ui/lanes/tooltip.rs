//! What is under the pointer, in words.

use super::Frame;
use super::labels::short_name;
use super::{memory, snapshot};
use crate::time::{Window, human_duration};
use crate::timeline::{Derived, LaneKey, spans};
use crate::trace::{Slice, SliceRef};
use crate::ui::controls::byte_size;
use egui::{Grid, Pos2, Response, RichText, Ui};

/// Shows the tooltip of a slice, or of the stretch of a derived lane.
pub(super) fn show(response: &Response, frame: &Frame<'_>, at: Pos2, slice: Option<SliceRef>) {
    if let Some((slice, found)) = slice.and_then(|r| Some((frame.trace.slice(r)?, r))) {
        response
            .clone()
            .on_hover_ui_at_pointer(|ui| slice_words(ui, frame, &slice, found));
    } else if let Some((kind, window)) = stretch_at(frame, at) {
        response.clone().on_hover_ui_at_pointer(|ui| {
            ui.label(RichText::new(kind.label()).strong());
            Grid::new("stretch")
                .num_columns(2)
                .show(ui, |ui| times(ui, frame, window));
        });
    } else if let Some(words) = snapshot::words(frame, at) {
        response.clone().on_hover_text_at_pointer(words);
    } else {
        memory::tooltip(response, frame, at);
    }
}

/// The derived lane under a point and the stretch in which it holds there.
pub(super) fn stretch_at(frame: &Frame<'_>, at: Pos2) -> Option<(Derived, Window)> {
    let (lane, _) = frame.lane_at(at.y)?;
    let LaneKey::Derived(rank, device, kind) = lane.key else {
        return None;
    };
    let device = frame.trace.rank(rank)?.device(device)?;
    let clip = frame.session.settings.clip_suspicious;
    let activity = device.activity(clip);
    let time = frame.view.time_at(frame.px(at.x));
    let window = spans::around(activity, device.extent(clip), time, |mask| {
        spans::holds(kind, mask)
    })?;
    Some((kind, window))
}

fn slice_words(ui: &mut Ui, frame: &Frame<'_>, slice: &Slice<'_>, at: SliceRef) {
    let name = frame.trace.names.get(slice.name());
    ui.label(
        RichText::new(if slice.class().is_some() {
            short_name(name)
        } else {
            name
        })
        .strong(),
    );
    Grid::new("slice").num_columns(2).show(ui, |ui| {
        let what = match slice.class() {
            Some(class) => class.label(),
            None => slice.category().label(),
        };
        line(ui, "Class", what);
        times(ui, frame, slice.window());
        line(ui, "Where", &place(frame, at));
        if let Some(words) = memory_beside(frame, slice, at) {
            line(ui, "Memory", &words);
        }
        let rank = frame.trace.rank(at.rank);
        if let Some(found) = rank.and_then(|r| r.suspicious.iter().find(|s| s.slice == at.slice)) {
            let text = format!(
                "runs over later kernels of its stream by {}",
                human_duration(found.at_stake)
            );
            line(ui, "Suspicious", &text);
        }
    });
    if short_name(name) != name && slice.class().is_some() {
        ui.label(RichText::new(name).small().weak());
    }
}

/// What the allocator snapshot says of the start of GPU work, where both share one axis.
fn memory_beside(frame: &Frame<'_>, slice: &Slice<'_>, at: SliceRef) -> Option<String> {
    slice.class()?;
    let rank = frame.trace.rank(at.rank)?;
    let (device, _) = rank.stream_of(at.slice)?;
    let bytes = frame
        .session
        .requested_beside(rank.id, device.id, slice.start())?;
    let lane = frame.session.lanes.snapshot.as_ref();
    let doubt = lane.filter(|lane| !lane.is_sure());
    let doubt = doubt.map_or("", |_| ", if the snapshot is of this rank");
    Some(format!(
        "{} allocated at its start (requested bytes){doubt}",
        byte_size(bytes.into())
    ))
}

fn times(ui: &mut Ui, frame: &Frame<'_>, window: Window) {
    let origin = frame.trace.origin().unwrap_or_default();
    let both = |dur| format!("{}  ({} µs)", human_duration(dur), dur.us3());
    line(ui, "Duration", &both(window.len()));
    line(ui, "Start", &both(window.start() - origin));
}

fn place(frame: &Frame<'_>, at: SliceRef) -> String {
    let Some(rank) = frame.trace.rank(at.rank) else {
        return String::new();
    };
    if let Some((device, stream)) = rank.stream_of(at.slice) {
        return format!(
            "rank {}, GPU {}, stream {}",
            rank.id.0, device.id.0, stream.id.0
        );
    }
    match rank.thread_of(at.slice) {
        Some(thread) => format!(
            "rank {}, thread {}",
            rank.id.0,
            thread.name.as_deref().unwrap_or(&thread.tid)
        ),
        None => format!("rank {}", rank.id.0),
    }
}

fn line(ui: &mut Ui, label: &str, value: &str) {
    ui.spacing_mut().interact_size.y = 16.0;
    ui.weak(label);
    ui.label(value);
    ui.end_row();
}
