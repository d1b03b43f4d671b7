//! overlane.
