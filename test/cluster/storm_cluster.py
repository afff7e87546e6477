# SPDX-License-Identifier: GPL-2.0-or-later
"""A cluster of a storm: its commands, the strikes on it, and what is seen of it.

Each job writes to a file of its cluster's, of two clusters that get the same:

	start UNIT JOB RESTARTS TIME PID    its script begins
	end UNIT JOB RESTARTS TIME PID      it has slept as long as it was to
	double UNIT JOB RESTARTS TIME PID   it begins, and an earlier run of it still lives

UNIT is the number of the submission, SUBMISSION_TASK for a task of an array; these are counted.
(slurmctld gives the number of a job that it has forgotten to another one.)  Of a heterogeneous
job the first component has the script.  Each second slurmctld is asked for all jobs, and twice a
second it is seen which processes live.
"""
import collections
import contextlib
import glob
import os
import pwd
import re
import signal
import subprocess
import threading
import time

import storm_judge
from storm_judge import hosts, numbers, when
from storm_plan import FAILOVER_S, NODES, USERS

HERE = os.path.dirname(os.path.abspath(__file__))
VCLUSTER = os.path.join(HERE, '../../contrib/vcluster')
LAST_LINES = 16     # of its log, are told of a slurmctld that has ended

# of slurmctld.  stack: of its crash, as crash.c writes it; none if it did not crash
Death = collections.namedtuple('Death', 'at log last stack')

# --- a cluster ------------------------------------------------------------------------------


