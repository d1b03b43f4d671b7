//! The pointer over the timeline: where things are, drags, clicks and the wheel.

use super::gui_support::Window;
use egui::{
    Event, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, Role, TouchPhase, pos2,
};
use egui_kittest::kittest::Queryable as _;
use overlane::session::Session;
use overlane::time::Ns;

pub fn session(window: &Window) -> &Session {
    window.harness.state().session()
}

/// Where an instant is on the screen.
pub fn screen(window: &Window, at: Ns, y: f32) -> Pos2 {
    let view = session(window).view.unwrap();
    let canvas = window
        .harness
        .get_by_role_and_label(Role::Canvas, "Timeline")
        .rect();
    #[expect(clippy::cast_possible_truncation, reason = "a pixel")]
    let x = view.x_of(at) as f32;
    pos2(canvas.left() + x, canvas.top() + y)
}

pub fn canvas(window: &Window) -> egui::Rect {
    window
        .harness
        .get_by_role_and_label(Role::Canvas, "Timeline")
        .rect()
}

pub fn time_at(window: &Window, at: Pos2) -> Ns {
    let view = session(window).view.unwrap();
    view.nearest_time(f64::from(at.x - canvas(window).left()))
}

/// Presses, moves in steps and holds.
pub fn drag(window: &mut Window, from: Pos2, to: Pos2, modifiers: Modifiers) {
    hold_with(window, from, to, modifiers, PointerButton::Primary);
}

pub fn hold_with(
    window: &mut Window,
    from: Pos2,
    to: Pos2,
    modifiers: Modifiers,
    button: PointerButton,
) {
    let h = &mut window.harness;
    h.event(Event::ModifiersChanged(modifiers));
    h.hover_at(from);
    h.step();
    press(h, from, modifiers, button, true);
    h.step();
    for i in 1..=4_u8 {
        h.hover_at(from + (to - from) * (f32::from(i) / 4.0));
        h.step();
    }
}

pub fn press<S>(
    h: &egui_kittest::Harness<'_, S>,
    pos: Pos2,
    modifiers: Modifiers,
    button: PointerButton,
    pressed: bool,
) {
    h.event(Event::PointerButton {
        pos,
        button,
        pressed,
        modifiers,
    });
}

pub fn release(window: &mut Window, at: Pos2) {
    press(
        &window.harness,
        at,
        Modifiers::NONE,
        PointerButton::Primary,
        false,
    );
    window
        .harness
        .event(Event::ModifiersChanged(Modifiers::NONE));
    window.settle();
}

pub fn wheel(window: &mut Window, at: Pos2, delta: egui::Vec2, modifiers: Modifiers) {
    window.harness.hover_at(at);
    window.harness.step();
    window.harness.event_modifiers(
        Event::MouseWheel {
            unit: MouseWheelUnit::Point,
            source: MouseWheelSource::Wheel,
            delta,
            phase: TouchPhase::Move,
            modifiers,
        },
        modifiers,
    );
    window.harness.run_steps(60);
}

/// Height of a lane's middle, from the top of the lanes.
pub fn lane(window: &Window, label: &str) -> f32 {
    window.harness.get_by_label(label).rect().center().y - canvas(window).top()
}

/// The stream that computes.
pub const COMPUTE: &str = "Stream 7, rank 0, GPU 0";

pub fn start_of(window: &Window) -> Ns {
    session(window)
        .trace
        .as_ref()
        .unwrap()
        .capture()
        .unwrap()
        .start()
}

pub fn us(window: &Window, us: i64) -> Ns {
    Ns(start_of(window).0 + us * 1_000)
}

pub fn close(a: Ns, b: Ns, window: &Window) -> bool {
    let px = session(window).view.unwrap().ns_per_px;
    #[expect(clippy::cast_precision_loss, reason = "a small difference")]
    let away = (a.0 - b.0).abs() as f64;
    away <= px
}
