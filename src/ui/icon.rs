//! Icons drawn as lines, so that they look the same on every system: [`Icon`].

use crate::trace::Severity;
use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, pos2, vec2};
use std::f32::consts::TAU;

/// What an icon shows. All are drawn on a grid of 16 by 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Icon {
    /// Open something.
    Folder,
    /// What was opened before.
    Clock,
    /// Dark appearance.
    Moon,
    /// Light appearance.
    Sun,
    /// Keys and help.
    Question,
    /// Close, dismiss.
    Cross,
    /// Load again.
    Reload,
    /// Copy to the clipboard.
    Copy,
    /// Write to a file.
    Export,
    /// A section that is open.
    Down,
    /// An order from the smallest.
    Up,
    /// A section that is closed.
    Right,
    /// All is well.
    Check,
    /// Something to look at.
    Warning,
    /// Worth knowing.
    Info,
    /// A range of time.
    Range,
    /// A named range.
    Tag,
    /// Bring files here.
    Drop,
    /// Entries one below the other.
    List,
    /// Look for something.
    Search,
    /// A menu.
    More,
    /// There is none.
    Minus,
    /// One thing for another.
    Balance,
}

impl Icon {
    /// The icon of a severity of the health list.
    #[must_use]
    pub(super) fn for_severity(severity: Severity) -> Self {
        match severity {
            Severity::Info | Severity::ByChoice => Self::Info,
            Severity::Repaired | Severity::DataLoss => Self::Warning,
        }
    }

    /// Draws the icon in the middle of a rectangle.
    pub(super) fn paint(self, painter: &Painter, rect: Rect, color: Color32) {
        let size = rect.width().min(rect.height());
        let scale = size / 16.0;
        let origin = rect.center() - vec2(size / 2.0, size / 2.0);
        let at = |(x, y): (f32, f32)| pos2(origin.x + x * scale, origin.y + y * scale);
        let stroke = Stroke::new((1.3 * scale).max(1.0), color);
        for mark in self.marks() {
            painter.add(match mark {
                Mark::Line(points) => {
                    Shape::line(points.into_iter().map(at).collect::<Vec<Pos2>>(), stroke)
                }
                Mark::Circle(center, r) => Shape::circle_stroke(at(center), r * scale, stroke),
                Mark::Dot(center, r) => Shape::circle_filled(at(center), r * scale, color),
            });
        }
    }

    fn marks(self) -> Vec<Mark> {
        match self {
            Self::Minus => vec![
                Mark::Circle((8.0, 8.0), 5.8),
                line(&[(5.2, 8.0), (10.8, 8.0)]),
            ],
            Self::More => [3.5, 8.0, 12.5].map(|x| Mark::Dot((x, 8.0), 1.4)).into(),
            Self::Question => vec![
                line(&[
                    (5.2, 5.6),
                    (5.6, 4.0),
                    (7.0, 3.0),
                    (9.0, 3.0),
                    (10.5, 4.1),
                    (10.8, 5.7),
                    (10.0, 7.0),
                    (8.6, 8.0),
                    (8.0, 9.0),
                    (8.0, 10.2),
                ]),
                Mark::Dot((8.0, 12.9), 0.95),
            ],
            Self::Cross => vec![
                line(&[(4.0, 4.0), (12.0, 12.0)]),
                line(&[(12.0, 4.0), (4.0, 12.0)]),
            ],
            Self::Up => vec![line(&[(4.0, 9.8), (8.0, 5.8), (12.0, 9.8)])],
            Self::Down => vec![line(&[(4.0, 6.2), (8.0, 10.2), (12.0, 6.2)])],
            Self::Right => vec![line(&[(6.2, 4.0), (10.2, 8.0), (6.2, 12.0)])],
            Self::Check => vec![line(&[(3.2, 8.4), (6.6, 11.8), (12.8, 4.8)])],
            Self::Warning => vec![
                line(&[(8.0, 2.4), (14.4, 13.4), (1.6, 13.4), (8.0, 2.4)]),
                line(&[(8.0, 6.4), (8.0, 9.6)]),
                Mark::Dot((8.0, 11.5), 0.8),
            ],
            Self::Info => vec![
                Mark::Circle((8.0, 8.0), 5.8),
                line(&[(8.0, 7.4), (8.0, 11.2)]),
                Mark::Dot((8.0, 5.1), 0.85),
            ],
            Self::Range => vec![
                line(&[(3.0, 3.5), (3.0, 12.5)]),
                line(&[(13.0, 3.5), (13.0, 12.5)]),
                line(&[(3.0, 8.0), (13.0, 8.0)]),
            ],
            Self::List => vec![
                line(&[(3.0, 4.0), (13.0, 4.0)]),
                line(&[(3.0, 8.0), (13.0, 8.0)]),
                line(&[(3.0, 12.0), (13.0, 12.0)]),
            ],
            Self::Search => vec![
                Mark::Circle((6.8, 6.8), 4.3),
                line(&[(10.0, 10.0), (13.6, 13.6)]),
            ],
            _ => self.things(),
        }
    }