class Cluster:
    def __init__(self, name, work, prefix):
        self.name, self.work = name, work
        self.dir = os.path.join(work, name)
        self.runs = os.path.join(work, name + '.runs')
        self.env = dict(os.environ, SLURM_CONF=os.path.join(self.dir, 'slurm.conf'),
            COSCHED_VCLUSTER=self.dir, PATH=':'.join((os.path.join(work, name + '.bin'),
                os.path.join(prefix, 'bin'), os.environ['PATH'], '/usr/sbin')))
        self.backup = os.path.exists(os.path.join(self.dir, 'backup.conf'))
        self.users = False      # do jobs belong to several?
        self.blows = []         # storm_judge.Blow
        self.units = {}         # unit: Job
        self.submitted = {}     # unit: time
        self.refused = []       # submissions, as text
        self.late_s = 0.        # of a strike, at most
        self.failed = []        # strikes that failed, as text
        self.broken = []        # threads of this program that failed
        self.deaths = []        # Death, of slurmctld, by no strike
        self.ctld = threading.Lock()  # held while a strike works on slurmctld
        self.lock = threading.Lock()
        self.striking = threading.local()  # number: of the plan's strike that this thread does
        os.makedirs(self.runs + '.locks')
        os.chmod(self.runs + '.locks', 0o777)
        for f in (self.runs, self.runs + '.prologs'):
            open(f, 'a').close()
            os.chmod(f, 0o666)

    def call(self, *words, timeout_s=20):
        """(exit status, output); 124 if it took too long"""
        try:
            p = subprocess.run(words, env=self.env, cwd=self.work, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout_s, text=True,
                errors='replace')
            return p.returncode, p.stdout
        except subprocess.TimeoutExpired:
            return 124, 'timeout'

    def scontrol(self, *words):
        return self.call('scontrol', *words)

    def vc(self, *words):
        return self.call(VCLUSTER, *words, timeout_s=90)

    def ctld_pid(self):
        """of the primary slurmctld, or None"""
        try:
            with open(os.path.join(self.dir, 'run/slurmctld.pid')) as f:
                pid = int(f.read())
            with open('/proc/%d/cmdline' % pid) as f:
                return pid if self.env['SLURM_CONF'] in f.read() else None
        except (OSError, ValueError):
            return None

    def backup_pid(self):
        """of the slurmctld that stands by, or None"""
        conf = os.path.join(self.dir, 'backup.conf').encode()
        for path in glob.glob('/proc/[0-9]*/cmdline'):
            try:
                with open(path, 'rb') as f:
                    words = f.read().split(b'\0')
            except OSError:
                continue
            if os.path.basename(words[0]) == b'slurmctld' and conf in words:
                return int(path.split('/')[2])
        return None

    def died(self, log='slurmctld.log'):
        """Note an end of slurmctld, before another one writes into its log"""
        self.deaths.append(Death(time.time(), log, self.lines(log)[-LAST_LINES:],
            self.crash()))

    def crash(self):
        """Lines that crash.c wrote since the last look"""
        stack = self.lines('crash.log')
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self.dir, 'log/crash.log'))
        return stack

    def lines(self, log):
        try:
            with open(os.path.join(self.dir, 'log', log), errors='replace') as f:
                return [line.rstrip() for line in f]
        except OSError:
            return []

    def kill_ctld(self):
        pid = self.ctld_pid()
        if not pid:
            return False
        os.kill(pid, signal.SIGKILL)
        until = time.time() + 20
        while os.path.exists('/proc/%d' % pid) and time.time() < until:
            time.sleep(.01)
        return True

    def start_ctld(self):
        stack = self.crash()
        if stack:
            self.failed.append('crash in a strike: ' + '; '.join(stack))
        rc, said = self.vc('start-ctld')
        if rc and 'runs already' not in said:
            self.failed.append('start-ctld: ' + said.strip().splitlines()[-1])
        return rc == 0

    def delete(self, node, patience_s):
        """One that is not there any more is no failure"""
        until = time.time() + patience_s
        while True:
            rc, said = self.scontrol('delete', 'nodename=' + node)
            if rc == 0 or 'Invalid node name' in said:
                return
            if time.time() > until:
                self.failed.append('delete: ' + said.strip().splitlines()[-1])
                return
            time.sleep(1)

    def tidy(self):
        """Nodes that strikes left behind are deleted, or boot."""
        rc, said = self.call('sinfo', '-h', '-N', '-o', '%N %T')
        for line in sorted(set(said.splitlines())) if rc == 0 else ():
            node, state = line.split()
            if node.startswith('d'):
                self.scontrol('update', 'nodename=' + node, 'state=down', 'reason=storm')
                self.delete(node, 5)
            elif state.endswith('~'):
                self.scontrol('update', 'nodename=' + node, 'state=power_up')
            elif state.startswith('drain'):  # a kill forgot the power_up that ends it
                self.scontrol('update', 'nodename=' + node, 'state=resume')

    def register(self):
        """Every slurmd reads its configuration and registers."""
        for path in glob.glob(os.path.join(self.dir, 'run/slurmd.*.pid')):
            try:
                with open(path) as f:
                    pid = int(f.read())
                with open('/proc/%d/cmdline' % pid) as f:
                    if self.env['SLURM_CONF'] in f.read():
                        os.kill(pid, signal.SIGHUP)
            except (OSError, ValueError):
                pass

    def submit(self, job):
        script_ = os.path.join(self.work, 'job')
        by = ('--uid=' + job.user, '--mail-user=nobody', '-D', '/') if self.users else ()
        rc, said = self.call('sbatch', '--parsable', '-o', '/dev/null', '-J', 'storm%d' % job.index,
            '-t', str(job.limit_min), *by, *job.options, script_, str(job.sleep_s), self.runs,
            timeout_s=60)
        found = re.search(r'^(\d+)$', said, re.M)
        now = time.time()
        with self.lock:
            if rc or not found:
                self.refused.append('%d at %.1f: %s' % (job.index, now,
                    (said.strip().splitlines() or ['no word'])[-1]))
                return
            for unit in job.units():
                self.units[unit] = job
                self.submitted[unit] = now

    @contextlib.contextmanager
    def blow(self, what, loses='', node='', unit=''):
        b = storm_judge.Blow(self.striking.number, what, loses, node, unit, time.time())
        with self.lock:
            self.blows.append(b)
        try:
            yield b
        finally:
            b.end = time.time()
            if b.end - b.begin > 40:
                self.failed.append('%s took %.0f s' % (what, b.end - b.begin))


# --- strikes --------------------------------------------------------------------------------
#
# Each is called with the cluster and a random generator, which gives the same numbers on both
# clusters as long as the strike asks for the same.

