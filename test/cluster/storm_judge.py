# SPDX-License-Identifier: GPL-2.0-or-later
"""What a storm did to the jobs of two clusters, and whether act did worse than stock.

Counted, on each cluster, by what its jobs wrote, by which processes lived and by slurmctld's
records (a run is one start of a unit's script; storm.py says what a unit is):

	lost      has no end, is not in the queue, and its limit did not end it
	doubled   began while an earlier run of it lived
	again     began again, and nobody requeued it
	missing   was RUNNING without a process for MISSING_S or longer
	early     was ended by its limit EARLY_S or more before this had passed since the
	          Prolog, or else the script, began (what a launch takes is in Slurm's count)
	twice     CPUs that two jobs held at a time
	stuck     was still in the queue when it should have drained
	nodes     nodes that were not idle then
	deaths    ends of slurmctld that no strike caused

and on act alone

	raised    four looks long, a second each, while act was on, it waited with a higher limit
	          than it was submitted with, or ran with one higher than RAISE times that, the
	          most that its profiles allow
	off       act was not on at the end

Some of these stock Slurm has by its nature.  An occurrence is explained by a strike, `because`,

	unsaved   a kill -9: what was submitted, started or ended UNSAVED_S before it may be
	          forgotten, since slurmctld saves each 5 s or so
	launch    an end, a reconfigure: the launch of a job that started LAUNCH_S before or while
	          it went on, and did not run before Slurm requeued it, if at all, may wait in
	          slurmctld's agent, which does not outlive it
	node      a node was powered down or deleted under it
	requeue   scontrol requeue
	report    its end, the message that launches it, or the registration of its node that had
	          booted, met a slurmctld that was not there or hung, REPORT_S before or while it did

The rule: act has no more unexplained occurrences than stock.  Explained ones are counted by the
strike that explains them, on both clusters: the same strikes hit other jobs there, and d, act's
less stock's, differ from strike to strike.  Their sum is at most 4 + 2 sqrt(sum of d^2), what
chance does to it, 4 as one kill hits all that has begun since slurmctld last saved.  That allows
much to each storm: of all of them together by_chance.py's p is at least LEAST_P.  Of a row that
does not have them by strikes each occurrence counts as one strike's.  CPUs held twice, deaths,
raised and off are never explained.

Runs beside an earlier one have no such allowance in all together: act has no more of them than
stock, explained or not.
"""
import collections
import json
import math
import os
import re
import time

from by_chance import chance

ENDS = ('restart', 'kill', 'failover')
AWAY = ('restart', 'reconfigure', 'kill', 'failover', 'stop', 'users', 'files')
UNSAVED_S, LAUNCH_S, REPORT_S = 15, 15, 20
MISSING_S, EARLY_S = 20, 10
SHOWN = 40          # of each cluster and measure are told
RAISE = 1.7         # the most that test/cluster/lib.sh's profiles slow a job down
BESIDE = 1.5        # and each neighbour of no profile, of the several that Slurm's own test may put
                    # beside a component of a heterogeneous job


class Blow:
    """A strike that fell, the number @strike of the plan.  end: as long as it lasts, None"""

    def __init__(self, strike, what, loses, node, unit, begin):
        self.strike, self.what, self.loses = strike, what, loses
        self.node, self.unit = node, unit
        self.begin, self.end = begin, None
        self.away = what in AWAY

    def meets(self, low, high):
        return self.begin <= high and (self.end or math.inf) >= low

    def __str__(self):
        return '%s%s %.1f to %.1f' % (self.what, ' ' + (self.node or self.unit) if self.node or
            self.unit else '', self.begin, self.end or 0)


class Run:
    def __init__(self, job, restarts, start, pid):
        self.job, self.restarts, self.start, self.pid = job, restarts, start, pid
        self.end = self.died = None
        self.begin = start  # of the Prolog
        self.doubles = False


