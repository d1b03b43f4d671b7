//! The baselines: every event looked at for every question.

use overlane::memory::Curve;
use overlane::snapshot::{Action, Device};
use overlane::time::{Ns, Window};
use std::collections::HashMap;

/// Addresses and sizes that are in use after all events up to a moment.
pub(crate) fn alive_at(device: &Device, at: Ns) -> HashMap<u64, u64> {
    let mut alive = HashMap::new();
    for event in device.events.iter().take_while(|event| event.time <= at) {
        match event.action {
            Action::Alloc => {
                alive.insert(event.address, event.size);
            }
            Action::FreeRequested => {
                alive.remove(&event.address);
            }
            _ => {}
        }
    }
    alive
}

/// The greatest value of the points inside a window.
pub(crate) fn peak(curve: &Curve, window: Window) -> Option<i64> {
    let whole = curve.extent()?;
    let points = curve.points(Window::new(whole.start(), Ns(whole.end().0 + 1)));
    let inside = points.filter(|(at, _)| window.contains(*at));
    inside.map(|(_, bytes)| bytes).max()
}
