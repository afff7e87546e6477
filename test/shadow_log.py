# SPDX-License-Identifier: GPL-2.0-or-later
"""shadow_log.py EVENTS POLICY: an event log of a simulation, as if slurmctld had written it in
mode shadow of that policy: the host starts what the simulation started."""
import json
import sys

SINCE_US = 1000000  # slurmctld's boot

for line in map(json.loads, open(sys.argv[1], encoding="utf-8")):
    if line["ev"] == "header":
        line["params"] = {"mode": "shadow", "policy": sys.argv[2]}
        line["boot"] = SINCE_US
    else:
        line["t"] += SINCE_US
    if line["ev"] == "start":
        line = {k: line[k] for k in ("t", "ev", "job", "ppn", "alloc")} | {"by": "host"}
    if line["ev"] in ("header", "submit", "start", "finish"):
        print(json.dumps(line))
