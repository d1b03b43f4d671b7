//! Keys: one table of [`COMMANDS`] that the keyboard and the help window both walk.
//!
//! Keys are off while a text field has the focus; each is consumed where it is used.

use crate::session::{Action, BookmarkAction, Overlay, SearchAction, Session, SnapshotAction};
use egui::{Context, Key, KeyboardShortcut, Modifiers, PointerButton};

/// Pan of one press, in parts of the width.
const PAN: f64 = 0.12;
/// Zoom of one press.
const ZOOM: f64 = 1.3;

/// One command that has keys.
pub struct Command {
    /// Keys as shown in the help window.
    pub keys: &'static str,
    /// What it does.
    pub what: &'static str,
    /// Where it stands in the help window.
    pub group: Group,
    bindings: &'static [KeyboardShortcut],
    action: fn(&Session) -> Action,
}

impl Command {
    /// What it asks for.
    #[must_use]
    pub fn action(&self, session: &Session) -> Action {
        (self.action)(session)
    }
}

/// Groups of the help window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Moving through time.
    Move,
    /// Windows and steps.
    Choose,
    /// The allocator's view.
    Allocator,
    /// Files and the program.
    Program,
}

impl Group {
    /// All groups in order.
    pub const ALL: [Self; 4] = [Self::Move, Self::Choose, Self::Allocator, Self::Program];

    /// Its heading.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Move => "Move",
            Self::Choose => "Choose",
            Self::Allocator => "Allocator",
            Self::Program => "Program",
        }
    }
}

