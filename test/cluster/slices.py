#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Watch jobs from outside, five times a second: who runs on which core?

    slices.py FOLDER SECONDS

FOLDER has, of each job, pid.JOB (the process that counts; it writes itself), count.JOB
(how far it has come) and class.JOB ("short", "medium" or "long", written by the test).
Cores are read from scontrol, once a job and again at the end: they may not change. A
job runs where its process is there and not stopped (state T). Prints

    samples N
    overlaps N            of samples in which a core had two running jobs (the first few
                          are shown)
    moved N               jobs that held other cores at the end than at first
    turns N               changes of the class, or set of classes, that runs
    service CLASS COUNT   how far the class's jobs came meanwhile, in all
"""
import os
import re
import subprocess
import sys
import time


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


def cores_of_all():
    """{job: {(node, cpu)}} of what runs or is suspended."""
    said = subprocess.run(["scontrol", "-d", "show", "job"], capture_output=True,
                          text=True).stdout
    held = {}
    for block in said.split("\n\n"):
        head = re.match(r"JobId=(\d+)", block)
        if not head or not re.search(r"JobState=(RUNNING|SUSPENDED)", block):
            continue
        held[head[1]] = {(node, cpu)
                         for nodes, cpus in re.findall(r"Nodes=(\S+) CPU_IDs=(\S+)", block)
                         for node in hosts(nodes) for cpu in ranges(cpus)}
    return held


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

    def jobs(self):
        return [name[4:] for name in os.listdir(self.folder) if name.startswith("pid.")]

    def runs(self, job):
        """Is its process there, and not stopped?  Numbers of processes come again."""
        pid = read(f"{self.folder}/pid.{job}")
        if not pid or f"SLURM_JOB_ID={job}" not in read(f"/proc/{pid}/environ").split("\0"):
            return False
        stat = read(f"/proc/{pid}/stat")
        return bool(stat) and stat.rpartition(")")[2].split()[0] not in "TtZX"

    def class_of(self, job):
        return read(f"{self.folder}/class.{job}")

    def count(self, job):
        return int(read(f"{self.folder}/count.{job}") or 0)

    def learn(self, jobs):
        if any(job not in self.cores for job in jobs):
            for job, cores in cores_of_all().items():
                self.cores.setdefault(job, cores)

    def sample(self):
        """The running jobs, and the cores that two of them have."""
        jobs = self.jobs()
        for job in jobs:
            self.before.setdefault(job, self.count(job))
        self.learn(jobs)
        running = [job for job in jobs if self.runs(job)]
        by, twice = {}, []
        for job in running:
            for core in self.cores.get(job, ()):
                if core in by:
                    twice.append((core, by[core], job))
                by[core] = job
        return running, twice

    def service(self):
        done = {}
        for job, start in self.before.items():
            kind = self.class_of(job)
            done[kind] = done.get(kind, 0) + self.count(job) - start
        return done


def main():
    watch, until = Watch(sys.argv[1]), time.monotonic() + float(sys.argv[2])
    samples = overlaps = turns = 0
    last = None
    while time.monotonic() < until:
        begin = time.monotonic()
        running, twice = watch.sample()
        samples += 1
        overlaps += bool(twice)
        if twice and overlaps <= 5:
            print("core of two:", time.strftime("%H:%M:%S"), twice[:4])
        kinds = {watch.class_of(job) for job in running}
        if kinds and kinds != last:
            turns += last is not None
            last = kinds
        time.sleep(max(0.0, 0.2 - (time.monotonic() - begin)))
    now = cores_of_all()
    moved = sum(job in watch.cores and watch.cores[job] != cores
                for job, cores in now.items())
    print("samples", samples)
    print("overlaps", overlaps)
    print("moved", moved)
    print("turns", turns)
    for kind, count in sorted(watch.service().items()):
        print("service", kind, count)


main()
