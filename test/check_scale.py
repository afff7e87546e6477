#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What test/cluster/scale.py counts and asks for: a log and holds of locks are made up, and
rows on either side of each goal; no Slurm is needed.
"""
import contextlib
import io
import json
import os
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, 'cluster'))
import scale

T = 1700000000
FAILED = []


def check(text, got, want):
    if got != want:
        FAILED.append(text)
        print('not ok - %s: got %r, expected %r' % (text, got, want))


def said(f, *args):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        f(*args)
    return out.getvalue()


def stamp(s):
    return '[%s.%03d]' % (time.strftime('%Y-%m-%dT%H:%M:%S', time.localtime(T + int(s))),
        round(s % 1 * 1000))


def file_of(folder, lines):
    path = os.path.join(folder, 'made_up')
    with open(path, 'w') as f:
        f.write(''.join(line + '\n' for line in lines))
    return path


def test_row(folder):
    log = file_of(folder, [
        stamp(1) + ' _slurm_rpc_submit_batch_job: JobId=5 InitPrio=1 usec=171',
        stamp(1.5) + ' cosched: started JobId=5 on n1',
        stamp(2) + ' sched: Allocate JobId=6 NodeList=c4 #CPUs=1',
        stamp(2.5) + ' sched/backfill: _start_job: Started JobId=7 in p on c5',
        stamp(3) + ' error: cosched: watchdog: a cycle worked 9 ms: mode act ends',
        'a line without a time'])
    holds = os.path.join(folder, 'holds')
    with open(holds, 'w') as f:
        f.write('%d.500000 cosched 9000\n' % (T - 9))  # before the jobs came
        for i in range(199):
            f.write('%d.500000 cosched 1000\n' % (T + 1))
        f.write('%d.600000 bckfl 70000\n' % (T + 1))
    r = json.loads(said(scale.row, log, holds, ['kind=act', 'nodes=4', 'after=0.5']))
    check('a row has what it is told', (r['kind'], r['nodes'], r['after']), ('act', 4, .5))
    check('starts of all three schedulers', (r['starts'], r['first_s'], r['all_s']), (3, .5, 1.5))
    check('a watchdog', r['watchdog'], 1)
    check('holds of that time', (r['holds'], r['hold_p99_ms'], r['hold_max_ms']), (200, 1, 70))
    r = json.loads(said(scale.row, log, holds, ['from=%d' % (T + 1), 'to=%d.2' % (T + 2)]))
    check('starts of a span', r['starts'], 2)


def verdicts(folder, form, stock, act):
    base = {'what': 'morning', 'load': 'array', 'nodes': 4, 'jobs': 9, 'policy': 'x', 'watchdog': 0,
        'starts': 9, 'first_s': .5, 'all_s': 10, 'hold_p99_ms': 20, 'end_ms': 900}
    rows = [dict(base, kind=kind, **r) for kind, rs in (('stock', stock), ('act', act))
        for r in rs]
    text = said(scale.judge, form, file_of(folder, [json.dumps(r) for r in rows]))
    return [line for line in text.splitlines() if line.startswith('not ok')]


def test_judge(folder):
    one = [{}]
    bad = lambda form, act, stock=one: len(verdicts(folder, form, stock, act))
    check('alike is good', bad('whole', one), 0)
    check('no row of stock is not', bad('whole', one, []), 1)
    check('a watchdog', bad('short', [{'watchdog': 1}]), 1)
    check('act off at the end', bad('short', [{'on': 0}]), 1)
    check('fewer starts', bad('short', [{'starts': 8}]), 1)
    check('a first start after 1.1 s', bad('whole', [{'first_s': 1.1}]), 1)
    check('... is not asked for in the short form', bad('short', [{'first_s': 1.1}]), 0)
    check('5 % slower', bad('whole', [{'all_s': 10.5}]), 0)
    check('6 % slower', bad('whole', [{'all_s': 10.6}]), 1)
    check('the median of the rounds counts', bad('whole', [{'all_s': s} for s in (9, 10, 99)],
        one * 3), 0)
    check('short: twice as slow', bad('short', [{'all_s': 20}]), 0)
    check('short: slower than that', bad('short', [{'all_s': 20.1}]), 1)
    check('held for 51 ms', bad('whole', [{'hold_p99_ms': 51}]), 1)
    stop = {'what': 'stop'}
    check('an end 1 s after stock', bad('whole', [dict(stop, end_ms=1900)], [stop]), 0)
    check('at every moment', bad('whole', [dict(stop, end_ms=ms) for ms in (900, 900, 1901)],
        [stop] * 3), 1)
    crowd = {'what': 'waiting', 'squeue_p95_ms': 100, 'job_p95_ms': 10, 'idle_s': .9,
        'work_ms': 1000, 'locked': .05}
    check('a crowd', bad('whole', [crowd], [crowd]), 0)
    for key, value in (('squeue_p95_ms', 111), ('job_p95_ms', 11.1), ('idle_s', 1.1),
            ('work_ms', 1001), ('locked', .051)):
        check('a crowd: %s' % key, bad('whole', [dict(crowd, **{key: value})], [crowd]), 1)
    storm = {'what': 'storm', 'over_s': 5, 'over_starts': 10, 'over_share': .1}
    check('a storm: starts', bad('whole', [dict(storm, over_starts=12)], [storm]), 0)
    check('a storm: too many', bad('whole', [dict(storm, over_starts=13)], [storm]), 1)
    check('a storm: held', bad('whole', [dict(storm, over_share=.13)], [storm]), 1)
    check('a storm: none', bad('whole', [dict(storm, over_s=0)], [storm]), 1)


def test_pend(folder):
    samples = ((0, 0), (1, 19), (2, 20), (3, 19), (4, 20), (5, 21))
    times = scale.pend(file_of(folder, ['%d %d' % s for s in samples] + ['6']), 20)
    check('while most pend, or to the end', times, [(2, 3), (4, 5)])
    # half of the first time, all of the second; what ends before or begins later is not
    holds = file_of(folder, ['%s cosched %d' % h for h in ((1.9, 500000), (2.5, 700000),
        (5.5, 2000000), (9, 1000000))])
    check('starts and holds meanwhile', scale.meanwhile(times, [1.9, 2, 4.5, 5.1], holds),
        {'over_s': 2, 'over_starts': 2, 'over_share': .75})


def test_jobs():
    text = said(scale.mixed, 1, 200, 40, 32)
    check('the same seed, the same jobs', said(scale.mixed, 1, 200, 40, 32), text)
    check('mixed jobs fit', sum(int(line.split()[1]) for line in text.splitlines()), 40 * 32 * .9)
    check('so many', len(text.splitlines()), 200)


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_row(folder)
        test_judge(folder)
        test_pend(folder)
    test_jobs()
    return 1 if FAILED else 0


if __name__ == '__main__':
    sys.exit(main())
