#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What test/cluster/storm.py counts: does each measure see its fault, and is the rule the one
that storm_judge.py states?  A cluster is made up, with one fault at a time; no Slurm is needed.
"""
import contextlib
import io
import itertools
import json
import math
import os
import random
import sys
import tempfile
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, 'cluster'))
import row_file
import storm
import storm_cluster
import storm_judge
import storm_plan
from by_chance import chance

T = 1000000.


class MadeUp:
    """A cluster on which the jobs 1 to 9 ran, 20 s each, from T + 100 on"""

    def __init__(self, folder, name):
        self.c = storm_cluster.Cluster(name, folder, '/nowhere')
        self.c.look = storm_cluster.Look(self.c, 'cosched')
        self.acts, self.seconds = name == 'act', 60
        self.nursed = {'held': 0, 'nodes': 0}
        self.left, self.bad_nodes, self.act_at_end = [], [], True
        self.c.look.looks = 60
        self.lines = {}
        for i in range(1, 10):
            job = storm_plan.Job(i, 0, random.Random(i), 0)
            job.form, job.limit_min, job.tasks = 'plain', 2, 1
            self.c.units[str(i)] = job
            self.c.submitted[str(i)] = T + 50
            self.run(i, T + 100, T + 120)

    def run(self, unit, start, end, restarts=0, pid=0, died=None):
        pid = pid or int(unit) * 10 + restarts
        self.lines[unit, restarts] = (start, end, pid)
        if died:
            self.c.look.alive[str(unit), pid] = died

    def strike(self, what, loses, begin, end, node='', unit=''):
        b = storm_judge.Blow(len(self.c.blows), what, loses, node, unit, begin)
        b.end = end
        self.c.blows.append(b)

    def states(self, **states):
        os.makedirs(os.path.join(self.c.dir, 'log'), exist_ok=True)
        with open(os.path.join(self.c.dir, 'log/jobcomp.log'), 'w') as f:
            for job, state in states.items():
                f.write('JobId=%s UserId=root(0) GroupId=root(0) Name=storm%s JobState=%s '
                    'Partition=main TimeLimit=2 StartTime=2026-11-28T20:31:17 '
                    'EndTime=2026-11-28T20:33:17 NodeList=n[1-2] NodeCnt=2\n' %
                    (job[1:], job[1:], state))

    def write(self, doubles=()):
        with open(self.c.runs, 'w') as f:
            for (unit, restarts), (start, end, pid) in self.lines.items():
                if (unit, restarts) in doubles:
                    f.write('double %s %s %d %f %d\n' % (unit, unit, restarts, start, pid))
                f.write('start %s %s %d %f %d\n' % (unit, unit, restarts, start, pid))
                if end:
                    f.write('end %s %s %d %f %d\n' % (unit, unit, restarts, end, pid))


def lost(m):
    m.run(3, T + 100, None, died=T + 110)


def never_ran(m):
    del m.lines[3, 0]


def doubled(m):
    m.run(3, T + 110, T + 130, restarts=1)
    return [(3, 1)]


def again(m):
    m.run(3, T + 140, T + 160, restarts=1)


def missing(m):
    del m.lines[3, 0]
    m.left = [('3', 'RUNNING')]
    m.c.look.missing['3', 0, T + 98] = storm_judge.MISSING_S + 1


def missing_then_run(m):
    m.run(3, T + 230, T + 240, restarts=1)
    del m.lines[3, 0]
    m.c.look.missing['3', 0, T + 98] = 111


def early(m):
    m.run(3, T + 100, None, died=T + 100 + 120 - storm_judge.EARLY_S - 1)
    m.states(j3='TIMEOUT')


def twice(m):
    m.c.look.twice['n1:0 jobs 3 4'] = 1


def stuck(m):
    m.left = [('3', 'PENDING')]


def nodes(m):
    m.bad_nodes = ['n1 IDLE+PLANNED']


def boots_for_ever(m):
    del m.lines[3, 0]
    m.left, m.bad_nodes = [('3', 'CONFIGURING')], ['n1 MIXED', 'n4 MIXED+POWERING_UP']
    m.c.look.on['3'] = {'n1', 'n4'}
    m.strike('boot', 'node', T + 102, T + 109, node='n4')


def deaths(m):
    m.c.deaths.append(storm_cluster.Death(T + 130, 'slurmctld.log', ['its last line'],
        ['sched_backfill.so(backfill_agent+0x12)[0x7f1]']))


def raised(m):
    m.c.look.too_high['3'] = 'PENDING has 3 minutes of 2'


def off(m):
    m.act_at_end = False


# fault: measures that see it, and a strike that explains it in these (or None)
KILLED = ('kill', 'unsaved', T + 105, T + 107)
FAULTS = {
    lost: ('lost', KILLED), never_ran: ('lost', ('kill', 'unsaved', T + 55, T + 57)),
    doubled: ('doubled again', KILLED), again: ('again', KILLED),
    missing: ('missing stuck', ('restart', 'launch', T + 100, T + 103)),
    missing_then_run: ('missing', ('restart', 'launch', T + 100, T + 103)),
    early: ('early', None), twice: ('twice', None), stuck: ('stuck', KILLED),
    nodes: ('nodes', None), deaths: ('deaths', None), raised: ('raised', None),
    off: ('off', None)}
TEXTS = dict(storm_judge.MEASURES)


def judged(fault, strike=None, on='act', times=1):
    """Keys of measures that fail, and the row"""
    with tempfile.TemporaryDirectory() as folder:
        made = [MadeUp(folder, name) for name in ('stock', 'act')]
        for m in made:
            doubles = fault(m) if fault and m.c.name == on else None
            if strike:
                m.strike(*strike)
            m.write(doubles or ())
        row = {'kinds': 'kill'}
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            storm_judge.judge(made, row, '')
        failed = {key for key, text in TEXTS.items()
            if 'not ok - storm: kill: %s: ' % text in said.getvalue()}
        assert bool(failed) == bool(row['bad']), said.getvalue()
        return failed, row


wrong = []


def is_(what, got, want):
    if got != want:
        wrong.append('%s: got %r, expected %r' % (what, got, want))


is_('nothing wrong', judged(None)[0], set())
for fault, (keys, strike) in FAULTS.items():
    name, keys = fault.__name__, set(keys.split())
    is_(name, judged(fault)[0], keys)
    if strike:
        failed, row = judged(fault, strike)
        # a job that is left in the queue and never ran has no time to explain it
        is_(name + ', explained', failed, {'stuck'} if fault is missing else set())
        is_(name + ', counted', [row['act'][k] for k in keys - failed],
            [(0, 1)] * len(keys - failed))
    if name not in ('raised', 'off'):
        is_(name + ' on stock', judged(fault, on='stock')[0], set())
is_('measures seen', {k for keys, _ in FAULTS.values() for k in keys.split()}, set(TEXTS))
is_('a node that boots for ever', judged(boots_for_ever)[0], {'stuck', 'nodes'})
is_('one that slurmctld missed', judged(boots_for_ever, ('restart', 'launch', T + 108, T + 110))[0],
    set())


def obvious(differences):
    """by_chance.py's p, all ways one by one"""
    sums = [sum(d * sign for d, sign in zip(differences, signs))
        for signs in itertools.product((1, -1), repeat=len(differences))]
    return sum(x >= sum(differences) for x in sums) / len(sums)


