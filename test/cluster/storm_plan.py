# SPDX-License-Identifier: GPL-2.0-or-later
"""What a storm consists of: its jobs, its strikes, and what clusters need for these.

All is drawn from the seed alone: jobs (when, of what form, how long) and strikes (when, of
which kind, and the random numbers that the strike uses).
"""
import collections
import os
import random
import shutil
import socket

NODES, CORES = 6, 4
FAILOVER_S = 8      # SlurmctldTimeout where a backup stands by
LAST_LONG_S = 150   # a job that its limit ends may need so long: limits are raised, and Slurm
                    # looks at them twice a minute

# --- the kinds ----------------------------------------------------------------------------
#
# part: strikes of one part follow each other.  every_s: the mean time between two of them.
# loses: what stock Slurm loses by it, by its nature (storm_judge.py explains each word).
# needs: keys of SETUPS.

Kind = collections.namedtuple('Kind', 'name part every_s loses needs text')

KINDS = {k.name: k for k in (
    Kind('restart', 'ctld', 20, 'launch', '', 'slurmctld is ended by SIGTERM and started again'),
    Kind('reconfigure', 'ctld', 8, 'launch', '', 'scontrol reconfigure, up to three in a row'),
    Kind('kill', 'ctld', 25, 'unsaved', 'requeue', 'slurmctld is killed (-9) and started again'),
    Kind('failover', 'ctld', 60, 'unsaved', 'backup requeue',
        'the backup takes over, after a kill -9 or by scontrol takeover, and gives back'),
    Kind('stop', 'ctld', 20, '', '', 'slurmctld stands still for up to 12 s (SIGSTOP, SIGCONT)'),
    Kind('boot', 'nodes', 15, 'node', 'power requeue',
        'nodes are powered down, some under their jobs, and boot again'),
    Kind('dynamic', 'machine', 12, 'node', 'dynamic requeue',
        'nodes are created and deleted, and a slurmd joins (-Z) and leaves'),
    Kind('users', 'outside', 20, '', 'users',
        'the directory service hangs for up to 15 s for some users'),
    Kind('files', 'outside', 20, '', '',
        'the file system of StateSaveLocation and of the event log hangs for up to 10 s'),
    Kind('prolog', '', 0, '', 'prolog', 'PrologSlurmctld takes up to 20 s, Prolog up to 4 s'),
    Kind('resize', 'jobs', 5, '', '', 'a running job gives a node back (scontrol update numnodes)'),
    Kind('requeue', 'jobs', 15, '', 'requeue', 'a running job is requeued by scontrol'),
)}
ALWAYS = ('requeue',)  # part of every storm
GROUPS = ('restart,reconfigure,stop', 'kill,failover', 'boot,prolog,resize',
    'dynamic,users,files')
# of every Debian; the directory service hangs for those behind the first
USERS = 'root daemon bin sys games man lp mail news uucp proxy www-data backup list irc'.split()


# --- the plan -----------------------------------------------------------------------------

