#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Watch jobs from outside, five times a second: who runs on which core?

    slices.py FOLDER SECONDS [SINCE]

FOLDER has, of each job, pid.JOB (the process that counts; it writes itself), count.JOB
(the ms that it has run, and those after it was told to stop) and class.JOB ("short",
"medium" or "long", written by the test).
Cores are read from scontrol, as often as the processes are looked at, by a thread of its
own: they may not change. A job runs where its process is there and not stopped (state T).

Processes are looked at one after the other, so one look is not one moment. If a core
seems to have two running jobs, slurmctld is asked for the states of the jobs, and then the
processes are looked at again. Who runs both times has run all the time in between, if that
was shorter than AGAIN_S, since nobody is stopped and resumed so soon (slice_rest_s). So at
the moment between the looks both have run. Prints

    samples N
    overlaps N            of samples in which a core had two jobs that ran and that were
                          RUNNING for slurmctld, too (the first few are shown)
    late N                ... in which one ran that slurmctld had stopped or ended: its
                          node was told, and had not done it
    unclear N             ... in which the looks took too long to tell
    moved N               jobs that held other cores at some time than at first
    still MS              the longest time that a job stood still; who does so at first has
                          since SINCE (of date +%s.%N)
    longest JOB CLASS FROM TO MS  ... and whose that was
    turns N               changes of the class, or set of classes, that runs
    service CLASS MS      how long the class's jobs ran meanwhile, in all
    guard CLASS MS        ... and how long after they were told to stop
