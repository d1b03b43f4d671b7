//! How tables of many rows are put together, filtered, sorted and cut: the options that the tables
//! of kernels and of collectives share.

use super::CliError;
use super::select::TableName;
use crate::metrics::{
    CollectiveGrouping, CollectiveSort, KernelGrouping, KernelSort, Parallelism, TypedGroups,
};
use clap::{Args, ValueEnum};
use regex::Regex;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// How `--table kernels`, `collectives`, `idle` and `memory` are made.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tables of kernels, collectives, idle time and memory")]
pub(super) struct RowArguments {
    /// By what rows are put together. Kernels: their name (the default), their class, or the CPU op
    /// that launched them. Collectives: each for itself (the default), or by process group and kind.
    /// Idle time: its cause (the default), each gap, or the length of gaps. Memory: the window (the
    /// default), each step, or whether it leaks.
    #[arg(long, value_enum)]
    pub(super) by: Option<ByArgument>,
    /// Only groups whose name, class or op matches; only collectives whose kind, process group,
    /// description or kernel matches. Shares stay those of all.
    #[arg(long, value_name = "REGEX")]
    pub(super) filter: Option<Regex>,
    /// What rows of a device are sorted by: the largest first, words from A to Z, starts from the
    /// first (default: total; single collectives: start).
    #[arg(long, value_enum)]
    pub(super) sort: Option<SortArgument>,
    /// Only the first N rows of each device.
    #[arg(long, value_name = "N")]
    pub(super) top: Option<NonZeroUsize>,
    /// What a process group is for: DP, FSDP, TP, PP, EP or unknown. Repeat it for several; of
    /// collectives --by group and of findings.
    #[arg(long, value_name = "NAME=KIND")]
    pub(super) group: Vec<GroupArgument>,
}

/// A process group and what it is for, as it is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GroupArgument(String, Parallelism);

/// Why a text says nothing of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write the name of a process group and DP, FSDP, TP, PP, EP or unknown, like 0=TP")]
pub(super) struct GroupError;

impl FromStr for GroupArgument {
    type Err = GroupError;

    fn from_str(text: &str) -> Result<Self, GroupError> {
        let (name, word) = text.rsplit_once('=').ok_or(GroupError)?;
        let said = Parallelism::parse(word.trim()).ok_or(GroupError)?;
        Ok(Self(name.to_owned(), said))
    }
}

impl RowArguments {
    /// What was said of process groups.
    pub(super) fn groups(&self) -> TypedGroups {
        let said = self.group.iter();
        said.map(|GroupArgument(name, said)| (name.clone(), *said))
            .collect()
    }

