#!/usr/bin/env bash
# Passes every check of the project on a fresh Debian machine with Rust: formatting, lints, all tests, documentation,
# and the main job on a sample. Installs the system packages that the tests need where apt and root are there.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }

# Libraries that the window opens at run time, a software renderer, a virtual display and what drives it.
packages=(
  gcc libc6-dev libx11-6 libx11-xcb1 libxcursor1 libxi6 libxrandr2 libxkbcommon0 libxkbcommon-x11-0
  libgl1 libegl1 libgl1-mesa-dri libvulkan1 mesa-vulkan-drivers xvfb xdotool openbox fonts-dejavu-core
)

say "system packages"
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  missing=()
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  if [ "${#missing[@]}" -gt 0 ]; then
    echo "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
else
  echo "not root or no apt: using what is installed (the window test is skipped without Xvfb)"
fi

# Mesa complains without one.
if [ -z "${XDG_RUNTIME_DIR:-}" ]; then
  XDG_RUNTIME_DIR=$(mktemp -d)
  export XDG_RUNTIME_DIR
fi

say "one egui"
# Two versions of egui in one lock file compile and fail only at use.
if [ "$(grep -c '^name = "egui"$' Cargo.lock)" != 1 ]; then
  echo "Cargo.lock holds more than one egui" >&2
  exit 1
fi

say "format"
cargo fmt --all --check

say "lints"
cargo clippy --locked --all-targets -- -D warnings

say "tests"
# Benchmarks are compiled by the lints and run by `cargo bench`, not here.
cargo test --locked --lib --bins --tests --examples
cargo test --locked --doc

say "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --document-private-items

say "main job"
report=$(cargo run --locked --quiet -- report sample_traces/serial_step.json --format csv)
echo "$report"
grep -q '^0,0,' <<<"$report"

say "all checks passed"
