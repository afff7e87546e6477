#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One list of sleeping jobs, live and simulated (contrib/dayone).

dayone.py run VCLUSTER KIND LIST JOBS FILE  on a cluster of its own; what ran, as JSON
dayone.py table COSCHED RESULTS LISTS KINDS SEEDS JOBS
                                            both, as a table, and the estimates of starts

A list has lines SUBMIT-SECOND TASKS RUNTIME-SECONDS LIMIT-MINUTES; JOBS: so many of them, 0 all.
"""
import calendar
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

NODES, SOCKETS, CORES = 16, 2, 2
LONGER_S = 1    # a job takes longer live than it sleeps
BOUND_S = 10    # of the bounded slowdown
LOOK_S = 2      # between two looks at the starts that squeue shows
LONG_S = 60     # jobs that wait for so long count for the estimates
# Slurm's priorities are by arrival here, which a log of jobs does not tell
FCFS = ['--set', 'order=fcfs']
# SchedulerParameters live, and the simulator's policy
KINDS = {
    'stock30': ('bf_interval=30', ['stock']),
    'stock1': ('bf_interval=1', ['stock', '--set', 'stock_every_s=1']),
    'act': ('cosched_mode=act', ['balanced']),
    'estimates': ('cosched_mode=act,cosched_start_estimates=yes', ['balanced']),
    'adaptive': ('cosched_mode=act,cosched_policy=adaptive', ['adaptive', *FCFS]),
    'cover': ('cosched_mode=act,cosched_policy=cover', ['cover', *FCFS]),
}


def jobs_of(path, most):
    with open(path) as f:
        rows = [line.split() for line in f if line.strip() and line[0] != '#']
    return [(float(t), int(n), float(r), int(limit)) for t, n, r, limit in rows][:most or None]


def seconds(stamp):
    return calendar.timegm(time.strptime(stamp, '%Y-%m-%dT%H:%M:%S'))


# --- live -------------------------------------------------------------------------------------

def look(inside, first, over):
    """into @first the start that squeue first shows of each waiting job, until @over; what a
    squeue that fails has not shown, the next one shows"""
    while not over.wait(LOOK_S):
        try:
            shown = inside('squeue', '-h', '--start', '-t', 'PD', '-o', '%i %S')
        except subprocess.CalledProcessError:
            continue
        for line in shown.splitlines():
            job, start = line.split()
            if start[0].isdigit():
                first.setdefault(int(job), seconds(start))


def ended(log, first):
    """[submit, start, end, start first shown or None] of each job, in order of their ids"""
    found = {}
    with open(log) as f:
        for line in f:
            word = dict(w.split('=', 1) for w in line.split() if '=' in w)
            found[int(word['JobId'])] = [seconds(word[k]) for k in
                ('SubmitTime', 'StartTime', 'EndTime')]
    return [found[i] + [first.get(i)] for i in sorted(found)]


def run(vcluster, kind, path, most, to):
    params = KINDS[kind][0]
    up = [vcluster, 'up', '--nodes', str(NODES), '--sockets', str(SOCKETS), '--cores', str(CORES),
        '--select-params', 'CR_Core', '--params', params]
    if 'cosched' in params:
        up += ['--plugins', os.environ['COSCHED_PREFIX'] + '/lib/cosched/slurm']
    folder = subprocess.run(up, stdout=subprocess.PIPE, text=True, check=True).stdout.split()[-1]
    env = dict(os.environ, COSCHED_VCLUSTER=folder)

    def inside(*command):
        return subprocess.run([vcluster, 'run', *command], env=env, stdout=subprocess.PIPE,
            text=True, check=True).stdout

    first, over = {}, threading.Event()
    looks = threading.Thread(target=look, args=(inside, first, over))
    try:
        jobs = jobs_of(path, most)
        looks.start()
        begin = time.time() + 3
        for at, tasks, runtime, limit in jobs:
            time.sleep(max(0, begin + at - time.time()))
            inside('sbatch', '--quiet', '-n', str(tasks), '-t', str(limit), '-o', '/dev/null',
                '--wrap', 'sleep %g' % runtime)
        while inside('squeue', '-h'):
            time.sleep(2)
        time.sleep(2)
        if not looks.is_alive():
            sys.exit('dayone: %s: the looks at squeue have ended early' % kind)
        rows = ended(folder + '/log/jobcomp.log', first)
    finally:
        over.set()
        if looks.ident:
            looks.join()
        subprocess.run([vcluster, 'down'], env=env, check=False)
    if len(rows) != len(jobs):
        sys.exit('dayone: %s: %d of %d jobs have ended' % (kind, len(rows), len(jobs)))
    with open(to + '.new', 'w') as f:
        json.dump(rows, f)
    os.rename(to + '.new', to)


# --- simulated --------------------------------------------------------------------------------

def simulate(cosched, policy, jobs):
    """[submit, start, end] of each job"""
    with tempfile.NamedTemporaryFile('w', suffix='.swf') as f:
        f.write('; MaxProcs: %d\n; UnixStartTime: 0\n' % (NODES * SOCKETS * CORES))
        for i, (at, tasks, runtime, limit) in enumerate(jobs, 1):
            f.write('%d %d -1 %d %d -1 -1 %d %d -1 1 1 1 1 1 1 -1 -1\n' % (i, round(at),
                max(1, round(runtime + LONGER_S)), tasks, tasks, 60 * limit))
        f.flush()
        out = subprocess.run([cosched, 'sim', '--live-defaults', '--machine',
            '%dx%dx%d' % (NODES, SOCKETS, CORES), '--jobs', '-', '--policy', *policy, f.name],
            stdout=subprocess.PIPE, text=True, check=True).stdout
    head, *rows = [line.lstrip('# ').split() for line in out.splitlines()]
    column = [head.index(name) for name in ('submit', 'start', 'end')]
    return [[float(row[i]) for i in column] for row in rows]


# --- the table --------------------------------------------------------------------------------

def figures(rows):
    wait = [start - submit for submit, start, *_ in rows]
    slow = [max(1, (end - submit) / max(BOUND_S, end - start)) for submit, start, end, *_ in rows]
    return '%.1f | %.2f | %.0f' % (sum(wait) / len(rows), sum(slow) / len(rows), max(wait))


def shown_starts(rows):
    """by how much the start first shown was off, of each job that waited for LONG_S or more:
    None if it had none; by the job's place in the list"""
    return {i: None if row[3] is None else abs(row[3] - row[1]) for i, row in enumerate(rows)
        if len(row) > 3 and row[1] - row[0] >= LONG_S}