"""
import os
import re
import subprocess
import sys
import threading
import time

AGAIN_S = 4
GONE, STOPPED = ("", "Z", "X"), ("T", "t")


def ranges(text):
    """The numbers in "0-3,7"."""
    for part in text.split(","):
        low, _, high = part.partition("-")
        yield from range(int(low), int(high or low) + 1)


def hosts(text):
    """The nodes in "n[1-2,4]" or "n3"."""
    found = re.fullmatch(r"([a-z]+)\[(.*)\]", text)
    if not found:
        return [text]
    return [found[1] + str(i) for i in ranges(found[2])]


def slurm_jobs():
    """{job: (state, {(node, cpu)})} of all that slurmctld knows."""
    said = subprocess.run(["scontrol", "-d", "show", "job"], capture_output=True,
                          text=True).stdout
    jobs = {}
    for block in said.split("\n\n"):
        head = re.match(r"JobId=(\d+)", block)
        state = re.search(r"JobState=(\w+)", block)
        if head and state:
            jobs[head[1]] = state[1], {
                (node, cpu)
                for nodes, cpus in re.findall(r"Nodes=(\S+) CPU_IDs=(\S+)", block)
                for node in hosts(nodes) for cpu in ranges(cpus)}
    return jobs


def cores_of_all():
    """{job: {(node, cpu)}} of what runs or is suspended."""
    return {job: cores for job, (state, cores) in slurm_jobs().items()
            if state in ("RUNNING", "SUSPENDED")}


def read(path):
    try:
        with open(path) as f:
            return f.read().strip()
    except OSError:
        return ""


class Watch:
    def __init__(self, folder):
        self.folder = folder
        self.cores = {}
        self.before = {}
        self.moved = set()
        self.still = 0.0
        self.longest = []  # job, class, from, to
        self.stands = {}  # job: since when

    def jobs(self):
        return [name[4:] for name in os.listdir(self.folder) if name.startswith("pid.")]

    def process(self, job):
        """Its process's state, "" if it is not there.  Numbers of processes come again."""
        pid = read(f"{self.folder}/pid.{job}")
        if not pid or f"SLURM_JOB_ID={job}" not in read(f"/proc/{pid}/environ").split("\0"):
            return ""
        stat = read(f"/proc/{pid}/stat")
        return stat and stat.rpartition(")")[2].split()[0]

    def runs(self, job):
        """Is its process there, and not stopped?"""
        return self.process(job) not in GONE + STOPPED

    def class_of(self, job):
        return read(f"{self.folder}/class.{job}")

    def count(self, job):
        """What it has run, and what after it was told to stop."""
        words = read(f"{self.folder}/count.{job}").split()
        return [int(word) for word in words] if len(words) == 2 else [0, 0]

    def learn(self):
        for job, cores in cores_of_all().items():
            if self.cores.setdefault(job, cores) != cores and job not in self.moved:
                self.moved.add(job)
                print("job", job, "had", sorted(self.cores[job]), "has", sorted(cores))

    def learn_on(self, over):
        while not over.wait(0.2):
            self.learn()

    def note_still(self, states, begin):
        """How long those who are stopped have stood still."""
        now = time.time()
        for job, state in states.items():
            if state in STOPPED:
                since = self.stands.setdefault(job, begin or now)
                if now - since > self.still:
                    self.still = now - since
                    self.longest = [job, self.class_of(job)] + [
                        time.strftime("%H:%M:%S", time.localtime(t)) for t in (since, now)]
            else:
                self.stands.pop(job, None)

    def sample(self, begin):
        """The running jobs, and the cores that two of them seem to have."""
        jobs = self.jobs()
        for job in jobs:
            self.before.setdefault(job, self.count(job))
        states = {job: self.process(job) for job in jobs}
        self.note_still(states, begin)
        running = [job for job in jobs if states[job] not in GONE + STOPPED]
        if any(job not in self.cores for job in running):
            self.learn()
        by, twice = {}, []
        for job in running:
            for core in self.cores.get(job, ()):
                if core in by:
                    twice.append((core, by[core], job))
                by[core] = job
        return running, twice

    def second_look(self, twice, begin):
        """Who of @twice ran at one moment: "overlaps", "late", "unclear" or ""; and what
        was seen."""
        states = {job: state for job, (state, _) in slurm_jobs().items()}
        both = [t for t in twice if self.runs(t[1]) and self.runs(t[2])]
        seen = [(core, *("%s %s" % (j, states.get(j, "gone")) for j in jobs))
                for core, *jobs in both[:4]]
        if not both:
            return "", seen
        if time.monotonic() - begin > AGAIN_S:
            return "unclear", seen
        booked = any(states.get(a) == states.get(b) == "RUNNING" for _, a, b in both)
        return "overlaps" if booked else "late", seen

    def service(self):
        """{class: [ms that its jobs ran, and after they were told to stop]}."""
        done = {}
        for job, before in self.before.items():
            was = done.get(self.class_of(job), [0, 0])
            done[self.class_of(job)] = [
                sum_ + now - then
                for sum_, now, then in zip(was, self.count(job), before)]
        return done


def main():
    watch, until = Watch(sys.argv[1]), time.monotonic() + float(sys.argv[2])
    since = float(sys.argv[3]) if len(sys.argv) > 3 else None
    over = threading.Event()
    learner = threading.Thread(target=watch.learn_on, args=(over,))
    learner.start()
    samples = turns = 0
    found = {"overlaps": 0, "late": 0, "unclear": 0}
    last = None
    while time.monotonic() < until:
        begin = time.monotonic()
        running, twice = watch.sample(None if samples else since)
        samples += 1
        what, seen = watch.second_look(twice, begin) if twice else ("", [])
        if what:
            found[what] += 1
            if found[what] <= 5:
                print("core of two,", what + ":", time.strftime("%H:%M:%S"), seen)
        kinds = {watch.class_of(job) for job in running}
        if kinds and kinds != last:
            turns += last is not None
            last = kinds
        time.sleep(max(0.0, 0.2 - (time.monotonic() - begin)))
    over.set()
    learner.join()
    watch.learn()
    print("samples", samples)
    for what, n in found.items():
        print(what, n)
    print("moved", len(watch.moved))
    print("longest", *watch.longest, round(watch.still * 1000))
    print("still", round(watch.still * 1000))
    print("turns", turns)
    for kind, (ran, guard) in sorted(watch.service().items()):
        print("service", kind, ran)
        print("guard", kind, guard)


main()
