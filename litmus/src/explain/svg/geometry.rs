//! Points, rectangles and curves.

use std::ops::{Add, Mul, Sub};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    pub fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    pub fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    /// The point at a distance from this one, in the direction of the other.
    pub fn toward(self, other: Point, distance: f64) -> Point {
        let way = other - self;
        match way.length() {
            0.0 => self,
            length => self + way * (distance / length),
        }
    }

    /// As a vector, turned by a right angle.
    pub fn turned(self) -> Point {
        Point::new(-self.y, self.x)
    }
}

impl Add for Point {
    type Output = Point;
    fn add(self, o: Point) -> Point {
        Point::new(self.x + o.x, self.y + o.y)
    }
}

impl Sub for Point {
    type Output = Point;
    fn sub(self, o: Point) -> Point {
        Point::new(self.x - o.x, self.y - o.y)
    }
}

impl Mul<f64> for Point {
    type Output = Point;
    fn mul(self, by: f64) -> Point {
        Point::new(self.x * by, self.y * by)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Rect {
    pub fn around(middle: Point, width: f64, height: f64) -> Rect {
        Rect {
            left: middle.x - width / 2.0,
            top: middle.y - height / 2.0,
            right: middle.x + width / 2.0,
            bottom: middle.y + height / 2.0,
        }
    }

    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub fn middle(&self) -> Point {
        Point::new(
            (self.left + self.right) / 2.0,
            (self.top + self.bottom) / 2.0,
        )
    }

    pub fn contains(&self, p: Point) -> bool {
        p.x > self.left && p.x < self.right && p.y > self.top && p.y < self.bottom
    }

    pub fn meets(&self, o: &Rect) -> bool {
        self.left < o.right && o.left < self.right && self.top < o.bottom && o.top < self.bottom
    }

    pub fn grown(&self, by: f64) -> Rect {
        Rect {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    pub fn include(&mut self, p: Point) {
        self.left = self.left.min(p.x);
        self.right = self.right.max(p.x);
        self.top = self.top.min(p.y);
        self.bottom = self.bottom.max(p.y);
    }

    pub fn join(&mut self, o: Rect) {
        self.include(Point::new(o.left, o.top));
        self.include(Point::new(o.right, o.bottom));
    }

    /// Where a ray from the middle toward a point leaves the rectangle.
    pub fn border(&self, toward: Point) -> Point {
        let middle = self.middle();
        let way = toward - middle;
        let across = |d: f64, half: f64| {
            if d == 0.0 {
                f64::INFINITY
            } else {
                half / d.abs()
            }
        };
        let by = across(way.x, self.width() / 2.0).min(across(way.y, self.height() / 2.0));
        match by.is_finite() {
            true => middle + way * by,
            false => middle,
        }
    }
}

/// A point of a cubic Bézier curve.
pub(super) fn on_curve([a, b, c, d]: [Point; 4], t: f64) -> Point {
    let s = 1.0 - t;
    a * (s * s * s) + b * (3.0 * s * s * t) + c * (3.0 * s * t * t) + d * (t * t * t)
}

/// The quadratic curve with this control point, as a cubic one.
pub(super) fn quadratic(a: Point, control: Point, d: Point) -> [Point; 4] {
    let by = 2.0 / 3.0;
    [a, a + (control - a) * by, d + (control - d) * by, d]
}
