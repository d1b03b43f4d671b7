//! Whether the allocator's memory leaks, and why that is said.

use super::super::super::controls::{byte_size, weak};
use super::super::super::theme::Theme;
use crate::metrics::{Leak, LeakVerdict};
use crate::trace::MemoryTrack;
use egui::{Color32, Label, RichText, Ui};

/// Shows the verdict over all steps.
pub(super) fn ui(ui: &mut Ui, theme: &Theme, memory: &MemoryTrack, found: &Leak) {
    ui.label(weak(theme, "Leak or not, over all steps").small());
    let verdict = RichText::new(found.verdict.label()).strong();
    ui.label(verdict.color(color(theme, found.verdict)));
    let say = |ui: &mut Ui, words: String| {
        ui.add(Label::new(RichText::new(words).size(12.0)).wrap());
    };
    say(ui, sentence(found));
    match &found.growers {
        None => say(
            ui,
            "Which ops own the growth cannot be told: the file has no addresses of blocks."
                .to_owned(),
        ),
        Some(growers) if !growers.is_empty() => {
            say(
                ui,
                "Ops whose blocks grow from every step to the next:".to_owned(),
            );
            for grower in growers {
                say(
                    ui,
                    format!("{}: +{}", grower.name(), byte_size(grower.bytes)),
                );
            }
        }
        Some(_) if found.verdict == LeakVerdict::Suspected => say(
            ui,
            "No single op grows from every step to the next.".to_owned(),
        ),
        Some(_) => {}
    }
    if memory.reserved.is_some() {
        let words = "Reserved memory that is high is no leak: what is cached belongs to the allocator, and reserved less allocated is handed out again. Only what stays allocated can leak.";
        ui.add(Label::new(weak(theme, words).small()).wrap());
    }
}

fn sentence(found: &Leak) -> String {
    let mut words = found.reason();
    if let Some(first) = words.get(..1) {
        words = format!("{}{}", first.to_uppercase(), words.get(1..).unwrap_or(""));
    }
    words.push('.');
    words
}

fn color(theme: &Theme, verdict: LeakVerdict) -> Color32 {
    match verdict {
        LeakVerdict::CannotTell => theme.text_weak,
        LeakVerdict::Level => theme.good,
        LeakVerdict::Uneven => theme.text,
        LeakVerdict::Suspected => theme.warning,
    }
}
