//! Merged stacks as an icicle: which boxes stand where, and what is under a point. Geometry only.

use super::{FrameId, FrameTree};

/// A box narrower than this is merged with its neighbours.
const LEAST_PX: f64 = 2.0;

/// One box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlameBox {
    /// The node; of several merged ones the largest.
    pub node: usize,
    /// How many nodes are merged because they are narrow; 1 is the node itself.
    pub nodes: usize,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Row from the top; 0 is the root that is zoomed into.
    pub depth: usize,
    /// Left edge in pixels.
    pub from: f64,
    /// Right edge.
    pub to: f64,
}

#[expect(clippy::cast_precision_loss, reason = "a place on the screen")]
fn real(bytes: u64) -> f64 {
    bytes as f64
}

/// The node at the end of a path of frames from the root; the deepest one that is there.
#[must_use]
pub fn node_at(tree: &FrameTree, path: &[Option<FrameId>]) -> usize {
    let mut at = 0;
    for frame in path {
        let children = tree.nodes.get(at).map_or(&[][..], |n| &n.children);
        let is_it = |child: &&usize| tree.nodes.get(**child).is_some_and(|n| n.frame == *frame);
        match children.iter().find(is_it) {
            Some(child) => at = *child,
            None => break,
        }
    }
    at
}

/// The frames from the root to a node.
#[must_use]
pub fn path_to(tree: &FrameTree, node: usize) -> Vec<Option<FrameId>> {
    let mut path = Vec::new();
    let mut at = node;
    // A parent stands before its children, so this ends.
    while at > 0
        && let Some(node) = tree.nodes.get(at)
    {
        path.push(node.frame);
        at = node.parent;
    }
    path.reverse();
    path
}

/// The boxes of a node and of all below it, over a width in pixels.
#[must_use]
pub fn boxes(tree: &FrameTree, root: usize, px: f64, most_depth: usize) -> Vec<FlameBox> {
    let Some(top) = tree.nodes.get(root) else {
        return Vec::new();
    };
    let scale = px / real(top.bytes.max(1));
    let mut found = Vec::new();
    let mut todo = vec![(root, 0, 0.0)];
    while let Some((at, depth, from)) = todo.pop() {
        let Some(node) = tree.nodes.get(at) else {
            continue;
        };
        let to = from + real(node.bytes) * scale;
        found.push(FlameBox {
            node: at,
            nodes: 1,
            bytes: node.bytes,
            depth,
            from,
            to,
        });
        if depth + 1 >= most_depth {
            continue;
        }
        let mut x = from;
        let mut narrow: Option<FlameBox> = None;
        // The largest come first, so what is narrow stands together at the end.
        for child in &node.children {
            let bytes = tree.nodes.get(*child).map_or(0, |n| n.bytes);
            let end = x + real(bytes) * scale;
            if end - x >= LEAST_PX {
                todo.push((*child, depth + 1, x));
            } else {
                let merged = narrow.get_or_insert(FlameBox {
                    node: *child,
                    nodes: 0,
                    bytes: 0,
                    depth: depth + 1,
                    from: x,
                    to: x,
                });
                merged.nodes += 1;
                merged.bytes = merged.bytes.saturating_add(bytes);
                merged.to = end;
            }
            x = end;
        }
        found.extend(narrow.map(|merged| FlameBox {
            to: merged.to.max(merged.from + 1.0),
            ..merged
        }));
    }
    found.sort_by(|a, b| (a.depth).cmp(&b.depth).then(a.from.total_cmp(&b.from)));
    found
}

/// The box at a point: pixels from the left, row from the top.
#[must_use]
pub fn box_at(boxes: &[FlameBox], x: f64, depth: usize) -> Option<&FlameBox> {
    boxes
        .iter()
        .find(|b| b.depth == depth && b.from <= x && x < b.to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Node;

    fn node(frame: Option<u32>, bytes: u64, parent: usize, children: &[usize]) -> Node {
        Node {
            frame: frame.map(FrameId),
            bytes,
            count: 1,
            parent,
            children: children.to_vec(),
        }
    }

    fn tree() -> FrameTree {
        FrameTree {
            nodes: vec![
                node(None, 1_000, 0, &[1, 2, 3]),
                node(Some(7), 990, 0, &[4]),
                node(Some(8), 6, 0, &[]),
                node(Some(9), 4, 0, &[]),
                node(Some(10), 500, 1, &[]),
            ],
        }
    }

    #[test]
    fn boxes_are_as_wide_as_their_bytes_and_narrow_ones_are_merged() {
        let found = boxes(&tree(), 0, 100.0, 10);
        let of = |node: usize| found.iter().find(|b| b.node == node).copied();
        let wide = of(1).unwrap();
        assert!((wide.to - wide.from - 99.0).abs() < 1e-9);
        let merged = of(2).unwrap();
        assert_eq!((merged.nodes, merged.bytes, merged.depth), (2, 10, 1));
        assert!(of(3).is_none());
        assert_eq!(box_at(&found, 99.5, 1).map(|b| b.node), Some(2));
        assert_eq!(box_at(&found, 10.0, 2).map(|b| b.node), Some(4));
        assert_eq!(box_at(&found, 80.0, 2), None);
        assert_eq!(boxes(&tree(), 0, 100.0, 1).len(), 1);
    }

    #[test]
    fn a_path_leads_to_its_node_and_back() {
        let tree = tree();
        let path = path_to(&tree, 4);
        assert_eq!(path, [Some(FrameId(7)), Some(FrameId(10))]);
        assert_eq!(node_at(&tree, &path), 4);
        assert_eq!(node_at(&tree, &[Some(FrameId(7)), Some(FrameId(99))]), 1);
        assert_eq!(node_at(&tree, &[]), 0);
        let zoomed = boxes(&tree, 1, 100.0, 10);
        assert!((zoomed[0].to - 100.0).abs() < 1e-9);
    }
}
