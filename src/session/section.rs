//! The sections of the panel at the right, and the tables that they export.

/// A table that can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsvPanel {
    /// Temporal breakdown.
    Breakdown,
    /// Overlap analysis.
    Overlap,
    /// Figures of the overlap verdict of the device in focus.
    Verdict,
    /// Kernels alone against beside communication.
    Dilation,
    /// What keeps the device in focus from its work.
    Findings,
    /// Streams of every device.
    Streams,
    /// Steps of the device in focus.
    Steps,
    /// Kernels of the device in focus, as they are shown.
    Kernels,
    /// Collectives of the device in focus, as they are shown.
    Collectives,
    /// Idle time of the device in focus by cause.
    Idle,
    /// Ranks side by side, in the order of their panel.
    Ranks,
    /// What allocators of the rank in focus held in the window.
    Memory,
    /// The same of each step of the allocator that is shown.
    MemorySteps,
    /// What a model answers, as it is shown.
    WhatIf,
    /// Links of the device in focus: alpha and bus bandwidth, with the sizes behind them.
    Links,
    /// Health list.
    Health,
    /// Figures of two traces side by side.
    FigureDeltas,
    /// Kernels of two traces by name, as they are shown.
    KernelDeltas,
}

/// A section of the panel at the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Temporal breakdown.
    Breakdown,
    /// Overlap analysis.
    Overlap,
    /// Streams of the device.
    Streams,
    /// What keeps the device from its work.
    Findings,
    /// Whether overlap pays.
    Verdict,
    /// All devices.
    Devices,
    /// Ranks side by side.
    Ranks,
    /// Steps of the device.
    Steps,
    /// Kernels of the device.
    Kernels,
    /// Collectives of the device.
    Collectives,
    /// Why the device was idle.
    Idle,
    /// What allocators held, by the events of the trace.
    Memory,
    /// What a change would bring.
    WhatIf,
}

impl Section {
    /// All of them, top to bottom.
    pub const ALL: [Self; 13] = [
        Self::Breakdown,
        Self::Overlap,
        Self::Streams,
        Self::Findings,
        Self::Verdict,
        Self::Devices,
        Self::Ranks,
        Self::Steps,
        Self::Kernels,
        Self::Collectives,
        Self::Idle,
        Self::Memory,
        Self::WhatIf,
    ];

    /// Whether it is closed until somebody opens it: what it shows takes reading the files again,
    /// or measuring that not everybody wants.
    #[must_use]
    pub fn starts_closed(self) -> bool {
        matches!(
            self,
            Self::Findings | Self::Verdict | Self::Memory | Self::WhatIf
        )
    }

    /// Its heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Breakdown => "Breakdown",
            Self::Overlap => "Overlap",
            Self::Streams => "Streams",
            Self::Findings => "Findings",
            Self::Verdict => "Does overlap pay?",
            Self::Devices => "All devices",
            Self::Ranks => "Ranks",
            Self::Steps => "Steps",
            Self::Kernels => "Kernels",
            Self::Collectives => "Collectives",
            Self::Idle => "Idle",
            Self::Memory => "Memory",
            Self::WhatIf => "What if",
        }
    }

    /// The table that it exports.
    #[must_use]
    pub fn csv(self) -> CsvPanel {
        match self {
            Self::Breakdown | Self::Devices => CsvPanel::Breakdown,
            Self::Overlap => CsvPanel::Overlap,
            Self::Streams => CsvPanel::Streams,
            Self::Findings => CsvPanel::Findings,
            Self::Verdict => CsvPanel::Verdict,
            Self::Ranks => CsvPanel::Ranks,
            Self::Steps => CsvPanel::Steps,
            Self::Kernels => CsvPanel::Kernels,
            Self::Collectives => CsvPanel::Collectives,
            Self::Idle => CsvPanel::Idle,
            Self::Memory => CsvPanel::Memory,
            Self::WhatIf => CsvPanel::WhatIf,
        }
    }
}