def read_runs(c):
    """{unit: [Run]}, in the order of their starts"""
    runs, doubles = {}, set()
    with open(c.runs) as f:
        for line in f:
            what, unit, job, restarts, at, pid = line.split()
            if what == 'double':
                doubles.add((unit, pid))
            elif what == 'start':
                run = Run(job, int(restarts), float(at), int(pid))
                run.doubles = (unit, pid) in doubles
                runs.setdefault(unit, []).append(run)
            else:
                for run in runs.get(unit, ()):
                    if run.pid == int(pid):
                        run.end = float(at)
    prologs = {}
    with open(c.runs + '.prologs') as f:
        for line in f:
            _, job, at = line.split()
            prologs.setdefault(job, []).append(float(at))
    for unit, list_ in runs.items():
        for run in list_:
            run.died = run.end or c.look.alive.get((unit, run.pid)) or run.start
            run.begin = max((p for p in prologs.get(run.job, ()) if 0 <= run.start - p < 30),
                default=run.start)
    return runs


Record = collections.namedtuple('Record', 'state begin end nodes')


def read_records(c):
    """{(submission, job): [Record]}, Slurm's own, of each end of a job"""
    records = {}
    try:
        with open(os.path.join(c.dir, 'log/jobcomp.log'), errors='replace') as f:
            for line in f:
                found = re.match(r'JobId=(\d+) .*? Name=storm(\d+) JobState=(\w+) .*? '
                    r'StartTime=(\S+) EndTime=(\S+) NodeList=(\S+)', line)
                if found:
                    job, index, state, begin, end, nodes = found.groups()
                    records.setdefault((index, job), []).append(Record(state, when(begin),
                        when(end), set(hosts(nodes))))
    except OSError:
        pass
    return records


def when(text):
    """of Slurm's times; 0 for one that is none"""
    try:
        return time.mktime(time.strptime(text, '%Y-%m-%dT%H:%M:%S'))
    except ValueError:
        return 0.


def numbers(text):
    """The numbers in "0-3,7"."""
    for part in text.split(','):
        low, _, high = part.partition('-')
        yield from range(int(low), int(high or low) + 1)


def hosts(text):
    """The nodes in "n[1-2,4],d3"."""
    for prefix, inside in re.findall(r'([a-z]+[0-9]*)(?:\[([0-9,-]+)\])?', text):
        if inside:
            yield from (prefix + str(i) for i in numbers(inside))
        else:
            yield prefix


Because = collections.namedtuple('Because', 'word strike')  # which strike, and how
Found = collections.namedtuple('Found', 'unit text because')  # None: nothing explains it


