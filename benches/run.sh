#!/usr/bin/env bash
# Runs all benchmarks and prints one table of their figures and ratios.
#
#   benches/run.sh            # about a quarter of an hour on two cores, 2 GB of disk, 7 GB of memory
#   benches/run.sh quick      # small sizes: whether everything runs, not what it costs
#
# Each line names what was measured, the measurement, and the ratio to the baseline of the same run. Files are made by
# `make_big` and `make_snapshots` in a folder of their own under the system's folder for temporary files, which is removed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = quick ]; then
  sizes=(100000 300000)
  snapshot=100000
  export OVERLANE_BENCH_KERNELS=1000000 OVERLANE_BENCH_SLICES=1000000
else
  sizes=(1000000 3000000)
  snapshot=5000000
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "building" >&2
cargo build --release --locked --quiet
cargo build --release --locked --quiet --example make_big --example make_snapshots
target=$(cargo metadata --format-version 1 --no-deps | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')

files=()
for events in "${sizes[@]}"; do
  "$target/release/examples/make_big" --events "$events" --ranks 1 --out "$folder/$events" >&2
  mv "$folder/$events"/*.json "$folder/$events.json"
  files+=("$folder/$events.json")
done
gzip -6 -k "${files[-1]}"
files+=("${files[-1]}.gz")

"$target/release/examples/make_snapshots" "$folder" --events "$snapshot" >&2

{
  cargo bench --locked --quiet --bench ingest -- "${files[@]}"
  if command -v python3 >/dev/null; then
    python3 benches/compare.py "$target/release/overlane" "${files[@]:1}"
  else
    echo "no python3: whole processes are not compared" >&2
  fi
  cargo bench --locked --quiet --bench window
  cargo bench --locked --quiet --bench frame
  cargo bench --locked --quiet --bench snapshot -- "$folder/big.pickle"
} | tee "$folder/table"

if command -v column >/dev/null; then
  echo
  column -t -s $'\t' "$folder/table"
fi