def restart(c, rng):
    with c.blow('restart', 'launch'):
        rc, said = c.vc('stop-ctld')
        if rc:
            c.failed.append('stop-ctld: ' + said.strip()[-200:])
            with c.blow('kill', 'unsaved'):
                c.kill_ctld()
        time.sleep(rng.uniform(0, 2))
        c.start_ctld()


def reconfigure(c, rng):
    with c.blow('reconfigure', 'launch'):
        for _ in range(rng.choice((1, 1, 2, 3))):
            c.scontrol('reconfigure')


def kill(c, rng):
    with c.blow('kill', 'unsaved'):
        if not c.kill_ctld():
            c.failed.append('kill: no slurmctld')
        time.sleep(rng.uniform(0, 2))
        c.start_ctld()


def failover(c, rng):
    with c.blow('failover', 'unsaved'):
        if rng.random() < .5:
            if not c.kill_ctld():
                c.failed.append('failover: no slurmctld')
        else:
            c.scontrol('takeover')
        until = time.time() + 4 * FAILOVER_S
        while time.time() < until and c.call('squeue', '-h', '-o', '%i')[0]:
            time.sleep(.5)
        if time.time() >= until:
            c.failed.append('failover: nobody took over')
        time.sleep(rng.uniform(2, 8))
        c.start_ctld()
    # One of 22.05 that gives back a second time joins its first scheduler's thread, with us
    # and without: another stands by then.
    if c.backup_pid():
        c.vc('kill-backup')
    else:
        c.died('slurmctld.backup.log')
    rc, said = c.vc('start-backup')
    if rc:
        c.failed.append('start-backup: ' + said.strip()[-200:])


def stop(c, rng):
    pid = c.ctld_pid()
    with c.blow('stop'):
        if not pid:
            c.failed.append('stop: no slurmctld')
            return
        os.kill(pid, signal.SIGSTOP)
        # a backup would take over: then two control the cluster
        time.sleep(rng.uniform(.3, FAILOVER_S / 2. if c.backup else 12))
        os.kill(pid, signal.SIGCONT)


def boot(c, rng):
    node = 'n%d' % rng.randint(1, NODES)
    how = rng.choice(('power_down', 'power_down_asap', 'power_down_force'))
    with c.blow('boot', 'node', node):
        c.scontrol('update', 'nodename=' + node, 'state=' + how, 'reason=storm')
        time.sleep(rng.uniform(4, 9))
        c.scontrol('update', 'nodename=' + node, 'state=power_up')


def dynamic(c, rng):
    if rng.random() < .5:
        joins_and_leaves(c, rng)
    else:
        many_come_and_go(c, rng)


def joins_and_leaves(c, rng):
    """A slurmd registers as a new node, runs jobs, is taken down and deleted."""
    name = 'dz%d' % rng.randint(1, 3)
    shape = 'Sockets=%d CoresPerSocket=%d RealMemory=4000' % (rng.randint(1, 2), rng.randint(1, 3))
    os.makedirs(os.path.join(c.dir, 'spool.' + name), exist_ok=True)
    rc, said = c.call('slurmd', '-Z', '-N', name, '-f', c.env['SLURM_CONF'], '--conf', shape)
    if rc:
        c.failed.append('slurmd -Z: ' + said.strip()[-200:])
        return
    time.sleep(rng.uniform(6, 15))
    with c.blow('dynamic', 'node', name):
        c.scontrol('update', 'nodename=' + name, 'state=drain', 'reason=storm')
        time.sleep(rng.uniform(0, 6))
        try:
            with open(os.path.join(c.dir, 'run/slurmd.%s.pid' % name)) as f:
                os.kill(int(f.read()), signal.SIGKILL)
        except (OSError, ValueError) as e:
            c.failed.append('slurmd of %s: %s' % (name, e))
        c.scontrol('update', 'nodename=' + name, 'state=down', 'reason=storm')
        c.delete(name, 20)


def many_come_and_go(c, rng):
    """Nodes of several shapes that no slurmd serves"""
    names = ['df%d' % i for i in range(1, rng.randint(3, 20))]
    with c.blow('dynamic'):
        for name in names:
            c.scontrol('create', 'nodename=' + name, 'state=future',
                'sockets=%d' % rng.randint(1, 2), 'corespersocket=%d' % rng.randint(1, 4),
                'realmemory=2000')
        time.sleep(rng.uniform(0, 3))
        for name in names:
            c.delete(name, 5)


