//! The lane of an allocator snapshot: the times that memory ran out, the moment that is looked at, the
//! values under the pointer. Its curves are drawn as those of the trace's own allocators.

use super::Frame;
use crate::session::{Recorded, Session};
use crate::time::{Ns, human_duration};
use crate::timeline::{LaneKey, LaneRow, SnapshotLane};
use crate::ui::allocator::{mib_signed, moment_words, oom_words, value_lines};
use egui::{Painter, Pos2, Rangef, Shape, Stroke, pos2};

/// How near the pointer must be to a mark.
const NEAR: f32 = 5.0;
/// Half the width of the mark of running out of memory.
const MARK: f32 = 4.0;

fn recorded(session: &Session) -> Option<&Recorded> {
    Some(session.snapshot.focused()?.2)
}

/// Draws what lies over the curves.
pub(super) fn marks(painter: &Painter, frame: &Frame<'_>) {
    let is_it = |lane: &&LaneRow| matches!(lane.key, LaneKey::Snapshot(..));
    let lane = frame.visible.iter().find(is_it);
    let Some((lane, recorded)) = lane.zip(recorded(frame.session)) else {
        return;
    };
    let theme = frame.theme;
    let ys = Rangef::new(frame.y(lane.top), frame.y(lane.bottom()));
    for oom in &recorded.ooms {
        let x = frame.x(oom.time).round() + 0.5;
        painter.vline(x, ys, Stroke::new(1.5, theme.error));
        let points = vec![
            pos2(x - MARK, ys.min),
            pos2(x + MARK, ys.min),
            pos2(x, ys.min + 2.0 * MARK),
        ];
        painter.add(Shape::convex_polygon(points, theme.error, Stroke::NONE));
    }
    if let Some(at) = frame.session.snapshot.moment {
        let x = frame.x(at).round() + 0.5;
        painter.vline(x, ys, Stroke::new(2.0, theme.selection));
    }
}

/// The instant under a point of the lane: on a mark of running out of memory, exactly that.
pub(super) fn moment_at(frame: &Frame<'_>, at: Pos2) -> Option<Ns> {
    let (lane, _) = frame.lane_at(at.y)?;
    if !matches!(lane.key, LaneKey::Snapshot(..)) {
        return None;
    }
    let recorded = recorded(frame.session)?;
    let near = |time: Ns| (frame.x(time) - at.x).abs() <= NEAR;
    let oom = recorded.ooms.iter().find(|oom| near(oom.time));
    let time = oom.map_or_else(|| frame.view.time_at(frame.px(at.x)), |oom| oom.time);
    // Beyond the recording nothing is known.
    recorded.history.extent?.contains(time).then_some(time)
}

/// What lies under a point of the lane, in words.
pub(super) fn words(frame: &Frame<'_>, at: Pos2) -> Option<String> {
    let time = moment_at(frame, at)?;
    let session = frame.session;
    let (_, device, recorded) = session.snapshot.focused()?;
    let origin = frame.trace.origin().unwrap_or_default();
    let mut lines = vec![
        format!("Allocator of GPU {}, by the snapshot", device.id),
        // The ruler and the recording count from different starts.
        format!(
            "{}; {} of the recording",
            human_duration(time - origin),
            moment_words(session, time)
        ),
    ];
    if let Some(oom) = recorded.ooms.iter().find(|oom| oom.time == time) {
        lines.push(oom_words(session, oom));
    } else {
        let mut values = value_lines(session, recorded, time);
        // What a click does stands last.
        let click = values.pop();
        lines.extend(values);
        if let Some(levels) = session.snapshot_levels() {
            let view = frame.view.visible(f64::from(frame.tracks.width()));
            let (least, most) = levels.scale(view);
            let [least, most] = [least, most].map(mib_signed);
            lines.push(format!("height: {least} to {most}, the most in view"));
        }
        lines.extend(click);
    }
    let lane = session.lanes.snapshot.as_ref();
    lines.extend(lane.and_then(SnapshotLane::doubt));
    Some(lines.join("\n"))
}