class Judge:
    def __init__(self, storm):
        self.storm, self.c = storm, storm.c
        self.runs, self.records = read_runs(self.c), read_records(self.c)

    def because(self, unit, begin, died, ended):
        """The strike that explains what became of a run, by its times; ended is None without an
        end"""
        for b in self.c.blows:
            if b.unit == unit and b.loses == 'requeue' and b.meets(begin - 1, died + 5):
                return Because('requeue', b.strike)
        for b in self.c.blows:
            if b.loses == 'unsaved' and any(t and b.meets(t - 1, t + UNSAVED_S) for t in
                    (self.c.submitted.get(unit), begin, ended)):
                return Because('unsaved', b.strike)
            if b.loses == 'node' and b.meets(begin - 1, died + 5) and \
                    self.nodes_of(unit) & set(b.node.split()):
                return Because('node', b.strike)
        return self.met(ended) if ended else None

    def launch(self, begin):
        """The strike that explains why a job that slurmctld started then never ran"""
        for b in self.c.blows:
            if b.loses in ('launch', 'unsaved') and b.meets(begin - 1, begin + LAUNCH_S):
                return Because('launch', b.strike)
        return self.met(begin)

    def met(self, at):
        """The strike that kept slurmctld away when a message of that time came"""
        return self.kept_away(at - 2, at + REPORT_S)

    def kept_away(self, low, high):
        """The strike that kept slurmctld away at any time between"""
        for b in self.c.blows:
            if b.away and b.meets(low, high):
                return Because('report', b.strike)
        return None

    def boot(self, nodes):
        """The strike that booted one of these nodes, if slurmctld ended while it did: a node that
        registers then waits for ever for a later boot, no ResumeTimeout ends that"""
        for b in self.c.blows:
            if b.what == 'boot' and b.node in nodes and any(e.what in ENDS and e.meets(b.begin,
                    b.end + REPORT_S) for e in self.c.blows):
                return Because('report', b.strike)
        return None

    def state(self, unit, run):
        records = self.records.get((unit.split('_')[0], run.job))
        return records[-1].state if records else ''

    def nodes_of(self, unit):
        """Nodes on which it was, in any of its runs"""
        return self.c.look.on.get(unit, set()).union(*(r.nodes for r in self.ends(unit)))

    def ends(self, unit):
        return [r for (index, _), records in self.records.items() if index == unit.split('_')[0]
            for r in records]

    def of_run(self, unit, run):
        return self.because(unit, run.start, run.died, run.end)

    def lost(self):
        left = {u for u, _ in self.storm.left}
        for unit, job in self.c.units.items():
            runs = self.runs.get(unit, ())
            if unit in left or unit.split('_')[0] in left or any(r.end for r in runs):
                continue
            if runs and (self.state(unit, runs[-1]) == 'TIMEOUT' or job.form == 'endless' and
                    any(r.died - r.begin >= job.limit_min * 60 - EARLY_S for r in runs)):
                continue
            if runs:
                because = self.of_run(unit, runs[-1])
                text = '%s, ran %s' % (self.state(unit, runs[-1]) or 'no record', times(runs[-1:]))
            else:
                at = self.c.submitted[unit]
                text = 'never ran, submitted %.1f' % at
                because = next(filter(None, (self.because(unit, at, at, None), *(
                    self.because(unit, r.begin, r.end, None) or self.launch(r.begin)
                    for r in self.ends(unit)))), None)
                text += ''.join(', %s' % r.state for r in self.ends(unit))
            yield Found(unit, '%s (%s, %s)' % (text, job.form, ' '.join(job.options)), because)

    def doubled(self):
        for unit, runs in self.runs.items():
            for before, run in zip(runs, runs[1:]):
                if run.doubles:
                    yield Found(unit, 'runs ' + times(runs), self.of_run(unit, before))

    def again(self):
        for unit, runs in self.runs.items():
            for before, run in zip(runs, runs[1:]):
                if unit in self.c.units:
                    because = self.of_run(unit, before)
                    if not because or because.word != 'requeue':
                        yield Found(unit, 'runs ' + times(runs), because)

    def missing(self):
        for (unit, restarts, begin), seconds in self.c.look.missing.items():
            if seconds < MISSING_S:
                continue
            runs = [r for r in self.runs.get(unit, ()) if r.start >= begin - 2]
            end = runs[-1].died if runs else None
            because = self.because(unit, begin, end or begin, end)
            if not because and not any(r.start < begin + seconds for r in runs):
                because = self.launch(begin)
            yield Found(unit, 'RUNNING since %.1f, %.0f s without a process; runs %s' % (begin,
                seconds, times(runs) or 'none'), because)

    def early(self):
        for unit, runs in self.runs.items():
            run, job = runs[-1], self.c.units.get(unit)
            if not job or run.end or self.state(unit, run) != 'TIMEOUT':
                continue
            short = job.limit_min * 60 - (run.died - run.begin)
            if short < EARLY_S:
                continue
            # a launch that waited for slurmctld is in Slurm's count
            because = self.kept_away(run.begin - short, run.begin + 1)
            yield Found(unit, 'ended after %.0f s of %d minutes: %s' % (run.died - run.begin,
                job.limit_min, times(runs)), because)

    def twice(self):
        for text in self.c.look.twice:
            yield Found('', text, None)

    def stuck(self):
        for unit, state in self.storm.left:
            runs = self.runs.get(unit, ())
            last = runs[-1] if runs else None
            yield Found(unit, '%s; ran %s' % (state, times(runs) or 'never'),
                self.of_run(unit, last) if last else self.boot(self.nodes_of(unit)))

    def nodes(self):
        left = [(self.nodes_of(u), found.because) for (u, _), found in zip(self.storm.left,
            self.stuck())]
        for text in ['no answer'] if self.storm.bad_nodes is None else self.storm.bad_nodes:
            node, because = text.split()[0], None
            if 'POWERING_UP' in text:
                because = self.boot({node})
            else:  # held by a job that is left
                because = next((why for nodes, why in left if node in nodes), None)
            yield Found('', text, because)

    def deaths(self):
        for d in self.c.deaths:
            yield Found('', 'seen at %.1f; %s' % (d.at, ''.join('\n         ' + line for line in
                ['the end of %s:' % d.log] + d.last + ['its crash:'] + d.stack)), None)

    def raised(self):
        for unit, text in self.c.look.too_high.items():
            yield Found(unit, text, None)

    def off(self):
        if self.storm.acts and not self.storm.act_at_end:
            yield Found('', self.c.look.why_off or 'cosched status does not answer', None)

    def figures(self):
        starts = sum(len(r) for r in self.runs.values())
        return {'units': len(self.c.units), 'starts': starts, 'looks': self.c.look.looks,
            'per_minute': round(starts / self.storm.seconds * 60, 1),
            'not_submitted': len(self.c.refused),
            'held': self.storm.nursed['held'], 'nursed_nodes': self.storm.nursed['nodes'],
            'off_s': self.c.look.off_s, 'late_s': round(self.c.late_s, 1),
            'strikes': collections.Counter(b.what for b in self.c.blows)}


