//! What a view may ask for: [`Action`]. Views never change anything themselves.

use super::{CsvPanel, OpenForm, OpenWhat, Overlay, PathBoxMode, ThemeChoice};
use crate::ingest::LoadOptions;
use crate::metrics::{
    CollectiveGrouping, CollectiveSort, GridFigure, KernelGroup, KernelGrouping, KernelSort,
    Parallelism, Tool,
};
use crate::time::{Ns, Window};
use crate::timeline::{LaneKey, View};
use crate::trace::{Basis, DeviceId, MemoryPlace, RankId, SliceRef, StepLabel};
use std::path::PathBuf;

/// One wish of the user. Applied by [`super::Session::apply`] after the last view of a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Makes a window the current one. What was brushed, typed or chosen.
    SetWindow {
        /// The new window.
        window: Window,
    },
    /// The same, and moves the view where the window is not wholly on screen.
    ShowWindow {
        /// The new window.
        window: Window,
    },
    /// Goes back to "no selection": every device's own extent.
    ClearWindow,
    /// Shows exactly this part of time.
    SetView {
        /// The new view.
        view: View,
    },
    /// Shows the whole trace.
    FitView,
    /// Shows what was shown before the last jump or the last long way.
    ViewBack,
    /// Undoes the last [`Action::ViewBack`].
    ViewForward,
    /// Shows the current window, or the selected slice where there is no window.
    FitWindow,
    /// Zooms; above 1 shows less time.
    ZoomAt {
        /// How much larger everything becomes.
        factor: f64,
        /// The point that stays, in pixels from the view's left edge.
        at_px: f64,
    },
    /// Moves the view to later times for positive pixels.
    Pan {
        /// How far.
        px: f64,
    },
    /// Selects a slice and shows its details.
    Select {
        /// The slice.
        slice: SliceRef,
    },
    /// The same, and brings it into view.
    GoTo {
        /// The slice.
        slice: SliceRef,
    },
    /// Goes from a kernel to its launch call, from a host call to the first kernel it launched.
    GoToLinked,
    /// Goes to the CPU op that launched the selected kernel, or that is around a host call.
    GoToOp,
    /// Selects nothing.
    ClearSelection,
    /// What `Esc` does: closes what is open, then clears the selection, then the window.
    Escape,
    /// Makes a step's window the current one.
    GoToStep {
        /// The rank.
        rank: RankId,
        /// The device.
        device: DeviceId,
        /// The step.
        label: StepLabel,
    },
    /// Goes to the step after the current one.
    NextStep,
    /// Goes to the step before the current one.
    PrevStep,
    /// Opens or closes a group of lanes.
    ToggleLane {
        /// Which.
        lane: LaneKey,
    },
    /// Scrolls the lanes to a distance from the top.
    ScrollLanes {
        /// The distance in points.
        y: f32,
    },
    /// Tells how wide the lanes are drawn.
    ViewWidth {
        /// The width in points.
        px: f64,
    },
    /// Puts one device's figures first.
    FocusDevice {
        /// The rank.
        rank: RankId,
        /// The device.
        device: DeviceId,
    },
    /// Uses the host's or the device's windows for steps.
    SetBasis {
        /// Which.
        basis: Basis,
    },
    /// Uses suspicious kernels as recorded, or clipped at the next start of their stream.
    SetClip {
        /// Whether they are clipped.
        clip: bool,
    },
    /// Turns snapping of brushed edges on or off.
    SetSnap {
        /// Whether edges snap.
        snap: bool,
    },
    /// Chooses the colours.
    SetTheme {
        /// Which.
        theme: ThemeChoice,
    },
    /// Loads files and folders in place of the current trace.
    Open {
        /// What was named.
        paths: Vec<PathBuf>,
    },
    /// The same, but loads only what the options say.
    OpenPaths {
        /// What was named.
        paths: Vec<PathBuf>,
        /// What of it is loaded.
        options: LoadOptions,
    },
    /// The fields of the dialog for opening with options changed.
    EditOpenForm {
        /// All of them.
        form: OpenForm,
    },
    /// Takes what the dialog for opening with options says, if it can be understood.
    OpenWith {
        /// What is opened that way.
        what: OpenWhat,
    },
    /// Asks the user which files to open.
    OpenDialog,
    /// Asks the user which session file to open.
    OpenSessionDialog,
    /// Writes the session to a file that the user names.
    SaveSession,
    /// Asks the user which folder to open.
    OpenFolderDialog,
    /// Loads the bundled sample.
    OpenDemo,
    /// Stops the running load; the old trace stays.
    CancelLoad,
    /// Loads the same paths again, keeping window and view where they still fit.
    Reload,
    /// Loads again with ranks aligned by their collectives, or as their files say.
    AlignByCollectives {
        /// Whether they are aligned.
        on: bool,
    },
    /// The field for a rank's shift changed.
    EditShift {
        /// Whose.
        rank: RankId,
        /// What stands in it now.
        text: String,
    },
    /// Loads again with a rank moved as the field says, if that can be understood.
    MoveRank {
        /// Which.
        rank: RankId,
    },
    /// Keeps the old trace although its files changed.
    DismissReload,
    /// Closes the message.
    DismissMessage,
    /// Forgets the recent files.
    ClearRecent,
    /// Writes a panel as CSV to a file that the user names.
    ExportCsv {
        /// Which panel.
        panel: CsvPanel,
    },
    /// Copies a panel as CSV.
    CopyPanel {
        /// Which panel.
        panel: CsvPanel,
    },
    /// Writes a part of the window as a PNG to a file that the user names.
    SavePicture {
        /// Where on the screen.
        area: super::PictureArea,
        /// What it shows: the name of the file without its extension.
        stem: &'static str,
    },
    /// Copies a text as it stands.
    CopyText {
        /// The text.
        text: String,
    },
    /// Opens a window over the others, or closes it if it is open.
    ToggleOverlay {
        /// Which.
        overlay: Overlay,
    },
    /// Opens the path box.
    ShowPathBox {
        /// What the path is for.
        mode: PathBoxMode,
    },
    /// The text in the path box changed.
    EditPath {
        /// The whole text.
        text: String,
    },
    /// Highlights another of the path box's suggestions.
    MoveSuggestion {
        /// Down for positive numbers.
        by: i32,
    },
    /// Takes over a suggestion, the highlighted one where none is named.
    TakeSuggestion {
        /// The whole suggested text.
        text: Option<String>,
    },
    /// Puts what stands in the path box on its list, so that another path can be typed.
    AddPath,
    /// Takes a path off the path box's list.
    RemovePath {
        /// Its place.
        index: usize,
    },
    /// Takes what stands in the path box.
    AcceptPath,
    /// Closes the path box.
    ClosePathBox,
    /// The text of the annotation search changed.
    FilterAnnotations {
        /// The whole text.
        text: String,
    },
    /// Puts kernels together by something else.
    GroupKernels {
        /// By what.
        grouping: KernelGrouping,
    },
    /// Sorts kernels by a column, or the other way round where they are sorted by it.
    SortKernels {
        /// The column.
        by: KernelSort,
    },
    /// The text of the filter of kernels changed.
    FilterKernels {
        /// The whole text.
        text: String,
    },
    /// Selects the next kernel of a group in the window, the first one behind the last.
    NextKernel {
        /// The group.
        group: KernelGroup,
    },
    /// Measures from the selected slice to another one.
    MeasureTo {
        /// The other one.
        slice: SliceRef,
    },
    /// Measures from the slice that was selected before to the selected one.
    MeasureFromLast,
    /// Something that is done to lanes.
    Lane(super::LaneAction),
    /// Something that the bookmarks are asked for.
    Bookmark(super::BookmarkAction),
    /// Something that the palette is asked for.
    Palette(super::PaletteAction),
    /// Something that the search is asked for.
    Search(super::SearchAction),
    /// Puts collectives together by something else.
    GroupCollectives {
        /// By what.
        grouping: CollectiveGrouping,
    },
    /// Sorts collectives by a column, or the other way round where they are sorted by it.
    SortCollectives {
        /// The column.
        by: CollectiveSort,
    },
    /// The text of the filter of collectives changed.
    FilterCollectives {
        /// The whole text.
        text: String,
    },
    /// Says what a process group is for.
    LabelGroup {
        /// Its name.
        group: String,
        /// What it is for; `None` leaves that to the trace.
        said: Option<Parallelism>,
    },
    /// Shows figures by the rules of another tool beside ours, or none.
    CompareWith {
        /// Whose.
        tool: Option<Tool>,
    },
    /// Puts one device's figures first and brings its lanes into view.
    ShowDevice {
        /// The rank.
        rank: RankId,
        /// The device.
        device: DeviceId,
    },
    /// Sorts ranks by a column, or the other way round where they are sorted by it.
    SortRanks {
        /// The name of the column.
        column: &'static str,
    },
    /// Shows another figure in the map of ranks by steps.
    MapSteps {
        /// Which.
        figure: GridFigure,
    },
    /// Shows another allocator in the panel of memory.
    ShowMemory {
        /// Whose memory.
        place: MemoryPlace,
    },
    /// Opens or closes what holds the peak.
    ShowHolders {
        /// Which of the two.
        open: bool,
    },
    /// Brings a moment of an allocator into the middle, and selects the op that it is of.
    GoToMemory {
        /// The rank.
        rank: RankId,
        /// Whose memory.
        place: MemoryPlace,
        /// When.
        at: Ns,
    },
    /// Something that a comparison is asked for.
    Compare(super::CompareAction),
    /// Something that the snapshot is asked for.
    Snapshot(super::SnapshotAction),
    /// Something that the models are asked.
    WhatIf(super::WhatIfAction),
    /// Opens or closes a section of the panel at the right.
    ToggleSection {
        /// Which.
        section: super::Section,
    },
}