def users(c, rng):
    numbers_ = {str(pwd.getpwnam(u).pw_uid) for u in rng.sample(USERS[1:], rng.randint(3, 10))}
    with c.blow('users'):
        with flag(c.runs + '.hangs', '\n'.join(sorted(numbers_)) + '\n'):
            if rng.random() < .3:
                c.scontrol('reconfigure')  # what was looked up may be forgotten
            time.sleep(rng.uniform(1, 15))


def files(c, rng):
    with c.blow('files'):
        with flag(c.runs + '.slow', ''):
            time.sleep(rng.uniform(1, 10))


@contextlib.contextmanager
def flag(path, text):
    """A file that is there for a while, whole from its beginning on"""
    with open(path + '.new', 'w') as f:
        f.write(text)
    os.rename(path + '.new', path)
    try:
        yield
    finally:
        os.unlink(path)


def some_unit(c, rng, fits):
    """A unit of slurmctld's last record that fits; None if there is none"""
    rows = sorted((r for r in c.look.rows if r.unit in c.units and r.state == 'RUNNING' and
        fits(c.units[r.unit], r)), key=lambda r: c.units[r.unit].index)
    return rows[int(rng.random() * len(rows))] if rows else None


def resize(c, rng):
    row = some_unit(c, rng, lambda job, r: job.form in ('wide', 'long') and len(r.nodes) > 1)
    if not row:
        return
    with c.blow('resize', unit=row.unit):
        c.scontrol('update', 'jobid=' + row.id, 'numnodes=%d' % (len(row.nodes) - 1))


def requeue(c, rng):
    row = some_unit(c, rng, lambda job, r: job.requeue and job.form not in ('het', 'endless') and
        c.look.began.get(r.unit, 0) + job.sleep_s > time.time() + 1)
    if not row:
        return
    with c.blow('requeue', 'requeue', unit=row.unit):
        c.scontrol('requeue', row.id)


STRIKES = {f.__name__: f for f in (restart, reconfigure, kill, failover, stop, boot, dynamic,
    users, files, resize, requeue)}


# --- looking --------------------------------------------------------------------------------

Row = collections.namedtuple('Row', 'unit id job state restarts limit_min begin nodes cpus leads')


def minutes(text):
    """of "1-02:03:04", or None"""
    found = re.fullmatch(r'(?:(\d+)-)?(\d+):(\d+):(\d+)', text)
    if not found:
        return None
    d, h, m, s = (int(x or 0) for x in found.groups())
    return d * 1440 + h * 60 + m + s / 60.


def parse(text):
    """Rows of `scontrol -d -o show job`; tasks that wait are one, its unit the submission."""
    for line in text.splitlines():
        if not line.startswith('JobId='):
            continue
        f = {}
        for key, value in re.findall(r'(\S+?)=(\S*)', line):
            f.setdefault(key, value)
        unit, id_ = f.get('JobName', '').replace('storm', ''), f['JobId']
        if f.get('ArrayTaskId', '').isdigit():
            unit += '_' + f['ArrayTaskId']
            id_ = f['ArrayJobId'] + '_' + f['ArrayTaskId']
        leads = f.get('HetJobOffset', '0') == '0'
        cpus = {(n, cpu) for nodes, ids in re.findall(r' Nodes=(\S+) CPU_IDs=(\S+)', line)
            for n in hosts(nodes) for cpu in numbers(ids)}
        yield Row(unit, id_, f['JobId'], f['JobState'], int(f.get('Restarts', 0)),
            minutes(f.get('TimeLimit', '')), when(f.get('StartTime', '')),
            list(hosts(f.get('NodeList', '').replace('(null)', ''))), cpus, leads)