def times(runs):
    return ', '.join('%.1f to %s' % (r.start, '%.1f (end)' % r.end if r.end else '%.1f' % r.died)
        for r in runs)


MEASURES = (
    ('lost', 'jobs lost'), ('doubled', 'runs beside an earlier one'), ('again', 'runs again'),
    ('missing', 'RUNNING without a process'), ('early', 'ended before their limit'),
    ('twice', 'CPUs held twice'), ('stuck', 'left in the queue'), ('nodes', 'nodes left aside'),
    ('deaths', 'ends of slurmctld'), ('raised', 'limits too high'),
    ('off', 'act not on at the end'))


def may_be_chance(pairs):
    """[of act, of stock] by strikes: is the sum within what chance does to so many?"""
    d = [a - s for a, s in pairs]
    return sum(d) <= 4 + 2 * math.sqrt(sum(x * x for x in d))


def by_strike(act, stock):
    """[of act, of stock] of each strike that explains any of these"""
    of = [collections.Counter(f.because.strike for f in found if f.because)
        for found in (act, stock)]
    return [[n[k] for n in of] for k in sorted(of[0] | of[1])]


def as_many(act, stock):
    """Did act take as many jobs?  While slurmctld does not answer for once some are refused."""
    return act >= .8 * stock > 0 and act >= .95 * stock - 10


def judge(storms, row, row_file):
    stock, act = judges = [Judge(s) for s in storms]
    names = row['kinds'] if row['kinds'].count(',') < 4 else 'all kinds'
    bad = []
    row['strikes_of'] = {}
    for j in judges:
        f = row[j.c.name] = j.figures()
        strikes = ', '.join('%d %s' % (n, k) for k, n in sorted(f['strikes'].items()))
        print('# %s: %s: %d units, %d starts (%.0f a minute), %s; at most %.1f s late; %d not '
            'submitted, %d released, %d nodes resumed, %.0f s out of act, %d looks' % (j.c.name,
            names, f['units'], f['starts'], f['per_minute'], strikes or 'no strike', f['late_s'],
            f['not_submitted'], f['held'], f['nursed_nodes'], f['off_s'], f['looks']))
        for text in sorted(set(j.c.failed)):
            print('# %s: %s' % (j.c.name, text))

    def line(good, text, detail=()):
        if not good:
            bad.append(text)
        print('\n'.join(['%s - storm: %s: %s' % ('ok' if good else 'not ok', names, text)] +
            ['    ' + d for d in detail]))

    for key, text in MEASURES:
        found = [list(getattr(j, key)()) for j in judges]
        plain = [[f for f in list_ if not f.because] for list_ in found]
        counts = [(len(p), len(f) - len(p)) for p, f in zip(plain, found)]
        row['stock'][key], row['act'][key] = counts
        pairs = row['strikes_of'][key] = by_strike(found[1], found[0])
        good = counts[1][0] <= counts[0][0] and may_be_chance(pairs)
        reasons = collections.Counter(f.because.word for f in found[1] if f.because)
        line(good, '%s: %d%s; stock %d%s' % (text, counts[1][0], ' and %s' % ', '.join(
            '%d %s' % (n, k) for k, n in sorted(reasons.items())) if reasons else '', counts[0][0],
            ' and %d explained' % counts[0][1] if counts[0][1] else ''),
            [] if good else describe(act, plain[1] or found[1]))
        for j, of in zip(judges, found):
            for f in of[:SHOWN]:
                print('# %s: %s: %s %s%s' % (j.c.name, text, f.unit, f.text,
                    ' (%s, strike %s)' % f.because if f.because else ''))
    # without these nothing was seen
    for j in judges:
        line(j.c.look.looks >= j.storm.seconds / 6, '%s: slurmctld was looked at %d times' % (
            j.c.name, j.c.look.looks))
        line(not j.c.broken, '%s: the storm came to its end' % j.c.name, j.c.broken)
    line(as_many(len(act.c.units), len(stock.c.units)), 'as many jobs as on stock', act.c.refused)
    row['bad'] = bad
    if row_file:
        with open(row_file, 'a') as f:
            f.write(json.dumps(row, sort_keys=True) + '\n')
    return 0


