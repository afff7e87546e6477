#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A storm: one load and one list of faults, on two clusters, stock Slurm and mode act.

storm.py kinds                     the kinds of faults: name and what it does, one a line
storm.py groups                    the same, in the groups of the middle form
storm.py conf KINDS WORK NAME      scripts of these kinds for the cluster WORK/NAME; prints
                                   contrib/vcluster's options, one a line
storm.py plan KINDS SEED SECONDS RATE
                                   what a storm consists of: jobs and strikes with their times
storm.py run OPTION...             the storm itself: see test/cluster/storm.sh
storm.py kept ROWS RELEASE KIND MINUTES COMMIT
                                   exit status 0 if ROWS has such a storm, as long or longer, and
                                   good, or of this commit
storm.py keep ROWS NEW             add the rows of NEW to ROWS
storm.py table ROWS                the rows of several storms as doc/results/storms.md
storm.py judge ROWS                the last line of that, all storms together; exit status 1 if
                                   act is worse

Both clusters get the plan at the same moments.  A strike that depends on what runs (which job
is resized) chooses by its random numbers among what is there.  Strikes on one part of a cluster
(slurmctld, nodes, jobs) follow each other; those on different parts overlap.

storm_plan.py has the kinds and the plan, storm_cluster.py what a strike does and what is seen,
storm_judge.py what is counted, and the rule that compares.
"""
import argparse
import contextlib
import os
import random
import re
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True  # the folder may be a source tree

import row_file
import storm_judge
from storm_cluster import STRIKES, Cluster, Look
from storm_plan import ALWAYS, GROUPS, JOB_SCRIPT, KINDS, conf, draw_jobs, draw_strikes

ACT_S = 90      # act may come back so long after the queue has drained
STILL_S = 150   # a queue in which no job starts or ends for so long does not drain: a job that its
                # limit ends takes so long, Slurm looks at limits twice a minute


def drain_s(seconds):
    """What the queue may need behind the last strike of a storm of so many seconds, at most"""
    return 120 + seconds


# --- the storm ------------------------------------------------------------------------------

class Storm:
    """A plan on one cluster"""

    def __init__(self, cluster, jobs, strikes, seconds, acts):
        self.c, self.jobs, self.strikes, self.seconds = cluster, jobs, strikes, seconds
        self.acts = acts
        self.over = threading.Event()
        self.nursed = {'held': 0, 'nodes': 0}
        self.left, self.bad_nodes, self.act_at_end = [], [], None

    def begin(self, t0):
        self.t0 = t0
        self.threads = [threading.Thread(target=self.safely, args=(f, *a)) for f, *a in (
            [self.load],
            *([self.strike, part] for part in sorted({s.kind.part for s in self.strikes})))]
        self.watchers = [threading.Thread(target=self.repeat, args=a) for a in (
            (self.c.look.processes, .5), (self.c.look.jobs, 1), (self.nurse, 4),
            (self.revive, 3), *([(self.watch_mode, 2)] if self.acts else []))]
        for t in self.threads + self.watchers:
            t.start()

    def safely(self, f, *args):
        try:
            f(*args)
        except Exception as e:  # a thread's end must not be silent
            self.c.broken.append('%s: %r' % (f.__name__, e))
            traceback.print_exc()

    def repeat(self, f, pause_s):
        while not self.over.is_set():
            self.safely(f)
            self.over.wait(pause_s)

    def wait_until(self, at_s):
        time.sleep(max(0, self.t0 + at_s - time.time()))

    def load(self):
        with ThreadPoolExecutor(6) as pool:
            for job in self.jobs:
                self.wait_until(job.at_s)
                pool.submit(self.c.submit, job)

    def strike(self, part):
        for number, s in enumerate(self.strikes):
            if s.kind.part != part:
                continue
            self.c.striking.number = number
            self.wait_until(s.at_s)
            self.c.late_s = max(self.c.late_s, time.time() - self.t0 - s.at_s)
            with self.c.ctld if part == 'ctld' else contextlib.nullcontext():
                STRIKES[s.kind.name](self.c, random.Random(s.seed))

    def nurse(self):
        """What an administrator does with either cluster: lets go what Slurm holds back behind
        a fault, and resumes nodes that it drained or gave up."""
        rc, text = self.c.call('squeue', '-h', '-t', 'PD', '-o', '%A %r')
        for line in text.splitlines() if rc == 0 else ():
            job, _, why = line.partition(' ')
            if 'held' in why.lower():
                self.nursed['held'] += 1
                self.c.scontrol('release', job)
            elif why == 'BeginTime':
                self.c.scontrol('update', 'jobid=' + job, 'starttime=now')
        rc, text = self.c.call('sinfo', '-h', '-N', '-o', '%N|%T|%E')
        for line in sorted(set(text.splitlines())) if rc == 0 else ():
            node, state, why = (line.split('|') + ['', ''])[:3]
            down = state.startswith('down')
            if node.startswith('n') and (down or state.startswith('drain') and why != 'storm'):
                self.nursed['nodes'] += 1
                if down:  # its boot was cut off
                    self.c.vc('start-node', node)
                self.c.scontrol('update', 'nodename=' + node, 'state=resume')

    def revive(self):
        """A slurmctld that has ended by itself"""
        if not self.c.ctld.acquire(blocking=False):
            return
        try:
            for _ in range(10):  # a reconfigure of 24.11 is a new process
                if self.c.ctld_pid():
                    return
                time.sleep(.2)
            self.c.died()
            self.c.start_ctld()
        finally:
            self.c.ctld.release()

    def watch_mode(self):
        if self.c.look.act() is False:
            self.c.look.off_s += 2

    def live(self):
        """What is still in the queue: (unit, state)"""
        return [(r.unit, r.state) for r in self.c.look.rows if r.state in ('PENDING', 'RUNNING',
            'CONFIGURING', 'SUSPENDED', 'COMPLETING', 'REQUEUED', 'REQUEUE_HOLD', 'SPECIAL_EXIT')]

    def finish(self):
        """Wait for the end of the plan and of the queue"""
        for t in self.threads:
            t.join()
        self.c.tidy()
        registered = 0
        began = time.time()  # before, jobs that only their limit ends may have filled the nodes
        until = began + drain_s(self.seconds)
        time.sleep(3)
        while time.time() < min(until, max(began, self.c.look.moved) + STILL_S) and \
                (self.live() or not self.c.look.last):
            # what slurmctld has as running and is not there it hears of when nodes register
            if time.time() > registered + 15:
                registered = time.time()
                self.c.register()
            time.sleep(1)
        self.left = self.live()
        until = time.time() + ACT_S
        while self.acts and not self.act_at_end and time.time() < until:
            self.act_at_end = self.c.look.act()
            time.sleep(.5)
        until = time.time() + 40
        while time.time() < until:
            self.bad_nodes = self.nodes()
            if self.bad_nodes == []:
                break
            self.c.tidy()
            time.sleep(2)
        self.over.set()
        for t in self.watchers:
            t.join()
        self.c.look.processes()

    def nodes(self):
        """Nodes that a cluster at rest does not have; None if slurmctld does not answer"""
        rc, text = self.c.scontrol('-o', 'show', 'node')
        if rc:
            return None
        return ['%s %s' % (n, s) for n, s in
            re.findall(r'^NodeName=(\S+) .*? State=(\S+)', text, re.M)
            if not re.fullmatch(r'IDLE(\+(CLOUD|DYNAMIC_NORM|DYNAMIC_FUTURE|POWERED_DOWN))*', s)]


def run(args):
    kinds = args.kinds.split(',')
    jobs = draw_jobs(args.seed, args.seconds, args.rate)
    strikes = draw_strikes(kinds + [k for k in ALWAYS if k not in kinds], args.seed, args.seconds)
    with open(os.path.join(args.work, 'job'), 'w') as f:
        f.write(JOB_SCRIPT)
    os.chmod(f.name, 0o755)
    with open(os.path.join(args.work, 'prologs'), 'w') as f:
        f.writelines('%d\n' % j.prolog_s for j in jobs)
    cosched = os.path.join(args.prefix, 'bin/cosched')
    storms = []
    for name in ('stock', 'act'):
        c = Cluster(name, args.work, args.prefix)
        c.look = Look(c, cosched)
        c.users = 'users' in kinds
        storms.append(Storm(c, jobs, strikes, args.seconds, name == 'act'))
    for s in storms:
        s.c.vc('stop-ctld')
        s.c.start_ctld()  # the one of storm_plan's preload()
        s.c.vc('wait-up')
    t0 = time.time() + 1
    for s in storms:
        s.begin(t0)
    ends = [threading.Thread(target=s.finish) for s in storms]
    for t in ends:
        t.start()
    for t in ends:
        t.join()
    row = {'kinds': args.kinds, 'seed': args.seed, 'minutes': round(args.seconds / 60., 1),
        'rate': args.rate, 'strikes': len(strikes), 'release': args.release,
        'commit': os.environ.get('STORM_COMMIT', 'unknown')}
    return storm_judge.judge(storms, row, args.row)


TABLE_HEAD = """\
# Storms: faults over a load, stock Slurm and mode act side by side

