"""Whole processes against each other: wall time, processor time and peak memory, in turns.

    python3 benches/compare.py PATH/TO/overlane FILE...

For every file, `overlane report` runs in turns with what else reads such files, so that all of
them meet the same machine. The fastest run counts. What is not installed is left out.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import time

ROUNDS = int(os.environ.get("OVERLANE_BENCH_ROUNDS", "3"))

JSON_LOAD = """
import gc, gzip, json, os, sys
if sys.argv[2] == "off":
    gc.disable()
path = sys.argv[1]
opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
with opened as file:
    json.load(file)
os._exit(0)  # freeing millions of objects is not part of the measurement
"""

ORJSON = """
import gzip, orjson, os, sys
path = sys.argv[1]
opened = gzip.open(path) if path.endswith(".gz") else open(path, "rb")
with opened as file:
    orjson.loads(file.read())
os._exit(0)
"""


def run(command):
    """Wall seconds, processor seconds and peak MB of a command."""
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{command[0]} failed with {child.returncode}")
    return time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    overlane, *files = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        scripts = {}
        for name, text in [("json", JSON_LOAD), ("orjson", ORJSON)]:
            scripts[name] = os.path.join(folder, "read_" + name + ".py")
            with open(scripts[name], "w") as script:
                script.write(text)
        print("bench\tfile\tcommand\twall_s\tcpu_s\tpeak_mb\tratio", flush=True)
        for path in files:
            commands = {
                "overlane report": [overlane, "report", path],
                "json.load, gc off": [sys.executable, scripts["json"], path, "off"],
                "json.load": [sys.executable, scripts["json"], path, "on"],
            }
            if importlib.util.find_spec("orjson"):
                commands["orjson.loads"] = [sys.executable, scripts["orjson"], path]
            best = {}
            for name in list(commands) * ROUNDS:
                found = run(commands[name])
                best[name] = min(best.get(name, found), found)
            ours = best["overlane report"][0]
            for name, (wall, cpu, peak) in best.items():
                row = [os.path.basename(path), name, f"{wall:.2f}", f"{cpu:.2f}", f"{peak:.0f}"]
                print("process", *row, f"{wall / ours:.1f}", sep="\t", flush=True)


main()
