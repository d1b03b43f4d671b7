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
}

impl Icon {
    /// The icon of a severity of the health list.
    #[must_use]
    pub(super) fn for_severity(severity: Severity) -> Self {
        match severity {
            Severity::Info => Self::Info,
            Severity::Repaired | Severity::DataLoss => Self::Warning,
        }
    }

    /// Draws the icon in the middle of a rectangle.
    pub(super) fn paint(self, painter: &Painter, rect: Rect, color: Color32) {
        let size = rect.width().min(rect.height());
        let scale = size / 16.0;
        let origin = rect.center() - vec2(size / 2.0, size / 2.0);
        let at = |x: f32, y: f32| pos2(origin.x + x * scale, origin.y + y * scale);
        let stroke = Stroke::new((1.3 * scale).max(1.0), color);
        let line = |points: &[(f32, f32)]| {
            let points: Vec<Pos2> = points.iter().map(|&(x, y)| at(x, y)).collect();
            painter.add(Shape::line(points, stroke));
        };
        let circle = |x: f32, y: f32, r: f32| painter.circle_stroke(at(x, y), r * scale, stroke);
        let dot = |x: f32, y: f32, r: f32| painter.circle_filled(at(x, y), r * scale, color);
        match self {
            Self::Folder => line(&[
                (2.0, 12.5),
                (2.0, 3.5),
                (6.2, 3.5),
                (7.8, 5.3),
                (14.0, 5.3),
                (14.0, 12.5),
                (2.0, 12.5),
            ]),
            Self::Clock => {
                circle(8.0, 8.0, 5.8);
                line(&[(8.0, 4.6), (8.0, 8.2), (10.6, 9.8)]);
            }
            Self::Moon => line(&moon()),
            Self::Sun => {
                circle(8.0, 8.0, 2.7);
                for i in 0..8_u8 {
                    let (sin, cos) = (f32::from(i) * TAU / 8.0).sin_cos();
                    line(&[
                        (8.0 + cos * 4.6, 8.0 + sin * 4.6),
                        (8.0 + cos * 6.4, 8.0 + sin * 6.4),
                    ]);
                }
            }
            Self::Question => {
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
                ]);
                dot(8.0, 12.9, 0.95);
            }
            Self::Cross => {
                line(&[(4.0, 4.0), (12.0, 12.0)]);
                line(&[(12.0, 4.0), (4.0, 12.0)]);
            }
            Self::Reload => {
                line(&arc(8.0, 8.0, 5.2, 0.1, 0.88));
                line(&[(13.8, 3.6), (13.0, 7.2), (9.6, 6.0)]);
            }
            Self::Copy => {
                line(&[
                    (5.5, 5.5),
                    (13.5, 5.5),
                    (13.5, 13.5),
                    (5.5, 13.5),
                    (5.5, 5.5),
                ]);
                line(&[
                    (3.6, 10.5),
                    (2.5, 10.5),
                    (2.5, 2.5),
                    (10.5, 2.5),
                    (10.5, 3.6),
                ]);
            }
            Self::Export => {
                line(&[(8.0, 2.2), (8.0, 9.6)]);
                line(&[(4.9, 6.8), (8.0, 9.9), (11.1, 6.8)]);
                line(&[(2.5, 10.0), (2.5, 13.5), (13.5, 13.5), (13.5, 10.0)]);
            }
            Self::Down => line(&[(4.0, 6.2), (8.0, 10.2), (12.0, 6.2)]),
            Self::Right => line(&[(6.2, 4.0), (10.2, 8.0), (6.2, 12.0)]),
            Self::Check => line(&[(3.2, 8.4), (6.6, 11.8), (12.8, 4.8)]),
            Self::Warning => {
                line(&[(8.0, 2.4), (14.4, 13.4), (1.6, 13.4), (8.0, 2.4)]);
                line(&[(8.0, 6.4), (8.0, 9.6)]);
                dot(8.0, 11.5, 0.8);
            }
            Self::Info => {
                circle(8.0, 8.0, 5.8);
                line(&[(8.0, 7.4), (8.0, 11.2)]);
                dot(8.0, 5.1, 0.85);
            }
            Self::Range => {
                line(&[(3.0, 3.5), (3.0, 12.5)]);
                line(&[(13.0, 3.5), (13.0, 12.5)]);
                line(&[(3.0, 8.0), (13.0, 8.0)]);
            }
            Self::Tag => {
                line(&[
                    (2.5, 2.5),
                    (8.2, 2.5),
                    (13.8, 8.1),
                    (8.1, 13.8),
                    (2.5, 8.2),
                    (2.5, 2.5),
                ]);
                dot(5.3, 5.3, 0.9);
            }
            Self::Drop => {
                line(&[(8.0, 1.8), (8.0, 8.8)]);
                line(&[(5.2, 6.2), (8.0, 9.0), (10.8, 6.2)]);
                line(&[
                    (4.4, 8.0),
                    (1.8, 8.0),
                    (1.8, 14.0),
                    (14.2, 14.0),
                    (14.2, 8.0),
                    (11.6, 8.0),
                ]);
            }
        }
    }
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
    points.extend(arc(10.6, 5.6, 4.3, 0.58, 0.145 - 0.02).into_iter());
    if let Some(first) = points.first().copied() {
        points.push(first);
    }
    points
}