def median(errors):
    return '%.0f' % statistics.median(errors) if errors else '-'


def estimates(live):
    """@live: {kind: {seed: rows}}"""
    off = {kind: {(seed, i): e for seed, rows in by_seed.items()
        for i, e in shown_starts(rows).items()} for kind, by_seed in live.items()}
    off = {kind: jobs for kind, jobs in off.items() if jobs}
    if not off:
        return
    all_have = set.intersection(*({j for j, e in jobs.items() if e is not None}
        for jobs in off.values()))
    print('\n| first start shown, of jobs that wait %d s or more | jobs | have one | off by, median, s '
        '| of the %d jobs that have one under all |' % (LONG_S, len(all_have)))
    print('|---|' + '---:|' * 4)
    for kind, jobs in off.items():
        have = [e for e in jobs.values() if e is not None]
        print('| %s | %d | %d | %s | %s |' % (kind, len(jobs), len(have), median(have),
            median([jobs[j] for j in all_have])))


def table(cosched, results, lists, kinds, seeds, most):
    print('| | live: mean wait, s | bounded slowdown | longest wait, s | '
        'simulated: mean wait, s | bounded slowdown | longest wait, s |')
    print('|---|' + '---:|' * 6)
    shown = {kind: {} for kind in kinds}
    for which in [[s] for s in seeds] + [seeds] * (len(seeds) > 1):
        for kind in kinds:
            live, sim = [], []
            for seed in which:
                path = '%s/%s.%s.json' % (results, kind, seed)
                if not os.path.exists(path):
                    continue
                with open(path) as f:
                    shown[kind][seed] = json.load(f)
                live += shown[kind][seed]
                sim += simulate(cosched, KINDS[kind][1], jobs_of('%s/%s.tsv' % (lists, seed), most))
            if live:
                print('| %s: %s | %s | %s |' % (', '.join(which), kind, figures(live), figures(sim)))
    estimates(shown)


def main():
    what, rest = (sys.argv[1:2] or ['--help'])[0], sys.argv[2:]
    if what == 'run':
        run(*rest[:3], int(rest[3]), rest[4])
    elif what == 'table':
        table(*rest[:3], rest[3].split(), rest[4].split(), int(rest[5]))
    else:
        print(__doc__)
        return what not in ('-h', '--help')
    return 0


if __name__ == '__main__':
    sys.exit(main())