    /// Icons that show a thing rather than a sign.
    fn things(self) -> Vec<Mark> {
        match self {
            Self::Folder => vec![line(&[
                (2.0, 12.5),
                (2.0, 3.5),
                (6.2, 3.5),
                (7.8, 5.3),
                (14.0, 5.3),
                (14.0, 12.5),
                (2.0, 12.5),
            ])],
            Self::Balance => vec![
                line(&[(8.0, 2.4), (8.0, 13.4)]),
                line(&[(5.4, 13.4), (10.6, 13.4)]),
                line(&[(2.8, 5.4), (13.2, 3.8)]),
                line(&[(1.2, 9.6), (2.8, 5.4), (4.4, 9.6), (1.2, 9.6)]),
                line(&[(11.6, 8.0), (13.2, 3.8), (14.8, 8.0), (11.6, 8.0)]),
            ],
            Self::Clock => vec![
                Mark::Circle((8.0, 8.0), 5.8),
                line(&[(8.0, 4.6), (8.0, 8.2), (10.6, 9.8)]),
            ],
            Self::Moon => vec![Mark::Line(moon())],
            Self::Sun => sun(),
            Self::Reload => vec![
                Mark::Line(arc(8.0, 8.0, 5.2, 0.1, 0.88)),
                line(&[(13.8, 3.6), (13.0, 7.2), (9.6, 6.0)]),
            ],
            Self::Copy => vec![
                line(&[
                    (5.5, 5.5),
                    (13.5, 5.5),
                    (13.5, 13.5),
                    (5.5, 13.5),
                    (5.5, 5.5),
                ]),
                line(&[
                    (3.6, 10.5),
                    (2.5, 10.5),
                    (2.5, 2.5),
                    (10.5, 2.5),
                    (10.5, 3.6),
                ]),
            ],
            Self::Export => vec![
                line(&[(8.0, 2.2), (8.0, 9.6)]),
                line(&[(4.9, 6.8), (8.0, 9.9), (11.1, 6.8)]),
                line(&[(2.5, 10.0), (2.5, 13.5), (13.5, 13.5), (13.5, 10.0)]),
            ],
            Self::Tag => vec![
                line(&[
                    (2.5, 2.5),
                    (8.2, 2.5),
                    (13.8, 8.1),
                    (8.1, 13.8),
                    (2.5, 8.2),
                    (2.5, 2.5),
                ]),
                Mark::Dot((5.3, 5.3), 0.9),
            ],
            Self::Drop => vec![
                line(&[(8.0, 1.8), (8.0, 8.8)]),
                line(&[(5.2, 6.2), (8.0, 9.0), (10.8, 6.2)]),
                line(&[
                    (4.4, 8.0),
                    (1.8, 8.0),
                    (1.8, 14.0),
                    (14.2, 14.0),
                    (14.2, 8.0),
                    (11.6, 8.0),
                ]),
            ],
            // The signs are drawn by `marks`.
            _ => Vec::new(),
        }
    }
}

/// A stroke of an icon.
enum Mark {
    Line(Vec<(f32, f32)>),
    Circle((f32, f32), f32),
    Dot((f32, f32), f32),
}

fn line(points: &[(f32, f32)]) -> Mark {
    Mark::Line(points.to_vec())
}

fn sun() -> Vec<Mark> {
    let mut marks = vec![Mark::Circle((8.0, 8.0), 2.7)];
    for i in 0..8_u8 {
        let (sin, cos) = (f32::from(i) * TAU / 8.0).sin_cos();
        marks.push(line(&[
            (8.0 + cos * 4.6, 8.0 + sin * 4.6),
            (8.0 + cos * 6.4, 8.0 + sin * 6.4),
        ]));
    }
    marks
}

fn arc(x: f32, y: f32, r: f32, from: f32, to: f32) -> Vec<(f32, f32)> {
    (0..=20_u8)
        .map(|i| {
            let turn = from + (to - from) * f32::from(i) / 20.0;
            let (sin, cos) = (turn * TAU).sin_cos();
            (x + r * cos, y + r * sin)
        })
        .collect()
}

/// A crescent: an outer arc and back along a shifted inner one.
fn moon() -> Vec<(f32, f32)> {
    let mut points = arc(7.6, 8.4, 5.4, 0.03, 0.70);
    points.extend(arc(10.6, 5.6, 4.3, 0.58, 0.125));
    if let Some(first) = points.first().copied() {
        points.push(first);
    }
    points
}
