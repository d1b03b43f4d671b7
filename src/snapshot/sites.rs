//! Who holds memory: allocations by stack or by call site, and stacks merged from the outermost
//! frame inwards.
//!
//! The call site of a stack is the innermost function of the program itself: Python that is not part
//! of PyTorch. Where there is none, it is the innermost Python function, else the innermost frame that
//! is not the allocator's own.

use super::{Frame, FrameId, Snapshot, StackId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// What allocations are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupBy {
    /// The call site.
    Site,
    /// The whole stack.
    Stack,
}

/// Allocations that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The call site; `None` where no stack was recorded.
    pub frame: Option<FrameId>,
    /// The stack of the largest of them.
    pub stack: StackId,
    /// Their bytes.
    pub bytes: u64,
    /// How many there are.
    pub count: u64,
    /// The largest.
    pub largest: u64,
}

/// The call sites of all stacks, and whose function each frame is: told once.
#[derive(Clone, Debug, Default)]
pub struct CallSites {
    sites: Vec<Option<FrameId>>,
    origins: Vec<Origin>,
}

impl CallSites {
    /// Tells the call site of every stack of a snapshot.
    #[must_use]
    pub fn new(snapshot: &Snapshot) -> Self {
        let origins: Vec<Origin> = snapshot
            .frames
            .iter()
            .map(|frame| origin(snapshot, frame))
            .collect();
        let mut told = Self {
            sites: Vec::new(),
            origins,
        };
        let sites = snapshot.stacks.iter().map(|stack| {
            let first = |wanted| stack.iter().find(|f| told.origin(**f) == Some(wanted));
            first(Origin::Program)
                .or_else(|| first(Origin::TorchPython))
                .or_else(|| first(Origin::Native))
                .or_else(|| stack.first())
                .copied()
        });
        told.sites = sites.collect();
        told
    }

    /// The call site of a stack; `None` for one without frames.
    #[must_use]
    pub fn get(&self, stack: StackId) -> Option<FrameId> {
        *self.sites.get(usize::try_from(stack.0).ok()?)?
    }

    /// Whether a frame is of the program itself: Python that is not part of PyTorch.
    #[must_use]
    pub fn is_of_program(&self, frame: FrameId) -> bool {
        self.origin(frame) == Some(Origin::Program)
    }

    /// Whether a frame is Python, the program's or PyTorch's.
    fn is_python(&self, frame: FrameId) -> bool {
        let origin = self.origin(frame);
        matches!(origin, Some(Origin::Program | Origin::TorchPython))
    }

    fn origin(&self, frame: FrameId) -> Option<Origin> {
        self.origins.get(usize::try_from(frame.0).ok()?).copied()
    }
}

/// Whose function it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Program,
    TorchPython,
    Native,
    /// The allocator and what walks stacks: at the inner end of every stack.
    Allocator,
}

fn origin(snapshot: &Snapshot, frame: Frame) -> Origin {
    let file = snapshot.texts.get(frame.file);
    let name = snapshot.texts.get(frame.name);
    // Notebooks and `python -c` have names in brackets.
    let extension = file.rsplit_once('.').map(|(_, extension)| extension);
    let is_python = extension.is_some_and(|e| e.eq_ignore_ascii_case("py"))
        || (file.starts_with('<') && file.ends_with('>'));
    if is_python {
        let is_torch = is_torch(file) || file.starts_with("<frozen ");
        return if is_torch {
            Origin::TorchPython
        } else {
            Origin::Program
        };
    }
    let inner = [
        "torch::unwind",
        "torch::CapturedTraceback",
        "gather_with_cpp",
        "CachingAllocator",
    ];
    if inner.iter().any(|word| name.contains(word)) {
        Origin::Allocator
    } else {
        Origin::Native
    }
}

/// Whether a Python file is PyTorch's own, or one that its compiler wrote. A folder called `torch` alone
/// may be the program's: it counts where packages are installed, or before what PyTorch consists of.
fn is_torch(file: &str) -> bool {
    const PARTS: [&str; 24] = [
        "_C",
        "_compile.py",
        "_dynamo",
        "_functorch",
        "_higher_order_ops",
        "_inductor",
        "_ops.py",
        "_tensor.py",
        "_utils.py",
        "ao",
        "autograd",
        "cuda",
        "distributed",
        "export",
        "functional.py",
        "fx",
        "jit",
        "library.py",
        "nested",
        "nn",
        "optim",
        "overrides.py",
        "profiler",
        "utils",
    ];
    let mut before = "";
    let mut parts = file.split(['/', '\\']).peekable();
    while let Some(part) = parts.next() {
        let is_installed = matches!(before, "site-packages" | "dist-packages");
        let next = parts.peek().copied().unwrap_or_default();
        if part.starts_with("torchinductor_")
            || part == "torch" && (is_installed || PARTS.contains(&next))
        {
            return true;
        }
        before = part;
    }
    false
}

