#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Others' tools, as far as they read Slurm's commands: what each expects is written anew
from its documentation, and it stops at the first thing that it does not expect.

Usage: tools.py autoscaler|exporter|portal|mail|timeline

Prints what the tool made of it, a line each, in an order that does not depend on job ids:
stock and act are compared by these lines.  Exit status 1: it could not parse something.

	autoscaler	AWS ParallelCluster's clustermgtd and computemgtd: `squeue -r`, the
			reason compared with a list of Slurm's own, as it stands
	exporter	prometheus-slurm-exporter and its like: squeue's fields split at
			commas, sinfo's cores "A/I/O/T" and states, sdiag's "name: value"
	portal		Open OnDemand's adapter: fields between control characters, a start
			that is a time or N/A, states that it knows
	mail		goslmailer and Slurm-Mail: `scontrol show job` as KEY=VALUE words
	timeline	what sites put around `squeue --start` and sprio: columns by their
			titles, each line with a value in each of them
"""
import datetime
import re
import subprocess
import sys


class Unexpected(Exception):
    pass


def run(*words):
    got = subprocess.run(words, capture_output=True, text=True)
    if got.returncode:
        raise Unexpected("%s: status %d: %s" % (words[0], got.returncode, got.stderr.strip()))
    return got.stdout


def expect(fact, text, *of):
    if not fact:
        raise Unexpected(text % of)


def counted(lines):
    """Each different line with how often it occurs."""
    return ["%d %s" % (lines.count(x), x) for x in sorted(set(lines))]


# Slurm's words for a job that waits (squeue(1), JOB REASON CODES), and the two texts
# that it puts in their place, of which one may name nodes.
WORDS = set("""None Priority Dependency Resources PartitionNodeLimit PartitionTimeLimit
PartitionDown PartitionInactive JobHeldAdmin JobHeldUser BeginTime Licenses ReqNodeNotAvail
Reservation JobArrayTaskLimit DependencyNeverSatisfied BadConstraints
QOSMaxJobsPerUserLimit AssocMaxJobsLimit""".split())
DOWN = ("Nodes required for job are DOWN, DRAINED or reserved for jobs in higher "
        "priority partitions")


# A cluster that scales adds nodes for jobs that wait for one of these.
GROWS = {"Resources", DOWN, "BeginTime", "NodeDown", "Priority",
         "ReqNodeNotAvail, May be reserved for other job"}


def autoscaler():
    rows = []
    for line in run("squeue", "-r", "-h", "-t", "PD", "-o", "%i|%t|%D|%C|%c|%j|%r").splitlines():
        field = line.split("|")
        expect(len(field) == 7, "%d fields: %s", len(field), line)
        jid, state, nodes, cpus, least, name, reason = field
        expect(re.fullmatch(r"\d+(_\d+|\+\d+)?", jid), "id '%s'", jid)
        expect(state == "PD" and nodes.isdigit() and cpus.isdigit(), "%s", line)
        expect(reason in WORDS or reason in GROWS or
               re.fullmatch(r"ReqNodeNotAvail, UnavailableNodes:[\w,\[\]-]+", reason),
               "reason '%s'", reason)
        rows.append("%s: %s nodes, %s cpus, %s: %s" % (
            name, nodes, cpus, reason, "grow" if reason in GROWS else "leave"))
    return counted(rows)


STATES = {"allocated", "mixed", "idle", "planned", "down", "drained", "draining", "reserved",
          "completing", "maint"}


def exporter():
    out = []
    for line in run("squeue", "-r", "-h", "-t", "PD", "-o", "%P,%T,%C,%r,%u").splitlines():
        field = line.split(",")
        if field[3:4] == ["ReqNodeNotAvail"] and len(field) == 6:
            del field[4]  # Slurm's own comma
        if DOWN.split(",")[0] in field:
            field[3:] = [DOWN, field[-1]]
        expect(len(field) == 5, "%d fields: %s", len(field), line)
        expect(field[3] in WORDS or field[3] == DOWN, "reason '%s'", field[3])
        expect(re.fullmatch(r"[a-z_][\w-]*", field[4]), "user '%s'", field[4])
        out.append("queue partition=%s state=%s reason=%s user=%s" % (
            field[0], field[1], field[3], field[4]))
    out = counted(out)
    cores = run("sinfo", "-h", "-o", "%C").strip().split("/")
    expect(len(cores) == 4 and all(c.isdigit() for c in cores), "cores %s", cores)
    expect(sum(map(int, cores[:3])) == int(cores[3]), "cores %s", cores)
    out.append("cores " + "/".join(cores))
    nodes = []
    for line in run("sinfo", "-h", "-N", "-o", "%N %T").splitlines():
        name, state = line.split()
        expect(re.sub(r"[*$~#!%@^-]$", "", state) in STATES, "state '%s'", state)
        nodes.append("node %s %s" % (name, state))
    out += sorted(set(nodes))
    sdiag = run("sdiag")
    for want in ("Server thread count", "Agent queue size", "Last cycle", "Mean cycle",
                 "Last depth cycle", "Last queue length", "Total backfilled jobs (since last slurm start)"):
        value = re.search(r"^\s*%s:\s*(\S+)" % re.escape(want), sdiag, re.M)
        expect(value and re.fullmatch(r"\d+", value[1]), "sdiag: %s: %s", want, value)
    expect("Main schedule statistics (microseconds):" in sdiag and
           re.search(r"^Backfilling stats", sdiag, re.M), "sdiag's parts")
    return out


def portal():
    us, rs, out = "\x1f", "\x1e", []
    keys = ["%i", "%j", "%T", "%P", "%r", "%S", "%u", "%D", "%Y"]
    text = run("squeue", "-h", "-t", "PD", "-o", rs + us.join(keys))
    for record in text.split(rs)[1:]:
        jid, name, state, part, reason, start, user, nodes, sched = record.rstrip("\n").split(us)
        expect(state == "PENDING", "state '%s'", state)
        expect("cosched" not in reason, "reason '%s'", reason)
        if start != "N/A":
            datetime.datetime.strptime(start, "%Y-%m-%dT%H:%M:%S")
        expect(sched == "(null)" or re.fullmatch(r"[\w,\[\]-]+", sched), "nodes '%s'", sched)
        expect(sched == "(null)" or start != "N/A", "%s: nodes without a start", jid)
        out.append("%s %s %s user %s %s nodes" % (name, part, reason, user, nodes))
    return counted(out)


def mail():
    out, need = [], ("JobId", "JobName", "UserId", "JobState", "Reason", "StartTime", "Partition",
                     "TimeLimit", "NumNodes", "NumCPUs", "Priority")
    for line in run("scontrol", "-o", "show", "job").splitlines():
        job = {}
        for word in line.split(" "):
            key, mark, value = word.partition("=")
            if mark and key not in job:
                job[key] = value
        for key in need:
            expect(job.get(key), "no %s in: %s", key, line)
        if job["JobState"] != "PENDING":
            continue
        expect(job["StartTime"] == "Unknown" or
               datetime.datetime.strptime(job["StartTime"], "%Y-%m-%dT%H:%M:%S"),
               "StartTime=%s", job["StartTime"])
        expect("cosched" not in line, "%s", line)
        out.append("%s Reason=%s TimeLimit=%s Nodes=%s" % (
            job["JobName"], job["Reason"], job["TimeLimit"], job["NumNodes"].split("-")[0]))
    return counted(out)


def timeline():
    out = []
    head, *lines = run("squeue", "--start").splitlines()
    expect(head.split() == ["JOBID", "PARTITION", "NAME", "USER", "ST", "START_TIME", "NODES",
                            "SCHEDNODES", "NODELIST(REASON)"], "titles: %s", head)
    planned = 0
    for line in lines:
        field = line.split(None, 8)
        expect(len(field) == 9 and field[4] == "PD", "%s", line)
        expect(field[5] == "N/A" or datetime.datetime.strptime(field[5], "%Y-%m-%dT%H:%M:%S"),
               "start '%s'", field[5])
        expect(field[7] == "(null)" or re.fullmatch(r"[\w,.\[\]-]+", field[7]), "%s", line)
        expect(field[8].startswith("(") and field[8].endswith(")"), "%s", line)
        planned += field[5] != "N/A"
    out.append("%d lines" % len(lines))
    out.append("some are planned: %s" % (planned > 0))
    for line in run("sprio", "-h", "-o", "%i %Y %u").splitlines():
        field = line.split()
        expect(len(field) == 3 and field[1].isdigit(), "sprio: %s", line)
        out.append("sprio " + field[2])
    return counted(out)


try:
    print("\n".join({"autoscaler": autoscaler, "exporter": exporter, "portal": portal,
                     "mail": mail, "timeline": timeline}[sys.argv[1]]()))
except (Unexpected, ValueError) as wrong:
    print("%s: %s" % (sys.argv[1], wrong))
    sys.exit(1)