is_('chance', [chance(d) for d in ([], [0], [1], [-1], [1, 1, 1], [10, 1, -1, -1, -1, -2, -2],
    [1] * 10)], [1, 1, 1 / 2, 1, 1 / 8, 63 / 128, 1 / 1024])
rng = random.Random(5)
for _ in range(200):
    of = [rng.randint(-4, 6) for _ in range(rng.randint(0, 9))]
    is_('chance of %s' % of, abs(chance(of) - obvious([d for d in of if d])) < 1e-12, True)


def ten_lost(m):
    for i in range(10, 20):
        m.c.units[str(i)] = m.c.units['1']
        m.c.submitted[str(i)] = T + 50 + 100 * i


def ten_kills(m):
    ten_lost(m)
    for i in range(10, 20):
        m.strike('kill', 'unsaved', T + 55 + 100 * i, T + 56 + 100 * i)


def one_kill(m):
    ten_lost(m)
    m.strike('kill', 'unsaved', T + 1051, T + 2000)


for fault, keys in (ten_lost, {'lost'}), (ten_kills, set()), (one_kill, set()):
    failed, row = judged(fault)
    is_(fault.__name__, failed, keys)
# the most that act may have, one of each strike, with none and with four of stock's; and of nine
# strikes with as many each
is_('may be chance', [max(a for a in range(200) if storm_judge.may_be_chance([[1, 0]] * a +
    [[0, 1]] * s)) for s in (0, 4)] + [max(k for k in range(200) if
    storm_judge.may_be_chance([[k, 0]] * 9))], [10, 17, 1])
