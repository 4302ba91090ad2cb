"""What every peer's script shares: its arguments, the waits between steps, and the line it prints."""

import argparse
import json
import resource
import threading
import time

RESULT = "t" * 256


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--sessions", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--safe", action="store_true", help="safe against power loss, as fast as it can be made")
    return parser.parse_args()


class Waits:
    """From a result that is handed over to the beginning of the next step, per session."""

    def __init__(self):
        self.handed_over = {}
        self.waits = []
        self.lock = threading.Lock()

    def step(self, session):
        """One step: begins, and has its result at once."""
        began = time.perf_counter()
        with self.lock:
            before = self.handed_over.get(session)
            if before is not None:
                self.waits.append(began - before)
            self.handed_over[session] = time.perf_counter()
        return RESULT

    def percentile_us(self, percent):
        if not self.waits:
            return 0
        ordered = sorted(self.waits)
        return int(ordered[min(len(ordered) * percent // 100, len(ordered) - 1)] * 1_000_000)


class Watch:
    def __init__(self):
        self.started = time.perf_counter()
        self.cpu = cpu_seconds()

    def report(self, steps, waits, more_cpu=0.0):
        seconds = time.perf_counter() - self.started
        line = {
            "steps": steps,
            "seconds": seconds,
            "cpu_seconds": cpu_seconds() - self.cpu + more_cpu,
            "p50_us": waits.percentile_us(50),
            "p95_us": waits.percentile_us(95),
        }
        print(json.dumps(line), flush=True)


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