Written by `contrib/storms`. Random jobs (some share nodes by profiles, arrays, heterogeneous
jobs, jobs that only their limit ends) come to two clusters of 6 nodes of 2 x 2 cores, stock
Slurm and mode act (policy cst), at the same moments, and so do random faults of one kind:

%s

`requeue` is part of every storm. Figures are those of act, then those of stock: `1+4, 0+6`
says that act has 1 occurrence that no fault explains and 4 that are explained by what stock
Slurm loses by its nature (a kill -9 forgets what was not saved, an end loses launches that
wait in the agent, a node takes its jobs along), stock none and 6. One strike may take many jobs:
up to six are submitted within 0.1 s, and a kill loses them all, or none if slurmctld saved in
between (in a failover of 22.05.8 the same six were lost on both clusters),
so explained ones are compared by strikes: with d, act's less stock's of a strike, a storm is good
if their sum is at most 4 + 2 sqrt(sum of d^2), and act has no more unexplained occurrences than
stock. (Rows of commits before 2943607f have no strikes, and were judged by jobs.) The last line
is of all storms together: p is the chance that act has as many more as it has, were it like
stock (test/cluster/by_chance.py); below 0.01 act is worse. Of runs beside an earlier one (doubled) it
has there no more than stock, explained or not. *load*: submissions a minute; 30 keep a third of the cores
busy. test/cluster/storm_judge.py says what each column counts.
"""


def keep(path, new):
    """Add the rows of the file new to those of path, each in place of an older one of the
    same kind and release"""
    row_file.keep(path, row_file.read(new), lambda r: (r['kinds'], r['release']))


def is_kept(path, release, kinds, minutes, commit):
    """Has path such a storm, as long or longer, and good, or of this commit?"""
    return any((r['release'], r['kinds']) == (release, kinds) and r['minutes'] >= float(minutes)
        and (not r['bad'] or r['commit'] == commit) for r in row_file.read(path))


def main():
    what, rest = (sys.argv[1:2] or ['--help'])[0], sys.argv[2:]
    if what == 'kinds':
        for k in KINDS.values():
            if k.name not in ALWAYS:
                print('%s\t%s' % (k.name, k.text))
    elif what == 'groups':
        print(' '.join(GROUPS))
    elif what == 'conf':
        print('\n'.join(conf(rest[0].split(',') + list(ALWAYS), rest[1], rest[2])))
    elif what == 'plan':
        kinds, seed, seconds, rate = rest[0].split(','), rest[1], float(rest[2]), float(rest[3])
        for j in draw_jobs(seed, seconds, rate):
            print('%.1f job %d %s %s, %g s of %d min' % (j.at_s, j.index, j.form,
                ' '.join(j.options), j.sleep_s, j.limit_min))
        for s in draw_strikes(kinds + list(ALWAYS), seed, seconds):
            print('%.1f strike %s' % (s.at_s, s.kind.name))
    elif what == 'run':
        p = argparse.ArgumentParser()
        for o in ('kinds', 'work', 'prefix', 'seed', 'row', 'release'):
            p.add_argument('--' + o, default='')
        for o in ('seconds', 'rate'):
            p.add_argument('--' + o, type=float)
        return run(p.parse_args(rest))
    elif what == 'kept':
        return not is_kept(*rest)
    elif what == 'keep':
        keep(*rest)
    elif what == 'table':
        print(TABLE_HEAD % '\n'.join('- `%s`: %s.' % (k.name, k.text) for k in KINDS.values()))
        kept = row_file.read(rest[0])
        print('\n'.join(storm_judge.table(kept)))
        print('\n' + storm_judge.verdict(kept)[0])
    elif what == 'judge':
        text, good = storm_judge.verdict(row_file.read(rest[0]))
        print(text)
        return not good
    else:
        print(__doc__)
        return what not in ('-h', '--help')
    return 0


if __name__ == '__main__':
    sys.exit(main())