is_('of one strike', row['strikes_of']['lost'], [[10, 0]])
is_('strikes of which each takes one', judged(ten_kills)[1]['strikes_of']['lost'], [[1, 0]] * 10)
is_('as many jobs', [storm_judge.as_many(a, s) for a, s in ((0, 0), (44, 55), (43, 55), (977, 1038),
    (975, 1038), (1038, 976))], [False, True, False, True, False, True])
# all storms together, of two each: (unexplained, explained) of act and of stock
def together(**pairs):
    none = dict.fromkeys(TEXTS, (0, 0))
    half = [[{k: tuple(n // 2 + (n % 2) * i for n in pairs.get(k, (none, none))[c])
        for k in pairs} for c in (0, 1)] for i in (0, 1)]
    text, good = storm_judge.verdict([{'act': dict(none, **a), 'stock': dict(none, **s)}
        for a, s in half])
    return (text.split(': ')[-1] if not good else 'good.') if text.startswith('All 2 ') else text


is_("the table's head", storm.TABLE_HEAD.count('%s') == 1 and 'KINDS' in storm.TABLE_HEAD % 'KINDS',
    True)
is_('nothing in any storm', together(), 'good.')
# 27 of 36 explained have a chance of 0.0020, 25 of 36 one of 0.014
is_('explained in all', [together(lost=((0, a), (0, 36 - a))) for a in (18, 25, 27)],
    ['good.', 'good.', 'lost.'])
is_('by strikes, where they are known', [storm_judge.verdict([{
    'act': dict(none, lost=(0, 27)), 'stock': dict(none, lost=(0, 9)),
    'strikes_of': dict(dict.fromkeys(TEXTS, []), lost=pairs)}])[1]
    for none in [dict.fromkeys(TEXTS, (0, 0))] for pairs in ([[27, 9]], [[3, 1]] * 9)],
    [True, False])
is_('fewer than stock', together(lost=((0, 9), (0, 27))), 'good.')
is_('each kind by itself', together(lost=((0, 9), (0, 27)), stuck=((0, 7), (0, 0))), 'stuck.')
is_('unexplained are of each storm', together(again=((9, 0), (0, 0))), 'good.')
is_('runs beside an earlier one', [together(doubled=d) for d in (((0, 3), (1, 2)),
    ((0, 3), (0, 2)), ((1, 0), (0, 0)))], ['good.', 'doubled.', 'doubled.'])
# a strike long before, or of a job of another number, explains nothing
is_('a kill long before', judged(lost, ('kill', 'unsaved', T + 10, T + 12))[0], {'lost'})
is_('a reconfigure of a run that has begun', judged(lost,
    ('reconfigure', 'launch', T + 101, T + 102))[0], {'lost'})
def ends_on_a_node(m):
    lost(m)
    m.states(j3='NODE_FAIL')


is_('a node that goes', judged(ends_on_a_node, ('boot', 'node', T + 105, T + 109, 'n2'))[0], set())
is_('another node', judged(ends_on_a_node, ('boot', 'node', T + 105, T + 109, 'n5'))[0], {'lost'})
is_('another job requeued', judged(again, ('requeue', 'requeue', T + 110, T + 111, '', '4'))[0],
    {'again'})
is_('the job requeued', judged(again, ('requeue', 'requeue', T + 110, T + 111, '', '3'))[0], set())

rows = list(storm_cluster.parse('''\
JobId=12 ArrayJobId=10 ArrayTaskId=2 JobName=storm7 JobState=RUNNING Reason=None Restarts=1 \
TimeLimit=00:02:00 StartTime=2026-11-28T19:41:28 NodeList=n[1-2] Nodes=n1 CPU_IDs=0,2-3 Mem=5 \
GRES= Nodes=n2 CPU_IDs=1 Mem=5 GRES=
JobId=10 ArrayJobId=10 ArrayTaskId=3-4 JobName=storm7 JobState=PENDING TimeLimit=1-00:02:00 \
StartTime=Unknown NodeList=(null)
JobId=21 HetJobId=20 HetJobOffset=1 JobName=storm8 JobState=RUNNING TimeLimit=00:01:00 NodeList=d3
'''))
is_('units', [r.unit for r in rows], ['7_2', '7', '8'])
is_('ids', [r.id for r in rows], ['10_2', '10', '21'])
is_('CPUs', rows[0].cpus, {('n1', 0), ('n1', 2), ('n1', 3), ('n2', 1)})
is_('limits', [r.limit_min for r in rows], [2, 1442, 1])
is_('nodes', [r.nodes for r in rows], [['n1', 'n2'], [], ['d3']])
is_('hosts', list(storm_judge.hosts('n[1-2,4],d3')), ['n1', 'n2', 'n4', 'd3'])
is_('leaders', [r.leads for r in rows], [True, True, False])
same = [[(j.at_s, j.form, j.options, j.sleep_s) for j in storm_plan.draw_jobs(7, 60, 50)]
    for _ in range(2)]
is_('the same jobs of a seed', same[0], same[1])
is_('a kind without strikes', storm_plan.draw_strikes(['prolog'], 7, 600), [])
for k in storm_plan.KINDS.values():
    is_('setups of ' + k.name, set(k.needs.split()) - set(storm_plan.SETUPS), set())
    is_('strike of ' + k.name, k.name in storm_cluster.STRIKES, k.every_s > 0)
    in_groups = ','.join(storm_plan.GROUPS).split(',').count(k.name)
    is_('groups with ' + k.name, in_groups, 0 if k.name in storm_plan.ALWAYS else 1)

with tempfile.TemporaryDirectory() as d:
    kept, new = os.path.join(d, 'rows'), os.path.join(d, 'new')
    for told in (('a', 'x', 2), ('b', 'x', 2)), (('a', 'x', 30), ('a', 'y', 2)):
        with open(new, 'w') as f:
            f.writelines(json.dumps(dict(zip(('kinds', 'release', 'minutes'), t))) + '\n'
                for t in told)
        storm.keep(kept, new)
    is_('rows kept', [(r['kinds'], r['release'], r['minutes']) for r in row_file.read(kept)],
        [('a', 'x', 30), ('a', 'y', 2), ('b', 'x', 2)])
    with open(new, 'w') as f:
        f.writelines(json.dumps(dict(kinds=k, release='x', minutes=30, commit='1', bad=bad)) + '\n'
            for k, bad in (('c', []), ('d', ['lost'])))
    is_('storms that need not run again', [(k, minutes, commit) for k in 'cde'
        for minutes in (20, 40) for commit in '12' if storm.is_kept(new, 'x', k, minutes, commit)],
        [('c', 20, '1'), ('c', 20, '2'), ('d', 20, '1')])

print('\n'.join(['check_storm: ' + w for w in wrong]) or 'check_storm: all faults are seen')
sys.exit(bool(wrong))
