"""Scenarios of one script: functions that raise Failure when a guarantee does not hold. Prints `ok NAME` or `FAIL NAME` for each."""
import sys
import traceback

_scenarios = []


class Skip(Exception):
    """What a scenario needs is not here; its text says what."""


def scenario(function):
    _scenarios.append(function)
    return function


def run_scenarios():
    failed = 0
    for function in _scenarios:
        if len(sys.argv) > 1 and function.__name__ not in sys.argv[1:]:
            continue
        try:
            function()
            print(f"ok {function.__name__}", flush=True)
        except Skip as why:
            print(f"skipped {function.__name__}: {why}", flush=True)
        except Exception:  # every kind of failure is one line more, not the end of the script
            failed += 1
            print(f"FAIL {function.__name__}\n{traceback.format_exc()}", flush=True)
    sys.exit(1 if failed else 0)
