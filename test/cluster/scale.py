#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures of load tests (morning.sh, waiting.sh), and contrib/scale's table.

scale.py mixed SEED COUNT NODES CORES       jobs for `load submit` that all fit an empty machine
scale.py crowd SEED COUNT PARTITIONS NODES UID,...
                                            jobs that wait in the partitions p1 ... of so many nodes
scale.py watch PID OFFSET FILE              how many requests pend in slurmctld, 50 times a second
                                            into FILE; OFFSET of their number in slurmctld_config
scale.py row LOG HOLDS KEY=VALUE...         slurmctld's log and what holds.c wrote, as a row (JSON);
                                            pends=FILE of watch, most=N: what fell while requests pend
scale.py judge short|middle|whole ROWS      `ok - ` or `not ok - ` for each thing that rows show
scale.py table ROWS                         the rows as doc/results/scale.md

Rows of the same setting are taken together, a median over the rounds; act is compared with
stock's rows of the same rounds.
"""
import calendar
import json
import os
import random
import re
import subprocess
import sys
import time
from statistics import median

STAMP = re.compile(r'\[(\d+-\d+-\d+T\d+:\d+:\d+)\.(\d+)\]')
START = re.compile(r'cosched: started|sched: Allocate|_start_job: Started')
FAIR = 1.05         # "at least as fast": so much slower at most
LOOSE = 2           # short and middle form: the same, one round on a busy machine
FIRST_S = 1         # an array's first start
HOLD_MS = 50        # of the locks, p99
END_S = 1           # slurmctld's end, beyond stock's
WORK_MS = 1000      # a steady cycle
SHARE = .05         # of the time under locks
ANSWER = 1.1        # p95 of an answer, of stock's
STORM = 1.2         # starts and holds over max_rpc_cnt, of stock's


# --- jobs -------------------------------------------------------------------------------------

def mixed(seed, count, nodes, cores):
    """Mostly small jobs, some of a node or of several; together nine tenths of the cores"""
    rng = random.Random('mixed %s' % seed)
    room = nodes * cores * 9 // 10
    for i in range(count):
        most = max(1, room - (count - i - 1))
        kind = rng.random()
        tasks = rng.randint(1, 4) if kind < .85 else rng.randint(8, cores) if kind < .95 else \
            rng.randint(cores, 4 * cores)
        tasks = min(tasks, most)
        room -= tasks
        print('night %d 0 %d %d' % (tasks, rng.choice((30, 60, 240, 1440)), 2001 + i % 40))


def crowd(seed, count, partitions, nodes, uids):
    rng = random.Random('crowd %s' % seed)
    for _ in range(count):
        kind = rng.random()
        tasks, n = (rng.randint(1, 32), 0) if kind < .7 else (1, -rng.randint(1, max(1, nodes // 8)))
        print('p%d %d %d %d %s' % (rng.randint(1, partitions), max(tasks, -n), n,
            rng.choice((10, 30, 60, 240, 1440)), rng.choice(uids)))


# --- a row ------------------------------------------------------------------------------------

def seconds(stamp, fraction):
    return calendar.timegm(time.strptime(stamp, '%Y-%m-%dT%H:%M:%S')) + float('0.' + fraction)


def local_offset(now):
    return calendar.timegm(time.localtime(now)) - int(now)


def events(log):
    """When jobs came and started, and how often the watchdog ended mode act"""
    came, started, dogs = [], [], 0
    with open(log, errors='replace') as f:
        for line in f:
            m = STAMP.match(line)
            if not m:
                continue
            if '_rpc_submit_batch_job: JobId=' in line:
                came.append(seconds(*m.groups()))
            elif START.search(line):
                started.append(seconds(*m.groups()))
            elif 'cosched: watchdog:' in line:
                dogs += 1
    return came, started, dogs


def rank(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))] if values else 0


def holds_of(path, begin=0, end=float('inf')):
    """Microseconds of each hold in that time"""
    held = []
    try:
        with open(path) as f:
            for line in f:
                word = line.split()
                if len(word) == 3 and begin <= float(word[0]) <= end:
                    held.append(int(word[2]))
    except FileNotFoundError:
        pass
    return held


def config_at(pid):
    """Where the slurmctld of that process has its slurmctld_config"""
    program = os.readlink('/proc/%s/exe' % pid)
    symbols = subprocess.run(['nm', '-D', program], capture_output=True, text=True, check=True)
    offset = next(int(line.split()[0], 16) for line in symbols.stdout.splitlines()
        if line.endswith(' slurmctld_config'))
    with open('/proc/%s/maps' % pid) as f:
        base = next(int(line.split('-')[0], 16) for line in f if line.rstrip().endswith(program))
    return offset if offset >= base else base + offset  # of a program linked at a fixed address


def watch(pid, offset, path):
    at = config_at(pid) + int(offset)
    with open(path, 'w', buffering=1) as f, open('/proc/%s/mem' % pid, 'rb', buffering=0) as memory:
        while True:
            memory.seek(at)
            count = memory.read(4)
            if len(count) < 4:  # it has ended
                return
            f.write('%.3f %d\n' % (time.time(), int.from_bytes(count, sys.byteorder)))
            time.sleep(.02)


def pend(path, most):
    """Times, from and to, in which `most` requests pend, or more"""
    with open(path) as f:
        samples = [(float(t), int(n)) for t, n in (line.split() for line in f if ' ' in line)]
    times, since = [], None
    for t, n in samples:
        if since is None and n >= most:
            since = t
        elif since is not None and n < most:
            times.append((since, t))
            since = None
    if since is not None:
        times.append((since, samples[-1][0]))
    return times


def meanwhile(times, started, path):
    """Starts in these times, and the part of them under locks"""
    held = []
    with open(path) as f:
        for line in f:
            word = line.split()
            if len(word) == 3:
                held.append((float(word[0]) - int(word[2]) / 1e6, float(word[0])))
    total = sum(b - a for a, b in times)
    locked = sum(max(0, min(b, d) - max(a, c)) for a, b in times for c, d in held)
    return {'over_s': round(total, 3),
        'over_starts': sum(any(a <= s <= b for a, b in times) for s in started),
        'over_share': round(locked / max(.001, total), 3)}


def value(key, text):
    if key in ('commit', 'release', 'pends'):
        return text
    try:
        return float(text) if '.' in text else int(text)
    except ValueError:
        return text


def row(log, holds, pairs):
    r = {k: value(k, v) for k, v in (p.split('=', 1) for p in pairs)}
    came, started, dogs = events(log)
    zone = local_offset(time.time())
    begin, end = r.pop('from', None), r.pop('to', None)
    pends, most = r.pop('pends', None), r.pop('most', None)
    if begin is None and came:
        begin, end = came[0] - zone, (started or came)[-1] - zone
    started = [s for s in started if begin is not None and begin <= s - zone <= end]
    r.update(starts=len(started), watchdog=dogs)
    if started:
        r['first_s'] = round(started[0] - zone - begin, 3)
        r['all_s'] = round(started[-1] - zone - begin, 3)
        r['rate'] = round(len(started) / max(.001, r['all_s'] - r['first_s'] + .001), 1)
    if begin is not None:
        held = holds_of(holds, begin, end + 1)
        r.update(holds=len(held), hold_p99_ms=rank(held, .99) / 1000,
            hold_max_ms=max(held, default=0) / 1000,
            share=round(sum(held) / 1e6 / max(.001, end - begin), 3))
    if pends:
        times = [(max(a, begin), min(b, end)) for a, b in pend(pends, most) if a < end and b > begin]
        r.update(meanwhile(times, [s - zone for s in started], holds))
    print(json.dumps(r, sort_keys=True))


# --- what rows show ---------------------------------------------------------------------------

class Case:
    """The rows of one setting, act's and stock's"""

    def __init__(self, act, stock):
        self.act, self.stock = act, stock

    def of(self, key, default=None, over=median):
        """(act, stock), medians unless told otherwise; None where no row has it"""
        both = []
        for rows in (self.act, self.stock):
            values = [r[key] for r in rows if isinstance(r.get(key), (int, float))]
            both.append(over(values) if values else default)
        return both


def cases(rows):
    """(what, load, nodes, jobs, policy) -> Case"""
    found = {}
    for r in rows:
        if r['kind'] == 'act':
            key = r['what'], r.get('load', ''), r['nodes'], r['jobs'], r['policy']
            found.setdefault(key, []).append(r)
    for key in sorted(found):
        yield key, Case(found[key], [r for r in rows if r['kind'] == 'stock' and
            (r['what'], r.get('load', ''), r['nodes'], r['jobs']) == key[:4]])


def verdicts(form, key, c):
    """(good, text) of each thing that is asked for"""
    whole = form == 'whole'

    def compare(name, text, most, floor=0):
        a, s = c.of(name)
        if a is not None and s is not None:
            yield a <= max(most * s, floor), '%s: %g, stock %g' % (text, a, s)

    def least(name, text, most, unit):
        a, s = c.of(name)
        if a is not None:
            yield a <= most, '%s: %g%s, at most %g; stock %s' % (text, a, unit, most,
                'unknown' if s is None else '%g' % s)

    yield all(r.get('on', 1) == 1 and r['watchdog'] == 0 for r in c.act), \
        'mode act goes on, no watchdog'
    if key[0] == 'morning':
        a, s = c.of('starts', 0)
        yield a >= s, 'as many start: %g, stock %g' % (a, s)
        a, s = c.of('all_s')
        if a is None or s is None:
            yield False, 'all start: act %s, stock %s' % (a, s)
            return
        yield from compare('all_s', 'seconds until all have started', FAIR if whole else LOOSE,
            0 if whole else 4)
        if whole:
            yield from least('first_s', 'seconds until the first starts', FIRST_S, '')
            yield from least('hold_p99_ms', 'p99 of a hold of the locks', HOLD_MS, ' ms')
        else:
            yield from compare('first_s', 'seconds until the first starts', LOOSE, 4)
    elif key[0] == 'stop':
        # threads of Slurm sleep a second at a time, so one end tells little of another
        more = 1000 * (END_S if whole else 5 * END_S)
        for name, over in ('median', median), ('longest', max):
            a, s = c.of('end_ms', over=over)
            yield all(r['end_ms'] >= 0 for r in c.act) and s is not None and a <= s + more, \
                'SIGTERM to exit, %s: %g ms, stock %s ms, at most %d more' % (name, a, s, more)
    elif key[0] == 'waiting':
        for name in ('squeue_p95_ms', 'job_p95_ms'):
            yield from compare(name, name, ANSWER if whole else LOOSE, 0 if whole else 20)
        yield from compare('idle_s', 'seconds until a job of an idle partition starts',
            1 if whole else LOOSE, FIRST_S if whole else 4)
        if whole:
            yield from least('work_ms', 'a steady cycle works', WORK_MS, ' ms')
            yield from least('locked', "status' share of the time under locks", SHARE, '')
    elif key[0] == 'storm' and form != 'short':
        a, s = c.of('over_s', 0)
        if whole:
            yield a > 0 and s > 0, 'seconds over max_rpc_cnt: %g, stock %g' % (a, s)
        # the start that was being made when they came too many, and its hold
        yield from compare('over_starts', 'starts over max_rpc_cnt', STORM, 1 if whole else 20)
        yield from compare('over_share', 'share of the time under locks over max_rpc_cnt', STORM,
            .01 if whole else .1)


def judge(form, path):
    with open(path) as f:
        rows = [json.loads(line) for line in f]
    for key, c in cases(rows):
        what = ' '.join(str(k) for k in key[:1] + key[4:] + key[1:2] if k)
        for good, text in verdicts(form, key, c):
            print('%s - scale: %s, %d nodes, %d jobs: %s' % ('ok' if good else 'not ok', what,
                key[2], key[3], text))


# --- the table --------------------------------------------------------------------------------

HEAD = """\
# Scale: a night's queue, and a crowd that waits, on stock Slurm and in mode act by turns

