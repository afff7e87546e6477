#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What prometheus.sh's Prometheus has seen, what the scrapes cost slurmctld, and whether
Prometheus knows what each panel of the Grafana board asks for.

Usage: prometheus.py URL FOLDER MINUTES
FOLDER has blows.CLUSTER (lines "WHAT FROM TO") and blocks (lines "NUMBER on|off" and
"CPU FROM TO" of the cluster always and of half).  A line `ok - ` or `not ok - ` a check;
exit status 1 if any failed.
"""
import json
import math
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

url, folder, minutes = sys.argv[1], sys.argv[2], int(sys.argv[3])
NEAR = 10  # seconds around a restart: two scrapes
failed = 0


def check(text, wrong):
    global failed
    print(("not ok" if wrong else "ok") + " - prometheus: " + text)
    for line in wrong[:20]:
        print("    " + line)
        failed = 1


def query(expression):
    q = urllib.parse.urlencode({"query": expression})
    with urllib.request.urlopen(url + "/api/v1/query?" + q) as f:
        return json.load(f)["data"]["result"]


def ask(selector):
    """[(labels, [(time, value)])], every sample as it was scraped."""
    return [(s["metric"], [(float(t), float(v)) for t, v in s["values"]])
            for s in query("%s[%dm]" % (selector, minutes + 10))]


def blows(cluster):
    with open("%s/blows.%s" % (folder, cluster)) as f:
        return [(w, float(a), float(b)) for w, a, b in (line.split() for line in f)]


# From 23.11 on a reconfigure is a new process.
release = ask("cosched_build_info")[0][0]["slurm"]
anew = ["restart", "reconfigure"] if release >= "23.11" else ["restart"]
moments = {c: blows(c) for c in ("always", "half")}


def restarted(cluster, t0, t1):
    """Was slurmctld started anew between these moments, or nearly?"""
    return any(w in anew and a - NEAR <= t1 and t0 <= b + NEAR
               for w, a, b in moments[cluster])


def scrapes():
    for cluster in ("always", "half"):
        n = bad = near = 0
        wrong = []
        for name in ("up", "cosched_up"):
            for labels, samples in ask('%s{cluster="%s"}' % (name, cluster)):
                n += len(samples) if name == "up" else 0
                for t, v in samples:
                    if v == 1:
                        continue
                    bad += 1
                    if restarted(cluster, t, t):
                        near += 1
                    else:
                        wrong.append("%s is %g at %.1f" % (name, v, t))
        if not n:
            wrong.append("no scrape")
        check("%s: %d scrapes, %d without figures, all of them around a restart" %
              (cluster, n, near) if not wrong else
              "%s: %d of %d scrapes have no figures, %d around a restart" %
              (cluster, bad, n, near), wrong)


def counters():
    for cluster in ("always", "half"):
        series = steps = back = 0
        wrong = []
        for labels, samples in ask('{__name__=~"cosched_.*_total",cluster="%s"}' % cluster):
            series += 1
            for (t0, v0), (t1, v1) in zip(samples, samples[1:]):
                steps += 1
                if v1 < v0:
                    back += 1
                    if not restarted(cluster, t0, t1):
                        wrong.append("%s: %g at %.1f, %g at %.1f" %
                                     (labels["__name__"], v0, t0, v1, t1))
        if series < 10 or not steps:
            wrong.append("%d series, %d steps" % (series, steps))
        check("%s: no counter of %d goes back in %d steps but at %d restarts (%d times)" %
              (cluster, series, steps,
               sum(w in anew for w, _, _ in moments[cluster]), back), wrong)


def mean(x):
    return sum(x) / len(x)


def blocks():
    """[(on, always' CPU, half's CPU)] in ms a minute, and what was scraped when."""
    seen = {c: [t for _, s in ask('up{cluster="%s"}' % c) for t, _ in s]
            for c in ("always", "half")}
    rows, wrong = [], []
    with open(folder + "/blocks") as f:
        for line in f:
            n, state, ca, fa, ta, ch, fh, th = line.split()
            fa, ta, fh, th = map(float, (fa, ta, fh, th))
            got = sum(fh <= t <= th for t in seen["half"])
            if (got > (th - fh) / 5 * .7) != (state == "on") or (state == "off" and got):
                wrong.append("block %s, %s: %d scrapes" % (n, state, got))
            rows.append((state == "on", float(ca) * 60 / (ta - fa), float(ch) * 60 / (th - fh)))
    check("half is scraped in %d of %d blocks, in the others never" %
          (sum(r[0] for r in rows), len(rows)), wrong)
    return rows


def cost(rows):
    """Pairs of blocks with the same draws: what the scraped one takes more, less what it
    takes more where both are scraped."""
    d = []
    for one, two in zip(rows[::2], rows[1::2]):
        on, off = (one, two) if one[0] else (two, one)
        d.append((on[2] - off[2]) - (on[1] - off[1]))
    if len(d) < 2:
        print("# too few blocks for a figure")
        return
    m = mean(d)
    se = math.sqrt(sum((x - m) ** 2 for x in d) / (len(d) - 1) / len(d))
    print("# Slurm %s: slurmctld takes %.0f ms a minute; scraped every 5 s %+.0f ms more, "
          "standard error %.0f (%d pairs of blocks)" %
          (release, mean([r[2] for r in rows if not r[0]]), m, se, len(d)))
    # a question's own work, to be seen beside the spread: 1 % of a core
    check("a scrape every 5 s costs slurmctld less than 1 % of a core", []
          if m - 3 * se < 600 else ["%.0f ms a minute, standard error %.0f" % (m, se)])


def board():
    with open(os.path.join(os.path.dirname(sys.argv[0]),
                           "../../etc/grafana/cosched.json")) as f:
        panels = json.load(f)["panels"]
    asked, wrong = 0, []
    for p in panels:
        for t in p["targets"]:
            asked += 1
            e = t["expr"].replace("$instance", ".*").replace("$__rate_interval", "1m")
            try:
                if not query(e):
                    wrong.append("%s: nothing for %s" % (p["title"], e))
            except urllib.error.HTTPError as refused:
                wrong.append("%s: %s" % (e, refused.read().decode()))
    check("Prometheus answers all %d questions of the board" % asked,
          wrong if asked else ["none"])


scrapes()
counters()
cost(blocks())
board()
sys.exit(failed)