    /// The first of these options that was given.
    fn given(&self) -> Option<&'static str> {
        [
            ("--by", self.by.is_some()),
            ("--filter", self.filter.is_some()),
            ("--sort", self.sort.is_some()),
            ("--top", self.top.is_some()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
    }

    /// Refuses what does not go with the table.
    pub(super) fn check(&self, table: TableName) -> Result<(), CliError> {
        let refused = |option, advice| {
            Err(CliError::OptionWithTable {
                option,
                table: table.name(),
                advice,
            })
        };
        let by_group = self.collective_grouping() == CollectiveGrouping::Group;
        let takes_groups = match table {
            TableName::Findings => true,
            TableName::Collectives => by_group,
            _ => false,
        };
        if !self.group.is_empty() && !takes_groups {
            return refused("--group", "it is of findings and of collectives --by group");
        }
        match table {
            TableName::Kernels if self.by.is_some_and(|by| by.kernels().is_none()) => {
                refused("this --by", "choose name, class or op")
            }
            TableName::Kernels if self.sort.is_some_and(|by| by.kernels().is_none()) => refused(
                "this --sort",
                "choose total, count, mean, median, min, max or group",
            ),
            TableName::Collectives if self.by.is_some_and(|by| by.collectives().is_none()) => {
                refused("this --by", "choose collective or group")
            }
            TableName::Collectives if self.sort.is_some() && self.collective_sort().is_none() => {
                refused("this --sort", self.collective_sorts())
            }
            TableName::Idle => self.check_idle(&refused),
            TableName::Memory if self.memory_grouping().is_none() => {
                refused("this --by", "choose window, step or leak")
            }
            TableName::Memory if self.filter.is_some() || self.sort.is_some() => {
                refused("--filter or --sort", "it has one row an allocator or step")
            }
            TableName::Memory if self.top.is_some() => {
                refused("--top", "it has one row an allocator or step")
            }
            TableName::Dilation if self.by.is_some() => refused("--by", "it has one row a kernel"),
            TableName::Dilation if self.sort.is_some() => {
                refused("--sort", "those that lost most come first")
            }
            TableName::Findings if self.by.is_some() => refused("--by", "it has one row a finding"),
            TableName::Findings if self.sort.is_some() => {
                refused("--sort", "the gravest come first")
            }
            TableName::Kernels
            | TableName::Collectives
            | TableName::Memory
            | TableName::Dilation
            | TableName::Findings => Ok(()),
            _ => match self.given() {
                Some(option) => refused(
                    option,
                    "it is of --table kernels, collectives, idle or memory",
                ),
                None => Ok(()),
            },
        }
    }

    fn check_idle(
        &self,
        refused: &dyn Fn(&'static str, &'static str) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let by_gap = self.idle_grouping() == Some(IdleGrouping::Gap);
        if self.idle_grouping().is_none() {
            refused("this --by", "choose cause, gap or length")
        } else if self.sort.is_some() {
            refused("--sort", "gaps come with the longest first")
        } else if !by_gap && (self.filter.is_some() || self.top.is_some()) {
            refused("--filter or --top", "they are of --by gap")
        } else {
            Ok(())
        }
    }

    /// By what gaps are put together; `None` for what is of another table.
    pub(super) fn idle_grouping(&self) -> Option<IdleGrouping> {
        self.by.map_or(Some(IdleGrouping::Cause), ByArgument::idle)
    }

    /// By what figures of memory are put together; `None` for what is of another table.
    pub(super) fn memory_grouping(&self) -> Option<MemoryGrouping> {
        self.by
            .map_or(Some(MemoryGrouping::Window), ByArgument::memory)
    }

    /// By what kernels are put together.
    pub(super) fn kernel_grouping(&self) -> KernelGrouping {
        self.by.and_then(ByArgument::kernels).unwrap_or_default()
    }

    /// What rows of kernels are sorted by.
    pub(super) fn kernel_sort(&self) -> KernelSort {
        self.sort
            .and_then(SortArgument::kernels)
            .unwrap_or_default()
    }

    /// By what collectives are put together.
    pub(super) fn collective_grouping(&self) -> CollectiveGrouping {
        let by = self.by.and_then(ByArgument::collectives);
        by.unwrap_or_default()
    }

    /// What rows of collectives are sorted by; `None` where the table has no such column.
    pub(super) fn collective_sort(&self) -> Option<CollectiveSort> {
        let grouping = self.collective_grouping();
        let Some(asked) = self.sort else {
            return Some(grouping.first_sort());
        };
        asked
            .collectives()
            .filter(|by| by.column(grouping).is_some())
    }

    fn collective_sorts(&self) -> &'static str {
        match self.collective_grouping() {
            CollectiveGrouping::Each => {
                "choose start, kind, group, bytes, total, hidden, exposed, bandwidth, skew, wait \
                 or transfer"
            }
            CollectiveGrouping::Group => {
                "choose kind, group, count, bytes, total, hidden or exposed"
            }
        }
    }
}

/// By what gaps are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdleGrouping {
    /// Why.
    Cause,
    /// Each for itself.
    Gap,
    /// Their length.
    Length,
}

/// By what figures of memory are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryGrouping {
    /// The window.
    Window,
    /// Each step.
    Step,
    /// Whether it leaks.
    Leak,
}