class Look:
    """What is seen of a cluster, while a storm lasts."""

    def __init__(self, cluster, cosched):
        self.c, self.cosched = cluster, cosched
        self.rows = []
        self.looks = 0          # in which slurmctld answered
        self.alive = {}         # (unit, pid): time at which it was last seen
        self.open = set()       # those of them that may live
        self.began = {}         # unit: start of its last run
        self.on = {}            # unit: nodes on which it was seen
        self.missing = {}       # run of a unit: seconds as RUNNING without a process
        self.twice = {}         # "NODE:CPU A B": times seen
        self.sees = False       # act is on, and has seen the jobs
        self.raised = {}        # unit: looks in a row, while it does, at a limit too high
        self.too_high = {}      # unit: text
        self.off_s = 0.         # out of act, while slurmctld answered
        self.why_off = ''
        self.read = 0           # bytes of the runs file
        self.moved = time.time()  # something was written there
        self.last = None

    def runs(self):
        """New lines of the runs file"""
        with open(self.c.runs) as f:
            f.seek(self.read)
            text = f.read()
        text = text[:text.rfind('\n') + 1]
        self.read += len(text)
        if text:
            self.moved = time.time()
        for line in text.splitlines():
            what, unit, _, _, at, pid = line.split()
            if what == 'start':
                self.open.add((unit, int(pid)))
                self.began[unit] = float(at)

    def processes(self):
        """Notes which job scripts live"""
        self.runs()
        for unit, pid in list(self.open):
            try:
                with open('/proc/%d/cmdline' % pid) as f:
                    if self.c.runs not in f.read():
                        raise ProcessLookupError
                self.alive[unit, pid] = time.time()
            except OSError:
                self.open.discard((unit, pid))

    def jobs(self):
        """One look at slurmctld's records; False if it does not answer"""
        rc, text = self.c.call('scontrol', '-d', '-o', 'show', 'job', timeout_s=15)
        if rc or ('JobId=' not in text and 'No jobs' not in text):
            self.last = None
            self.raised = {}
            return False
        now = time.time()
        passed = min(now - self.last, 3) if self.last else 0
        self.last = now
        self.looks += 1
        self.rows = list(parse(text))
        held, high = {}, {}
        living = {unit for unit, _ in list(self.open)}
        on = collections.Counter(n for r in self.rows if r.cpus for n in r.nodes)
        for r in self.rows:
            job = self.c.units.get(r.unit) or self.c.units.get(r.unit + '_1')
            for cpu in r.cpus if r.state in ('RUNNING', 'CONFIGURING') else ():
                other = held.setdefault(cpu, r.job)
                if other != r.job:
                    key = '%s:%d jobs %s %s' % (cpu + (other, r.job))
                    self.twice[key] = self.twice.get(key, 0) + 1
            self.on.setdefault(r.unit, set()).update(r.nodes)
            if r.state == 'RUNNING' and r.leads and r.unit in self.c.units:
                key = (r.unit, r.restarts, r.begin)
                so_far = self.missing.get(key, 0)
                if r.unit not in living:
                    self.missing[key] = so_far + passed
                elif so_far < storm_judge.MISSING_S:
                    self.missing[key] = 0
            if job and r.limit_min and self.sees:
                most = job.limit_min
                if r.state != 'PENDING':
                    beside = max((on[n] for n in r.nodes), default=1) - 1
                    most = int(-(-most * max(storm_judge.RAISE,
                        storm_judge.BESIDE ** beside) // 1))
                if r.limit_min > most and r.state in ('PENDING', 'RUNNING'):
                    high[r.unit] = self.raised.get(r.unit, 0) + 1
                    if high[r.unit] >= 4:
                        self.too_high.setdefault(r.unit, '\n         '.join(
                            ['%s has %d minutes of %d at %.1f; its log:' % (r.state,
                                r.limit_min, job.limit_min, now)] +
                            [line for line in self.c.lines('slurmctld.log')
                                if re.search(r'JobId=%s\b|cosched: ' % r.job, line)][-LAST_LINES:]))
        self.raised = high
        return True

    def act(self):
        """Is act on?  None without an answer"""
        rc, text = self.c.call(self.cosched, 'status', timeout_s=10)
        answers = rc != 124 and text.startswith('cosched ')
        on = answers and ': mode act, ' in text.splitlines()[0]
        self.sees = on and 'first look' not in text
        if not answers:
            return None
        if not on:
            found = re.search(r'^WARNING: (mode .*)', text, re.M)
            self.why_off = found[1] if found else text.splitlines()[0]
        return on