/// Groups allocations, each a stack and its bytes; the most bytes first.
#[must_use]
pub fn group(
    sites: &CallSites,
    by: GroupBy,
    allocations: impl IntoIterator<Item = (StackId, u64)>,
) -> Vec<Site> {
    let mut places: FxHashMap<(Option<FrameId>, StackId), usize> = FxHashMap::default();
    let mut groups: Vec<Site> = Vec::new();
    for (stack, bytes) in allocations {
        let frame = sites.get(stack);
        let key = match by {
            GroupBy::Site => (frame, StackId::NONE),
            GroupBy::Stack => (frame, stack),
        };
        let place = *places.entry(key).or_insert_with(|| {
            groups.push(Site {
                frame,
                stack,
                bytes: 0,
                count: 0,
                largest: 0,
            });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(place) {
            if bytes > group.largest {
                group.largest = bytes;
                group.stack = stack;
            }
            group.bytes = group.bytes.saturating_add(bytes);
            group.count += 1;
        }
    }
    groups.sort_by_key(|g| (Reverse(g.bytes), g.frame, g.stack));
    groups
}

/// A node of merged stacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its function; `None` for the root, and for allocations without a stack.
    pub frame: Option<FrameId>,
    /// Bytes of it and of all below.
    pub bytes: u64,
    /// Allocations of it and of all below.
    pub count: u64,
    /// The node above; the root is its own.
    pub parent: usize,
    /// The nodes below, the most bytes first.
    pub children: Vec<usize>,
}

/// Stacks merged from the outermost frame inwards. Node 0 is the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameTree {
    /// All nodes; a parent stands before its children.
    pub nodes: Vec<Node>,
}

impl FrameTree {
    /// Merges the stacks of allocations. With `only_python` the frames of native code are left out,
    /// except where a stack has no others.
    #[must_use]
    pub fn new(
        snapshot: &Snapshot,
        sites: &CallSites,
        only_python: bool,
        allocations: impl IntoIterator<Item = (StackId, u64)>,
    ) -> Self {
        let mut by_stack: FxHashMap<StackId, (u64, u64)> = FxHashMap::default();
        for (stack, bytes) in allocations {
            let sums = by_stack.entry(stack).or_default();
            sums.0 = sums.0.saturating_add(bytes);
            sums.1 += 1;
        }
        let mut stacks: Vec<(StackId, (u64, u64))> = by_stack.into_iter().collect();
        stacks.sort_unstable();
        let shown = |frame: &FrameId| !only_python || sites.is_python(*frame);
        let mut tree = Self {
            nodes: vec![Node::new(None, 0)],
        };
        let mut children: FxHashMap<(usize, Option<FrameId>), usize> = FxHashMap::default();
        for (stack, (bytes, count)) in stacks {
            let frames = snapshot.stacks.get(stack);
            let some = frames.iter().any(shown);
            let path = frames.iter().rev().filter(|f| !some || shown(f)).copied();
            let mut path: Vec<Option<FrameId>> = path.map(Some).collect();
            if path.is_empty() {
                path.push(None);
            }
            let mut at = 0;
            tree.add(at, bytes, count);
            for frame in path {
                let next = tree.nodes.len();
                let child = *children.entry((at, frame)).or_insert(next);
                if child == next {
                    tree.nodes.push(Node::new(frame, at));
                    if let Some(parent) = tree.nodes.get_mut(at) {
                        parent.children.push(next);
                    }
                }
                at = child;
                tree.add(at, bytes, count);
            }
        }
        tree.sort();
        tree
    }

    fn add(&mut self, at: usize, bytes: u64, count: u64) {
        if let Some(node) = self.nodes.get_mut(at) {
            node.bytes = node.bytes.saturating_add(bytes);
            node.count += count;
        }
    }

    fn sort(&mut self) {
        let bytes: Vec<u64> = self.nodes.iter().map(|node| node.bytes).collect();
        for node in &mut self.nodes {
            node.children
                .sort_by_key(|child| Reverse(bytes.get(*child).copied()));
        }
    }
}

impl Node {
    fn new(frame: Option<FrameId>, parent: usize) -> Self {
        Self {
            frame,
            bytes: 0,
            count: 0,
            parent,
            children: Vec::new(),
        }
    }
}
