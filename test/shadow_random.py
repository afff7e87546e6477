#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# shadow_random.py SEED: a log of mode shadow that says one thing after another as
# slurmctld's side would: jobs and arrays come, start, end, run again, are cancelled; the
# engine proposes; the log is rotated, slurmctld starts again, and is now and then in
# another mode.
import json
import random
import sys

NODES, CORES = 6, 4
rng = random.Random(int(sys.argv[1]))
now, number = 1700000000.0, 0
waiting, running = {}, {}
mode = "shadow"


def put(ev, **fields):
    line = {"t": now, "ev": ev} if ev != "header" else {"ev": ev}
    line.update(fields)
    print(json.dumps(line, separators=(",", ":")))


def header(after=None):
    fields = dict(version=1, release="0.1.0", boot=now,
                  machine=dict(nodes=NODES, sockets=2, cores=CORES // 2),
                  params=dict(mode=mode, policy=rng.choice(["easy", "adaptive", "cst"])), seed=1)
    if after:
        fields["after"] = after
    put("header", **fields)
    if not after:
        for n in sorted(waiting):  # it went meanwhile, or its number is another's now
            if rng.random() < .3:
                del waiting[n]
            elif rng.random() < .3:
                waiting[n]["submit"] = now
    for n, j in sorted(running.items()):
        put("submit", **dict(j["line"], job=n, submit=j["submit"]))
        put("start", job=n, by="host", ppn=j["ppn"], alloc=j["alloc"], start=j["start"])
    for n, j in sorted(waiting.items()):
        put("submit", **dict(j["line"], job=n, submit=j["submit"], tasks=j["tasks"]))
    if after:
        put("tick")


def used():
    cores = [set() for _ in range(NODES)]
    for j in running.values():
        for node, part in j["at"].items():
            cores[node] |= part
    return cores


def place(procs, held):
    """Cores for @procs that @held leaves, as they come; None: not enough."""
    at = {}
    for node in rng.sample(range(NODES), NODES):
        free = [c for c in range(CORES) if c not in held[node]]
        take = free[:procs - sum(map(len, at.values()))]
        if take:
            at[node] = set(take)
    return at if sum(map(len, at.values())) == procs else None


def text(at):
    return {str(n): ",".join(map(str, sorted(c))) for n, c in sorted(at.items())}


def submit():
    global number
    number += 1
    line = dict(user=rng.choice(["ann", "bob", "c\"<d>&é", ""]), account=rng.choice(["phys", "bio"]),
                partition=rng.choice(["main", "main,long"]), procs=rng.randint(1, 12),
                estimate=rng.choice([60, 600, 3600]), profile=rng.choice(["cg", "io", "mem", ""]))
    line = {k: v for k, v in line.items() if v != ""}
    tasks = rng.choice([1, 1, 1, 4])
    if rng.random() < .2:
        line["eligible"] = now + rng.randint(1, 20)
    j = dict(line=line, submit=now, tasks=tasks)
    waiting[number] = j
    put("submit", job=number, **dict(line, tasks=tasks) if tasks > 1 else line)
    if tasks > 1:
        number += tasks


def start():
    if not waiting:
        return
    n = rng.choice(sorted(waiting))
    j = waiting[n]
    at = place(j["line"]["procs"], used())
    if not at or j["line"].get("eligible", 0) > now:
        return
    fields, task = {}, n
    if j["tasks"] > 1:
        task = n + j["tasks"] - 1
        fields["array"] = n
        j["tasks"] -= 1
    else:
        del waiting[n]
    began = max(j["submit"], now - rng.choice([0, .5]))
    running[task] = dict(line=j["line"], submit=j["submit"], at=at, alloc=text(at), start=began,
                         ppn=max(map(len, at.values())))
    put("start", job=task, by="host", ppn=running[task]["ppn"], alloc=text(at), start=began,
        **fields)


def end():
    if not running:
        return
    n = rng.choice(sorted(running))
    j = running.pop(n)
    if rng.random() < .1:
        put("requeue", job=n, **dict(j["line"], submit=now))
        waiting[n] = dict(line=j["line"], submit=now, tasks=1)
    else:
        put("finish", job=n)


def cancel():
    if waiting and rng.random() < .2:
        n = rng.choice(sorted(waiting))
        del waiting[n]
        put("cancel", job=n)


def change():
    if waiting:
        n = rng.choice(sorted(waiting))
        j = waiting[n]
        j["line"] = dict(j["line"], estimate=j["line"]["estimate"] + 60)
        put("change", job=n, **dict(j["line"], submit=j["submit"], tasks=j["tasks"]))


def propose():
    if mode != "shadow":
        return
    held, seq = used(), 0
    lines = []
    for n in rng.sample(sorted(waiting), min(len(waiting), 3)):
        for _ in range(min(waiting[n]["tasks"], rng.randint(1, 3))):
            seq += 1
            if rng.random() < .1:
                lines.append(dict(do="host_start", job=n, seq=seq))
                continue
            at = place(waiting[n]["line"]["procs"], held)
            if not at:
                continue
            for node, part in at.items():
                held[node] |= part
            x = dict(do="start", job=n, seq=seq, ppn=1, alloc=text(at))
            if rng.random() < .4:
                x.update(group=seq, role="matched")
            if rng.random() < .4:
                x["limit"] = waiting[n]["line"]["estimate"] + rng.choice([30, 90])
            lines.append(x)
    if lines:
        put("decide", actions=len(lines))
    for x in lines:
        put("would", **x)


header()
for _ in range(rng.randint(50, 400)):
    now += rng.choice([0, .25, 1, 5, 30])
    kind = rng.random()
    if kind < .01:
        header("rotation")
    elif kind < .02:
        mode = rng.choice(["shadow", "shadow", "shadow", "act"])
        header()
    else:
        rng.choice([submit, start, start, end, propose, propose, cancel, change])()
if mode != "shadow":
    mode = "shadow"
    header()