Written by `contrib/scale`, from test/cluster/morning.sh and waiting.sh, which say what is done.
Figures are medians over the rounds, act's then stock's (whose largest hold is beside its
p99: act has the goal of 50 ms). Holds are those of the scheduling threads, measured at Slurm's
read-write locks themselves (test/cluster/holds.c). Over max_rpc_cnt is the time in which so many
requests pend, by slurmctld's own count in its memory. Folders lie in memory: on a disk stock
and act alike wait for the files of what is submitted.
"""


def figure(c, name, over=median):
    return ', '.join('-' if v is None else '%g' % v for v in c.of(name, over=over))


TABLES = (
    ('morning', 'Arrival on an empty machine', (('first s', 'first_s'), ('all s', 'all_s'),
        ('starts', 'starts'), ('starts a second', 'rate'), ('share under locks', 'share'),
        ('hold p99 ms', 'hold_p99_ms'), ('longest ms', 'hold_max_ms'),
        ('watchdog', 'watchdog'))),
    ('stop', 'SIGTERM to exit', (('ends', 'end_ms', len), ('median ms', 'end_ms'),
        ('longest ms', 'end_ms', max))),
    ('waiting', 'A crowd waits', (('cycle work ms', 'work_ms'), ('locked', 'locked'),
        ('squeue p95 ms', 'squeue_p95_ms'), ('show job p95 ms', 'job_p95_ms'),
        ('idle partition s', 'idle_s'), ('hold p99 ms', 'hold_p99_ms'),
        ('longest ms', 'hold_max_ms'), ('MB', 'mb'))),
    ('storm', 'Jobs end faster than max_rpc_cnt bears', (('s over it', 'over_s'),
        ('starts over it', 'over_starts'), ('share under locks over it', 'over_share'),
        ('storm s', 'storm_s'), ('starts', 'starts'), ('share', 'share'))),
)


def table(path):
    with open(path) as f:
        rows = [json.loads(line) for line in f]
    print(HEAD)
    for what, title, columns in TABLES:
        mine = [r for r in rows if r['what'] == what]
        if not mine:
            continue
        print('## %s\n\n| nodes | jobs | load | policy | release | commit | seed | rounds | %s | verdict |'
            % (title, ' | '.join(column[0] for column in columns)))
        print('|---:|---:|---|---|---|---|---|---:|%s---|' % ('---:|' * len(columns)))
        for release in sorted({r['release'] for r in mine}):
            for key, c in cases([r for r in mine if r['release'] == release]):
                bad = [t for good, t in verdicts(c.act[0]['form'], key, c) if not good]
                each = [', '.join(sorted({str(r[k]) for r in c.act})) for k in ('commit', 'seed')]
                print('| %s |' % ' | '.join(
                    [str(key[2]), str(key[3]), str(key[1]), str(key[4]), release] + each +
                    [str(len(c.act))] + [figure(c, *column[1:]) for column in columns] +
                    ['not reached: ' + '; '.join(bad) if bad else 'good']))
        print()


def main():
    what, rest = (sys.argv[1:2] or ['--help'])[0], sys.argv[2:]
    if what == 'mixed':
        mixed(rest[0], *map(int, rest[1:]))
    elif what == 'crowd':
        crowd(rest[0], *map(int, rest[1:4]), rest[4].split(','))
    elif what == 'watch':
        watch(*rest)
    elif what == 'row':
        row(rest[0], rest[1], rest[2:])
    elif what == 'judge':
        judge(*rest)
    elif what == 'table':
        table(*rest)
    else:
        print(__doc__)
        return what not in ('-h', '--help')
    return 0


if __name__ == '__main__':
    sys.exit(main())