EXPLAINED = ('lost', 'again', 'missing', 'early', 'stuck', 'nodes')  # by strikes, but for doubled
LEAST_P = .01


def differences(row, key):
    """By how many more of act's each strike explains"""
    if 'strikes_of' in row:
        return [a - s for a, s in row['strikes_of'][key]]
    return [1] * row['act'][key][1] + [-1] * row['stock'][key][1]


def verdict(rows):
    """The line about all these storms together, and whether act is as good as stock"""
    def total(cluster, key):
        return [sum(n) for n in zip([0, 0], *(r[cluster][key] for r in rows))]

    said, bad = [], []
    for key in EXPLAINED:
        a, s = (total(c, key)[1] for c in ('act', 'stock'))
        p = chance([d for r in rows for d in differences(r, key)])
        said.append('%s %d, %d (p %s)' % (key, a, s, '%.2f' % p if p >= .1 else '%.2g' % p))
        if p < LEAST_P:
            bad.append(key)
    a, s = (sum(total(c, 'doubled')) for c in ('act', 'stock'))
    said.append('doubled %d, %d' % (a, s))
    if a > s:
        bad.append('doubled')
    return 'All %d storms together, explained occurrences of act, of stock: %s: %s.' % (len(rows),
        ', '.join(said), 'worse: ' + ', '.join(bad) if bad else 'good'), not bad


def table(rows):
    """Markdown of the rows of several storms, sorted by kind and release"""
    lines = ['| kind | release | commit | seed | minutes | load | strikes | starts a minute | %s '
        '| s out of act | verdict |' % ' | '.join(key for key, _ in MEASURES),
        '|---|---|---|---|---:|---:|---:|---:|%s---:|---|' % ('---:|' * len(MEASURES))]
    for r in sorted(rows, key=lambda r: (r['kinds'], r['release'])):
        cells = [r['kinds'], r['release'], r['commit'], r['seed'], '%g' % r['minutes'],
            '%g' % r['rate'], str(r['strikes']),
            '%.0f, %.0f' % (r['act']['per_minute'], r['stock']['per_minute'])]
        for key, _ in MEASURES:
            a, s = (r[c][key] for c in ('act', 'stock'))
            cells.append('%s, %s' % tuple('%d+%d' % tuple(n) if n[1] else '%d' % n[0]
                for n in (a, s)))
        cells.append('%.0f' % r['act']['off_s'])
        cells.append('good' if not r['bad'] else 'worse: ' + '; '.join(r['bad']))
        lines.append('| %s |' % ' | '.join(cells))
    return lines


def describe(judge_, found):
    """Lines for the first of these, with the strikes around"""
    lines = []
    for f in found[:6]:
        lines.append('%s %s%s' % (f.unit, f.text, ' (%s, strike %s)' % f.because if f.because
            else ''))
        runs = judge_.runs.get(f.unit, ())
        low = (judge_.c.submitted.get(f.unit) or 0) - 5
        high = (runs[-1].died if runs else time.time()) + 5
        near = [str(b) for b in judge_.c.blows if b.meets(low, high) and b.unit in ('', f.unit)]
        lines += ['    ' + n for n in near[-6:] if f.unit]
    return lines