class Job:
    """One submission.  form: plain, array, het, or endless (its limit ends it)."""

    def __init__(self, index, at_s, rng, last_endless_s):
        self.index, self.at_s = index, at_s
        self.form = rng.choices(('plain', 'wide', 'long', 'array', 'het', 'endless'),
            (65, 16, 4, 8, 4, 3))[0]
        if index == 0:
            self.form = 'endless'
        elif self.form == 'endless' and at_s > last_endless_s:
            self.form = 'plain'
        self.limit_min = rng.choice((2, 3, 5))
        self.tasks = 1
        self.requeue = rng.random() < .7
        profile = rng.choice(('cg', 'cg', 'io', 'io', 'net', '', '', '', '', 'mem'))
        nodes, per_node = 1, rng.choice((1, 1, 2, 2, 3, 4))
        self.sleep_s = round(rng.uniform(1, 6), 1)
        if self.form == 'wide':
            nodes, per_node = rng.randint(2, 3), rng.randint(1, 2)
        elif self.form == 'long':
            nodes, per_node = rng.randint(2, 3), 2
            self.sleep_s = round(rng.uniform(15, 35), 1)
        elif self.form == 'array':
            self.tasks, per_node = rng.randint(2, 4), rng.randint(1, 2)
        elif self.form == 'endless':
            self.sleep_s, self.limit_min, per_node = 900, 1, rng.randint(1, 2)
            profile = rng.choice(('cg', 'io'))
        self.options = ['-N%d' % nodes, '-n%d' % (nodes * per_node)]
        if rng.random() < .3 and nodes == 1:
            self.options.pop(0)
        if profile:
            self.options.append('--comment=cosched:profile=' + profile)
        if self.form == 'array':
            self.options.append('--array=1-%d' % self.tasks)
        self.options.append('--requeue' if self.requeue else '--no-requeue')
        if self.form == 'het':
            self.options += [':', '-n%d' % rng.randint(1, 3)]
        # where users matter: new ones come while the storm lasts
        self.user = USERS[0] if rng.random() < .3 else \
            USERS[1 + (index // 8 + rng.randint(0, 2)) % (len(USERS) - 1)]
        # of PrologSlurmctld, where there is one
        self.prolog_s = rng.randint(12, 20) if self.form == 'endless' else \
            rng.choice((0, 0, 0, 0, 1, 2, 5, 10))

    def units(self):
        if self.form != 'array':
            return [str(self.index)]
        return ['%d_%d' % (self.index, t + 1) for t in range(self.tasks)]


Strike = collections.namedtuple('Strike', 'at_s kind seed')


def draw_jobs(seed, seconds, rate):
    """As many as @rate a minute makes, in bursts; the first comes at once."""
    rng = random.Random('%s jobs' % seed)
    times = [1.]
    while len(times) < rate * seconds / 60.:
        times += [rng.uniform(1, seconds)] * rng.choice((1, 1, 2, 3, 6))
    return [Job(i, at_s, rng, seconds - LAST_LONG_S) for i, at_s in enumerate(sorted(times))]


def draw_strikes(kinds, seed, seconds):
    """Of each part a list, in order.  Each kind of a part has the same share of its time."""
    strikes = []
    for name in kinds:
        kind = KINDS[name]
        if not kind.every_s:
            continue
        rng = random.Random('%s %s' % (seed, name))
        rivals = sum(1 for k in kinds if KINDS[k].part == kind.part and k not in ALWAYS)
        mean_s = kind.every_s * max(1, rivals)
        at_s = 4 + rng.uniform(0, min(mean_s, seconds / 2.))
        while at_s < seconds:
            strikes.append(Strike(round(at_s, 1), kind, '%s %s %d' % (seed, name, len(strikes))))
            at_s += rng.uniform(.4, 1.6) * mean_s
    return sorted(strikes, key=lambda s: s.at_s)


# --- what a kind needs ----------------------------------------------------------------------

RESUME = """#!/bin/bash
# A slurmd that says (-b) to have booted in an earlier second than it was asked to is not
# believed: two seconds at least.
# By its command line: one that has just started has no pid file yet, and left alive it
# would hold the port, so that the node never boots again.
exec >>{work}/{name}.power 2>&1
echo "resume $1 $(date +%s.%N)"
sleep $((2 + RANDOM % 3))
for n in $(SLURM_CONF={conf} scontrol show hostnames "$1"); do
	pkill -9 -x -f "slurmd (-b )?-N $n -f {conf}"
	mkdir -p {dir}/spool.$n
	setsid env -i PATH="$PATH:/usr/sbin" slurmd -b -N "$n" -f {conf} </dev/null
done
"""
SUSPEND = """#!/bin/bash
exec >>{work}/{name}.power 2>&1
echo "suspend $1 $(date +%s.%N)"
for n in $(SLURM_CONF={conf} scontrol show hostnames "$1"); do
	pkill -9 -x -f "slurmd (-b )?-N $n -f {conf}"
	rm -f {dir}/run/slurmd.$n.pid
done
"""
PROLOG_CTLD = """#!/bin/sh
# as long as the plan says: a line for each job
sleep "$(sed -n "$((${{SLURM_JOB_NAME#storm}} + 1))p" {work}/prologs)"
"""
PROLOG = """#!/bin/sh
echo "prolog $SLURM_JOB_ID $(date +%s.%N)" >>{runs}.prologs
[ $((SLURM_JOB_ID % 6)) != 0 ] || sleep $((SLURM_JOB_ID / 6 % 5))
"""
SLURMCTLD = """#!/bin/sh
# slurmctld, and no other daemon, tells where it crashes, and is on a file system and with a
# directory service that may hang
export LD_PRELOAD='{wrapper} {work}/slowfile.so {work}/crash.so' COSCHED_SLOW={runs}.slow
export COSCHED_CRASH={dir}/log/crash.log
export COSCHED_SLOW_PATHS={dir}/state/ COSCHED_NSS_HANGS={runs}.hangs
export NSS_WRAPPER_PASSWD={work}/passwd NSS_WRAPPER_GROUP=/etc/group
export NSS_WRAPPER_MODULE_SO_PATH={work}/nss_slow.so NSS_WRAPPER_MODULE_FN_PREFIX=cosched_slow
exec {slurmctld} "$@"
"""
SETUPS = {
    # slurmctld itself looks users up with its locks held, but for this and with a --mail-user
    'users': lambda at: ['--set', 'LaunchParameters=disable_send_gids'],
    'requeue': lambda at: ['--set', 'AuthInfo=socket=%s/munge/socket,cred_expire=5' % at['dir']],
    'backup': lambda at: ['--backup', '--set', 'SlurmctldTimeout=%d' % FAILOVER_S],
    'power': lambda at: ['--set', 'SuspendProgram=%s' % script(at, 'suspend', SUSPEND),
        '--set', 'ResumeProgram=%s' % script(at, 'resume', RESUME), '--set', 'SuspendTime=3600',
        '--set', 'SuspendTimeout=3', '--set', 'ResumeTimeout=30'],
    # the port is that of the slurmd that joins
    'dynamic': lambda at: ['--set', 'MaxNodeCount=64', '--set', 'SlurmdPort=%d' % free_port()],
    'prolog': lambda at: ['--set', 'PrologSlurmctld=%s' % script(at, 'prologctld', PROLOG_CTLD),
        '--set', 'Prolog=%s' % script(at, 'prolog', PROLOG)],
}
JOB_SCRIPT = """#!/bin/sh
# UNIT's line: start, then end; double if an earlier run of it still holds the lock
seconds=$1 runs=$2
unit=${SLURM_JOB_NAME#storm}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}
say() { echo "$1 $unit $SLURM_JOB_ID ${SLURM_RESTART_COUNT:-0} $(date +%s.%N) $$" >>"$runs"; }
exec 8>"$runs.locks/$unit"
flock -n 8 || say double
say start
sleep "$seconds" 8>&-
say end
"""


def script(at, name, text):
    path = os.path.join(at['work'], '%s.%s.sh' % (at['name'], name))
    write_script(path, text, at)
    return path


def write_script(path, text, at):
    with open(path, 'w') as f:
        f.write(text.format(**at))
    os.chmod(path, 0o755)


def preload(at):
    """NAME.bin/slurmctld is started instead of slurmctld, once the cluster is there"""
    os.makedirs(os.path.join(at['work'], at['name'] + '.bin'), exist_ok=True)
    with open(os.path.join(at['work'], 'passwd'), 'w') as f:
        f.write('root:x:0:0:root:/root:/bin/sh\n')
    write_script(os.path.join(at['work'], at['name'] + '.bin/slurmctld'), SLURMCTLD, dict(at,
        wrapper=os.environ['WRAPPER'],
        slurmctld=shutil.which('slurmctld', path=os.environ['PATH'] + ':/usr/sbin')))
    return []


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def setups(kinds):
    return sorted({n for k in kinds for n in KINDS[k].needs.split()})


def conf(kinds, work, name):
    at = {'work': work, 'name': name, 'dir': os.path.join(work, name),
        'conf': os.path.join(work, name, 'slurm.conf'), 'runs': os.path.join(work, name + '.runs')}
    preload(at)
    words = ['--nodes', str(NODES), '--set', 'MinJobAge=20']
    for s in setups(kinds):
        words += SETUPS[s](at)
    return words