/// By what rows are put together, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ByArgument {
    /// Kernels: their name.
    Name,
    /// Kernels: computation, communication, memory.
    Class,
    /// Kernels: the innermost CPU op around the launch call.
    Op,
    /// Collectives: each for itself.
    Collective,
    /// Collectives: process group and kind.
    Group,
    /// Idle time: why the device stood still.
    Cause,
    /// Idle time: each gap for itself.
    Gap,
    /// Idle time: the length of the gaps.
    Length,
    /// Memory: the window.
    Window,
    /// Memory: each step.
    Step,
    /// Memory: whether it leaks.
    Leak,
}

impl ByArgument {
    fn kernels(self) -> Option<KernelGrouping> {
        match self {
            Self::Name => Some(KernelGrouping::Name),
            Self::Class => Some(KernelGrouping::Class),
            Self::Op => Some(KernelGrouping::Op),
            _ => None,
        }
    }

    fn idle(self) -> Option<IdleGrouping> {
        match self {
            Self::Cause => Some(IdleGrouping::Cause),
            Self::Gap => Some(IdleGrouping::Gap),
            Self::Length => Some(IdleGrouping::Length),
            _ => None,
        }
    }

    fn memory(self) -> Option<MemoryGrouping> {
        match self {
            Self::Window => Some(MemoryGrouping::Window),
            Self::Step => Some(MemoryGrouping::Step),
            Self::Leak => Some(MemoryGrouping::Leak),
            _ => None,
        }
    }

    fn collectives(self) -> Option<CollectiveGrouping> {
        match self {
            Self::Collective => Some(CollectiveGrouping::Each),
            Self::Group => Some(CollectiveGrouping::Group),
            _ => None,
        }
    }
}

/// What rows are sorted by, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SortArgument {
    /// Time in the window, which is also the order of the shares; of a single collective, its
    /// duration.
    Total,
    /// How many.
    Count,
    /// Mean length.
    Mean,
    /// Median length.
    Median,
    /// Shortest length.
    Min,
    /// Longest length.
    Max,
    /// Kernels: the name, class or op. Collectives: the process group.
    Group,
    /// When a collective starts.
    Start,
    /// Which collective it is.
    Kind,
    /// Bytes of the full buffer.
    Bytes,
    /// What computation hides.
    Hidden,
    /// What nothing hides.
    Exposed,
    /// Bus bandwidth.
    Bandwidth,
    /// Last start less first start over the ranks.
    Skew,
    /// Waiting for the last rank.
    Wait,
    /// From the last start to the last end.
    Transfer,
}

impl SortArgument {
    fn kernels(self) -> Option<KernelSort> {
        match self {
            Self::Total => Some(KernelSort::Total),
            Self::Count => Some(KernelSort::Count),
            Self::Mean => Some(KernelSort::Mean),
            Self::Median => Some(KernelSort::Median),
            Self::Min => Some(KernelSort::Min),
            Self::Max => Some(KernelSort::Max),
            Self::Group => Some(KernelSort::Group),
            _ => None,
        }
    }

    fn collectives(self) -> Option<CollectiveSort> {
        match self {
            Self::Total => Some(CollectiveSort::Total),
            Self::Count => Some(CollectiveSort::Count),
            Self::Group => Some(CollectiveSort::Group),
            Self::Start => Some(CollectiveSort::Start),
            Self::Kind => Some(CollectiveSort::Kind),
            Self::Bytes => Some(CollectiveSort::Bytes),
            Self::Hidden => Some(CollectiveSort::Hidden),
            Self::Exposed => Some(CollectiveSort::Exposed),
            Self::Bandwidth => Some(CollectiveSort::Bandwidth),
            Self::Skew => Some(CollectiveSort::Skew),
            Self::Wait => Some(CollectiveSort::Wait),
            Self::Transfer => Some(CollectiveSort::Transfer),
            Self::Mean | Self::Median | Self::Min | Self::Max => None,
        }
    }
}