const fn plain(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn ctrl(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn alt(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::ALT, key)
}

/// Every command with keys. Those with more modifiers come first, so that they are not taken for others.
pub const COMMANDS: &[Command] = &[
    Command {
        keys: "Ctrl+Shift+O",
        what: "Open with options: without Python or CPU rows, some ranks, a range",
        group: Group::Program,
        bindings: &[KeyboardShortcut::new(
            Modifiers::COMMAND.plus(Modifiers::SHIFT),
            Key::O,
        )],
        action: |_| Action::ToggleOverlay {
            overlay: Overlay::OpenOptions,
        },
    },
    Command {
        keys: "Alt+Left",
        what: "Back to the view before; so does the mouse's back button",
        group: Group::Move,
        bindings: &[alt(Key::ArrowLeft)],
        action: |_| Action::ViewBack,
    },
    Command {
        keys: "Alt+Right",
        what: "Forward again",
        group: Group::Move,
        bindings: &[alt(Key::ArrowRight)],
        action: |_| Action::ViewForward,
    },
    Command {
        keys: "Alt+[",
        what: "Go to the time before that memory ran out",
        group: Group::Allocator,
        bindings: &[alt(Key::OpenBracket)],
        action: |_| Action::Snapshot(SnapshotAction::PrevOom),
    },
    Command {
        keys: "Alt+]",
        what: "Go to the next time that memory ran out",
        group: Group::Allocator,
        bindings: &[alt(Key::CloseBracket)],
        action: |_| Action::Snapshot(SnapshotAction::NextOom),
    },
    Command {
        keys: "P",
        what: "Go to the peak of allocated memory, of the window where there is one",
        group: Group::Allocator,
        bindings: &[plain(Key::P)],
        action: |_| Action::Snapshot(SnapshotAction::Peak),
    },
    Command {
        keys: "T",
        what: "Show the timeline or the allocator, where both are open",
        group: Group::Allocator,
        bindings: &[plain(Key::T)],
        action: |s| Action::Snapshot(SnapshotAction::Front(!s.shows_allocator())),
    },
    Command {
        keys: "Ctrl+O",
        what: "Open traces or an allocator snapshot",
        group: Group::Program,
        bindings: &[ctrl(Key::O)],
        action: |_| Action::OpenDialog,
    },
    Command {
        keys: "Ctrl+K",
        what: "All commands, found by a few letters; also Ctrl+P",
        group: Group::Program,
        bindings: &[ctrl(Key::K), ctrl(Key::P)],
        action: |_| Action::ToggleOverlay {
            overlay: Overlay::Palette,
        },
    },
    Command {
        keys: "Ctrl+R",
        what: "Load what is in front again, keeping window and view",
        group: Group::Program,
        bindings: &[ctrl(Key::R), plain(Key::F5)],
        action: |_| Action::Reload,
    },
    Command {
        keys: "W",
        what: "Zoom in",
        group: Group::Move,
        bindings: &[plain(Key::W)],
        action: |s| Action::ZoomAt {
            factor: ZOOM,
            at_px: s.view_width / 2.0,
        },
    },
    Command {
        keys: "S",
        what: "Zoom out",
        group: Group::Move,
        bindings: &[plain(Key::S)],
        action: |s| Action::ZoomAt {
            factor: 1.0 / ZOOM,
            at_px: s.view_width / 2.0,
        },
    },
    Command {
        keys: "A",
        what: "Pan to earlier times",
        group: Group::Move,
        bindings: &[plain(Key::A)],
        action: |s| Action::Pan {
            px: -PAN * s.view_width,
        },
    },
    Command {
        keys: "D",
        what: "Pan to later times",
        group: Group::Move,
        bindings: &[plain(Key::D)],
        action: |s| Action::Pan {
            px: PAN * s.view_width,
        },
    },
    Command {
        keys: "F",
        what: "Fit the window, else the selected slice, else everything",
        group: Group::Move,
        bindings: &[plain(Key::F)],
        action: |_| Action::FitWindow,
    },
    Command {
        keys: "Home",
        what: "Show the whole trace",
        group: Group::Move,
        bindings: &[plain(Key::Home)],
        action: |_| Action::FitView,
    },
    Command {
        keys: "[",
        what: "Previous step",
        group: Group::Choose,
        bindings: &[plain(Key::OpenBracket)],
        action: |_| Action::PrevStep,
    },
    Command {
        keys: "]",
        what: "Next step",
        group: Group::Choose,
        bindings: &[plain(Key::CloseBracket)],
        action: |_| Action::NextStep,
    },
    Command {
        keys: "N",
        what: "Choose an annotation as the window",
        group: Group::Choose,
        bindings: &[plain(Key::N)],
        action: |_| Action::ToggleOverlay {
            overlay: Overlay::Annotations,
        },
    },
    Command {
        keys: "M",
        what: "Bookmark the window, else the selected slice, else the middle of the view",
        group: Group::Choose,
        bindings: &[plain(Key::M)],
        action: |_| Action::Bookmark(BookmarkAction::Add),
    },
    Command {
        keys: "B",
        what: "List bookmarks and their notes",
        group: Group::Choose,
        bindings: &[plain(Key::B)],
        action: |_| Action::ToggleOverlay {
            overlay: Overlay::Bookmarks,
        },
    },
    Command {
        keys: "G",
        what: "Measure the gap from the slice selected before to the selected one",
        group: Group::Choose,
        bindings: &[plain(Key::G)],
        action: |_| Action::MeasureFromLast,
    },
    Command {
        keys: "L",
        what: "Go from a kernel to its launch call, from a call to its first kernel",
        group: Group::Choose,
        bindings: &[plain(Key::L)],
        action: |_| Action::GoToLinked,
    },
    Command {
        keys: "O",
        what: "Go to the CPU op that launched the selected kernel",
        group: Group::Choose,
        bindings: &[plain(Key::O)],
        action: |_| Action::GoToOp,
    },
    Command {
        keys: "/",
        what: "Find slices by name or args; Enter and Shift+Enter walk through them",
        group: Group::Choose,
        bindings: &[plain(Key::Slash), ctrl(Key::F)],
        action: |_| Action::Search(SearchAction::Open),
    },
    Command {
        keys: "Esc",
        what: "Close what is open, then clear the measure, the selection, the window",
        group: Group::Choose,
        bindings: &[plain(Key::Escape)],
        action: |_| Action::Escape,
    },
    Command {
        keys: "?",
        what: "Show these keys",
        group: Group::Program,
        bindings: &[
            plain(Key::Questionmark),
            KeyboardShortcut::new(Modifiers::SHIFT, Key::Slash),
            plain(Key::F1),
        ],
        action: |_| Action::ToggleOverlay {
            overlay: Overlay::Help,
        },
    },
];

/// Gestures of the mouse, for the help window.
pub const GESTURES: &[(&str, &str)] = &[
    ("Drag", "Brush a window; its edges can be dragged again"),
    ("Alt+Drag", "The same without snapping to slices"),
    ("Shift+Drag", "Pan; so does the middle button"),
    ("Wheel", "Scroll the lanes"),
    ("Ctrl+Wheel", "Zoom at the pointer"),
    ("Click", "Select a slice, go to a step"),
    ("Ctrl+Click", "Measure the gap from the selected slice"),
    ("Right click", "On a lane's name: hide, pin, move, rename"),
];

/// Reads the keys of this frame.
pub fn read(ctx: &Context, session: &Session, out: &mut Vec<Action>) {
    for (button, action) in [
        (PointerButton::Extra1, Action::ViewBack),
        (PointerButton::Extra2, Action::ViewForward),
    ] {
        if ctx.input(|i| i.pointer.button_pressed(button)) {
            out.push(action);
        }
    }
    if ctx.text_edit_focused() {
        return;
    }
    // While something is dragged on the timeline, Esc belongs to the drag.
    let dragging = super::lanes::is_dragging(ctx);
    // And so it does to an open menu.
    let dragging = dragging || egui::Popup::is_any_open(ctx);
    for command in COMMANDS {
        for binding in command.bindings {
            if dragging && binding.logical_key == Key::Escape {
                continue;
            }
            // A held key repeats; every repeat counts.
            let presses =
                ctx.input_mut(|i| i.count_and_consume_key(binding.modifiers, binding.logical_key));
            for _ in 0..presses {
                out.push(command.action(session));
            }
        }
    }
}
