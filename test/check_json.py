# SPDX-License-Identifier: GPL-2.0-or-later
"""What cosched says to machines: --json of every command parsed by another parser and
held against the text form, member by member, and the exit statuses of every command
against the EXIT STATUS of cosched(1).

    check_json.py COSCHED SRCDIR

The plugin is played by a server of the test's own, and munge by a library that is
loaded before it, which wraps nothing up.
"""
import json
import os
import re
import shutil
import socketserver
import subprocess
import sys
import tempfile
import threading

COSCHED, SRC = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
failed = 0


def fail(text):
    global failed
    failed += 1
    print("not ok - " + text)


def same(what, got, want):
    if got != want:
        fail("%s: %r, expected %r" % (what, got, want))


def run(*words, **kw):
    """status, standard output, standard error of cosched WORDS"""
    r = subprocess.run([COSCHED, *words], capture_output=True, stdin=subprocess.DEVNULL,
                       cwd=work, timeout=300, **kw)
    return r.returncode, r.stdout.decode(), r.stderr.decode()


def text(*words, status=0):
    got, out, _ = run(*words)
    same("status of cosched " + " ".join(words), got, status)
    return out


def parsed(*words, status=0):
    """The one object on standard output."""
    out = text(*words, "--json", status=status)
    try:
        o = json.loads(out)
    except ValueError as e:
        fail("cosched %s --json: %s: %.200s" % (" ".join(words), e, out))
        return {}
    if not isinstance(o, dict):
        fail("cosched %s --json is no object" % " ".join(words))
    return o


def number(shown, value, what):
    """Is SHOWN, as it was rounded for people, VALUE?"""
    places = len(shown.partition(".")[2])
    if abs(float(shown) - value) > .51 * 10 ** -places:
        fail("%s: %s for people, %r for machines" % (what, shown, value))


def message(o):
    return o["what"] + (", expected " + o["expected"] if "expected" in o else "")


def write(name, content):
    path = os.path.join(work, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(content)
    return path


# --- what there is to look at ---------------------------------------------------------


work = tempfile.mkdtemp()
os.makedirs(work + "/bin")
TOOLS = os.environ["PATH"]
os.environ["PATH"] = work + "/bin:" + TOOLS
os.environ["SLURM_CONF"] = work + "/slurm.conf"


def program(name, says, status=0):
    path = write("bin/" + name, "#!/bin/sh\ncat <<'END'\n%s\nEND\nexit %d\n" % (says, status))
    os.chmod(path, 0o755)


def site(**keys):
    """What scontrol says."""
    have = {"SlurmctldHost": "c", "SLURM_VERSION": "22.05.8",
            "SlurmUser": "root(0)", "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_CORE", "SchedulerType": "sched/backfill",
            "TaskPlugin": "task/affinity", "PluginDir": "/usr/lib/stock",
            "StateSaveLocation": work}
    have.update(keys)
    program("scontrol", "\n".join("%s=%s" % i for i in have.items()))



NAMES = ["al<b>", "b&b", "c\"c'", "d\u00e9\u2603", "e</script>"]


def make_traces():
    """A log of five users whose names hurt, and one without users."""
    lines = ["; UnixStartTime: 1000000000\n"]
    lines += ["; UserName: %d %s\n" % (i + 1, n) for i, n in enumerate(NAMES)]
    body = text("workload", "lublin", "--nodes", "64", "--jobs", "150", "--alpha", "8")
    rows = [r for r in body.splitlines() if r and not r.startswith(";")]
    for i, r in enumerate(rows):
        field = r.split()
        field[11] = str(1 + (i * i + i // 3) % 5)
        lines.append(" ".join(field) + "\n")
    write("named.swf", "".join(lines))
    write("plain.swf", body)


# --- check ----------------------------------------------------------------------------


def test_check():
    text("sim", "--machine", "16x2x2", "--policy", "cst", "--set", "slowdowns=table4",
         "--events", "log", "plain.swf")
    with open(work + "/log", encoding="utf-8") as f:
        lines = f.readlines()
    starts = [i for i, n in enumerate(lines) if '"ev":"start"' in n]
    gone = set(starts[2:40])
    write("bad.log", "".join(n for i, n in enumerate(lines) if i not in gone) + "{no\n")
    good, bad = parsed("check", "log"), parsed("check", "log", "bad.log", status=1)
    same("check: ok", (good["ok"], bad["ok"]), (True, False))
    m = re.fullmatch(r"log: ok, (\d+) lines, (\d+) jobs, (\d+) starts, (\d+) groups\n",
                     text("check", "log"))
    same("check: the counts", [str(good["logs"][0][k]) for k in
                               ("lines", "jobs", "starts", "groups")], list(m.groups()))
    told = text("check", "log", "bad.log", status=1).splitlines()
    same("check: the logs", [n["log"] for n in bad["logs"]], ["log", "bad.log"])
    wrong = bad["logs"][1]
    if len(wrong["shown"]) != 20 or wrong["breaches"] <= 20:
        fail("check: %d breaches, %d shown" % (wrong["breaches"], len(wrong["shown"])))
    want = ["bad.log:%d: %s" % (b["line"], message(b)) for b in wrong["shown"]]
    want.append("bad.log: %d breaches in all, 20 shown" % wrong["breaches"])
    same("check: the breaches", told[1:], want)
    if not any("expected" in b for b in wrong["shown"]):
        fail("check: nothing was expected")


# --- replay ---------------------------------------------------------------------------


def shown_side(o):
    if "start" in o:
        return "%.6f on %s" % (o["start"], ranges(o["nodes"]))
    return "not before %.6f" % o["not_before"] if "not_before" in o else "not"


def ranges(nodes):
    out, at = [], 0
    while at < len(nodes):
        end = at
        while end + 1 < len(nodes) and nodes[end + 1] == nodes[end] + 1:
            end += 1
        out.append("%d" % nodes[at] if end == at else "%d-%d" % (nodes[at], nodes[end]))
        at = end + 1
    return ",".join(out)


def start_line(j):
    line = "job %d:  then %s  now %s" % (j["job"], shown_side(j["then"]),
                                         shown_side(j["now"]))
    if "seconds" in j:
        line += "  %.6f s %s" % (j["seconds"], j["change"])
    elif j["change"] == "elsewhere":
        line += "  elsewhere"
    return line


def test_replay():
    o = parsed("replay", "log")
    told = text("replay", "log").splitlines()
    same("replay", told[0], "same: %d decides, %d actions" % (o["decides"], o["actions"]))
    m = re.fullmatch(r"mean wait of (\d+) starts: (\S+ \S+)", told[1])
    same("replay: starts", int(m.group(1)), o["started"])
    hold(m.group(2), o["mean_wait"], 1, "replay: mean wait")
    same("replay: same", (o["same"], o["left_out"]), (True, 0))
    o = parsed("replay", "bad.log", status=1)
    told = text("replay", "bad.log", status=1).splitlines()
    same("replay: where", told[0], "%s:%d: they differ" % (o["log"], o["line"]))
    for at, (key, title) in enumerate((("then", "  log:    "), ("now", "  engine: "))):
        line = told[1 + at][len(title):]
        same("replay: " + key, o.get(key), None if line == "nothing" else json.loads(line))
    changes = set()
    for setting in ("policy=fcfs", "policy=easy", "max_slowdown=1.01"):
        o = parsed("replay", "--set", setting, "log")
        told = text("replay", "--set", setting, "log").splitlines()
        same("replay --set " + setting, told[:-1], [start_line(j) for j in o["jobs"]])
        s = o["starts"]
        want = "%d starts: %d the same, %d elsewhere, %d earlier" % (
            s["log"], s["same"], s["elsewhere"], s["earlier"])
        if s["earlier"]:
            want += " (by %.1f s on average)" % s["earlier_mean_s"]
        want += ", %d later" % s["later"]
        if s["later_known"]:
            want += " (%d of them by %.1f s on average)" % (s["later_known"],
                                                             s["later_mean_s"])
        if s["more"]:
            want += "; %d more that the log has not" % s["more"]
        same("replay: the sum", told[-1], want)
        changes |= {j["change"] for j in o["jobs"]}
    if not changes >= {"earlier", "later", "elsewhere"}:
        fail("replay: only %s" % changes)


# --- conf, doctor, profile, params ------------------------------------------------------


def comments(lines):
    return " ".join(n[1:].strip() for n in lines)


def test_conf():
    for keys in ({}, {"SelectType": "select/linear", "TaskPlugin": "task/none",
                      "SchedulerParameters": "defer,bf_interval=7"}):
        site(PluginDir=work + "/gone:/usr/lib/stock", **keys)
        o, out = parsed("conf"), text("conf")
        same("conf: live", (o["live"], o["source"] in out, "why" in o), (True, True, False))
        lines = dict(n.split("=", 1) for n in out.splitlines() if n and n[0] != "#")
        same("conf: the lines", {n["key"]: n["value"] for n in o["lines"]}, lines)
        blocks = re.findall(r"(?m)^# (?:WARNING: )?(?:.|\n#)*", out)
        told = [comments(b.splitlines()) for b in blocks]
        said = " ".join(told)
        for w in o["warnings"]:
            if "WARNING: " + w not in said:
                fail("conf: no warning %r in %r" % (w, said))
        same("conf: how many warnings", len(o["warnings"]), said.count("WARNING: "))
        if len(o["warnings"]) < 2:
            fail("conf: hardly a warning")
        for n in o["lines"]:
            if n.get("why", "") not in said:
                fail("conf: why %s: %r" % (n["key"], n["why"]))
    program("scontrol", "", 1)
    o = parsed("conf")
    same("conf: not live", (o["live"], o["why"] in comments(text("conf").splitlines())),
         (False, True))


def test_conf_check():
    write("bad.json", '{"version":1,\n "profiles":{"cg":{"slef":{}}},\n "default":"m\\u0001"}\n')
    write("wrong.conf", "SchedulerParameters=cosched_mode=on,cosched_nothing=1,"
          "cosched_profiles=%s/bad.json\ncosched_policy=cst\nInclude gone.conf\n" % work)
    write("good.conf", "SchedulerParameters=cosched_mode=act\n")
    write("none.conf", "ClusterName=c\n")
    write("stock.conf", "SlurmctldHost=c\nSelectType=select/linear\n")
    o = parsed("conf", "--check", "wrong.conf", status=1)
    want = [("%s:%d: " % (e["file"], e["line"]) if "line" in e else "") + message(e)
            for e in o["errors"]]
    same("conf --check", text("conf", "--check", "wrong.conf", status=1).splitlines(),
         [n.replace("\x01", "?") for n in want])
    same("conf --check: ok", (o["ok"], o["ours"]), (False, True))
    if not any(e.get("file", "").endswith("bad.json") and e["line"] == 2
               for e in o["errors"]):
        fail("conf --check: the profile file has no line of its own: %s" % o["errors"])
    write("many.conf", "cosched_mode=act\n" * 250)
    o = parsed("conf", "--check", "many.conf", status=1)
    same("conf --check: many", (len(o["errors"]), o["more"]), (100, 150))
    for name, ours, says in (
            ("good.conf", True, ""), ("none.conf", False, ", no key of cosched's in it"),
            ("stock.conf", False, ", stock Slurm: no key of cosched's in it, and no folder "
             "of ours in PluginDir")):
        o = parsed("conf", "--check", name)
        same(name, o, {"file": name, "ok": True, "ours": ours,
                       "stock": name == "stock.conf", "errors": []})
        same(name, text("conf", "--check", name), name + ": ok" + says + "\n")
    for key, want in (("SelectType=select/linear", "select/cons_tres (see "),
                      ("SchedulerType=sched/builtin", "sched/backfill (see "),
                      ("PluginDir=/usr/lib/stock", None)):
        name = write("load.conf", "SchedulerParameters=cosched_mode=act\n" + key + "\n")
        o = parsed("conf", "--check", name, status=1)
        e = o["errors"]
        same("conf --check: " + key, (o["ok"], o["stock"], len(e), e[0]["file"], e[0]["line"]),
             (False, False, 1, name, 2))
        same("conf --check: " + key, text("conf", "--check", name, status=1),
             "%s:2: %s\n" % (name, message(e[0])))
        if want and not e[0]["expected"].startswith(want):
            fail("conf --check: %s: %r" % (key, e[0]))


def test_doctor():
    site()
    o = parsed("doctor", status=1)
    same("doctor", text("doctor", status=1).splitlines(),
         ["%-5s %-10s  %s" % ("warn" if c["warning"] else "ok" if c["ok"] else "wrong",
                              c["check"], c["text"])
          for c in o["checks"]])
    same("doctor: ok", o["ok"], all(c["ok"] for c in o["checks"]))


def test_profile():
    write("p.json", json.dumps({
        "version": 1, "default": "a",
        "profiles": {"a": {"resources": {"cpu": .5}}, "b": {"resources": {"cpu": .9}},
                     "c": {}},
        "pairs": [{"of": "a", "beside": "c", "slowdown": 1.23},
                  {"of": "a", "beside": "b", "slowdown": 1.07}],
        "rules": [{"profile": "b"}, {"user": "x", "profile": "c"}]}))
    o, out = parsed("profile", "check", "p.json"), text("profile", "check", "p.json")
    told = out.splitlines()
    same("profile", told[0], "%s: ok, %d profiles, %d pairs, %d rules, default %s" % (
        o["file"], len(o["profiles"]), o["pairs"], o["rules"], o.get("default", "none")))
    mark = {"~": "resources", "?": "unknown_pair"}
    table = {}
    for row in told[2:2 + len(o["profiles"])]:
        of, *cells = re.findall(r"[\d.]+[~?]?|\w+", row)
        for beside, cell in zip(o["profiles"], cells):
            table[of, beside] = cell
    got = {(s["of"], s["beside"]): s for s in o["slowdowns"]}
    same("profile: the pairs", set(got), set(table))
    for pair, cell in table.items():
        number(cell.rstrip("~?"), got[pair]["slowdown"], "profile: %s" % (pair,))
        same("profile: where %s is from" % (pair,), got[pair]["from"],
             mark.get(cell[-1], "file"))
    same("profile: what is known", {s["from"] for s in o["slowdowns"]},
         {"file", "resources", "unknown_pair"})
    same("profile: notes", ["note: " + n for n in o["notes"]],
         [n for n in told if n.startswith("note: ")])
    if len(o["notes"]) != 2:
        fail("profile: notes %s" % o["notes"])


def test_learned():
    """Also the rows of check_learn.sh"""
    text("learn", "--from", "log", "--out", "state")
    o = parsed("learn", "--from", "log")
    same("learned", parsed("profile", "learned", "state"), o)
    kinds = text("profile", "learned", "state").splitlines()[1:-1]
    same("learned: the kinds", [k["kind"] for k in o["kinds"]], [n.split()[0] for n in kinds])
    if kinds:
        of = parsed("profile", "learned", "--of", kinds[0].split()[0], "state")
        same("learned: a kind's partners", len(of["beside"]), len(kinds))
    same("export --json", json.loads(text("profile", "export", "state")),
         parsed("profile", "export", "state"))


def test_params():
    o = parsed("params", "slack")
    same("params", [p["key"] for p in o["parameters"]], ["slack"])


# --- sim, compare, whatif -----------------------------------------------------------------


FIGURES = {"wait": ("mean_wait", 1), "response": ("mean_response", 1),
           "slowdown": ("mean_bounded_slowdown", 1), "relative": ("rr_all", 1),
           "medium": ("rr_medium", 1), "long": ("rr_long", 1),
           "in use": ("utilization", 100), "high load": ("ucore_high", 100),
           "makespan": ("makespan", 1)}
UNITS = {"s": 1, "min": 60, "h": 3600, "days": 86400, "%": 1}


def test_sim():
    words = ("sim", "--machine", "16x2x2", "--policy", "cst", "plain.swf")
    o, out = parsed(*words), text(*words)
    for title, key, scale in (("jobs", "jobs", 1), ("makespan", "makespan", 1),
                              ("mean wait", "mean_wait", 1),
                              ("mean response", "mean_response", 1),
                              ("bounded slowdown", "mean_bounded_slowdown", 1),
                              ("utilization", "utilization", 100),
                              ("relative response", "rr_all", 1),
                              ("high load", "high_seconds", 1)):
        m = re.search(r"(?m)^%s +([\d.]+)" % title, out)
        number(m[1], scale * o[key], "sim: " + title)
    for title, key, scale in (("medium jobs", "rr_medium", 1), ("long jobs", "rr_long", 1),
                              ("% of the cores held", "ucore_high", 100)):
        m = re.search(r"(?m)^ +([\d.]+)  %s" % title, out)
        number(m[1], scale * o[key], "sim: " + title)
    same("sim: skipped", re.search(r"(\d+) skipped", out)[1], str(o["skipped"]))
    same("sim: the note", o.get("spread_jobs", False), "\nnote: in high load" in out)
    text(*words, "--summary", "summary")
    with open(work + "/summary", encoding="utf-8") as f:
        summary = json.load(f)
    for s in (o, summary):
        s.pop("wall_seconds")
    same("sim --json and --summary", o, summary)


def table_of(part):
    """{policy: {head: cell}} of a table for people"""
    lines = part.strip("\n").split("\n")
    heads = [h for h in re.split(r"  +", lines[0].strip())]
    rows = [re.split(r"  +", n.strip()) for n in lines[1:] if n.strip()]
    return {r[0]: dict(zip(heads[1:], r[1:])) for r in rows}


def hold(cell, value, scale, what):
    """A cell, "-" where there is nothing"""
    if cell == "-" or value is None:
        same(what, cell, "-" if value is None else value)
    else:
        shown, _, unit = cell.partition(" ")
        number(shown, scale * value / UNITS[unit or "s"], what)


def hold_compare(o, out):
    parts = out.split("\n\n")
    at = next(i for i, p in enumerate(parts) if p.startswith("policy "))
    means, changes = table_of(parts[at]), table_of(parts[at + 2])
    same("compare: the policies", [p["policy"] for p in o["policies"]], list(means))
    for p in o["policies"]:
        for head, cell in means[p["policy"]].items():
            key, scale = FIGURES[head]
            hold(cell, p["mean"].get(key), scale, "compare: %s of %s" % (head, p["policy"]))
        same("compare: the note of " + p["policy"], p["spread_jobs"],
             "\nnote: %s: " % p["policy"] in out)
        for head, cell in changes.get(p["policy"], {}).items():
            hold(cell.partition("~")[0], p["change_percent"].get(FIGURES[head][0]), 1,
                 "compare: change of %s of %s" % (head, p["policy"]))


def change(pairs):
    """Of a to b in per cent, and two standard errors (None: one pair)"""
    n, a, b = len(pairs), sum(p[0] for p in pairs), sum(p[1] for p in pairs)
    if n < 2:
        return 100 * (a - b) / b, None
    d = [p[0] - p[1] for p in pairs]
    mean = sum(d) / n
    s = (sum((x - mean) ** 2 for x in d) / (n - 1)) ** .5
    return 100 * (a - b) / b, 200 * s / n ** .5 / (b / n)


def near(what, got, want):
    if (got is None) != (want is None) or \
            got is not None and abs(got - want) > 1e-6 * max(1, abs(want)):
        fail("%s: %r, expected %r" % (what, got, want))


def hold_verdict(o, out):
    """Who is best, from the figures of every run"""
    said = re.sub(r"\s+", " ", out)
    for key, name in (("mean_response", "mean response"),
                      ("mean_bounded_slowdown", "mean bounded slowdown")):
        v = o["verdict"][key]
        of = {p["policy"]: [r[key] for r in o["runs"] if r["policy"] == p["policy"]]
              for p in o["policies"]}
        first = o["policies"][0]["policy"]
        least = min(sum(x) for x in of.values())
        best = [p for p in of if sum(of[p]) <= least * (1 + 1e-8)]
        other = best[0] if best[0] != first else v.get("next")
        withheld = any(p["policy"] == other and p.get("withheld") for p in o["policies"])
        same("a verdict by %s above the figures" % name,
             "By %s" % name in said.split(" policy ")[0], not withheld)
        same("who is best by " + key, v["best"], best)
        near("the best " + key, v["value"], least / len(of[first]))
        got = change(list(zip(of[best[0]], of[first])))
        near("change of " + key, v["change_percent"], got[0])
        near("its error", v.get("error_percent"), got[1])
        if len(best) == len(of) or withheld:
            continue
        after = min((p for p in of if p not in best), key=lambda p: sum(of[p]))
        same("who is next by " + key, v["next"], after)
        got = change(list(zip(of[after], of[best[0]])))
        near("change of the next", v["next_percent"], got[0])
        m = re.search("By %s (.*?)(?: are best, and equal| is best): (.*?)\\. (?=By|Next|%s|$)"
                      % (name, first), said)
        if m is None:
            fail("no verdict by %s in %r" % (name, said))
            continue
        same("the best in words", re.split(", | and ", m[1]), best)
        if first not in best:
            share = "%.1f %% less than %s" % (-v["change_percent"], first)
            if share not in m[2]:
                fail("verdict: no %r in %r" % (share, m[2]))
            chance = -v["change_percent"] <= v.get("error_percent", 0)
            same("may be chance", "may be chance" in m[2], chance)


def hold_users(o, out, trace, policies):
    """Mean responses of users from the jobs that cosched sim writes"""
    with open(os.path.join(work, trace), encoding="utf-8") as f:
        lines = f.read().splitlines()
    user = {int(n.split()[0]): int(n.split()[11]) for n in lines if not n.startswith(";")}
    name = {int(n.split()[2]): n.split(None, 3)[3] for n in lines if "UserName" in n}
    response = []
    for p in policies:
        preset, *settings = p.split(":")
        more = [w for s in settings for w in ("--set", s)]
        text("sim", "--machine", "16x2x2", "--policy", preset, *more, "--jobs", "jobs", trace)
        sums = {}
        with open(work + "/jobs", encoding="utf-8") as f:
            for row in f.read().splitlines()[1:]:
                job, submit, _, end = row.split()[:4]
                sums.setdefault(user[int(job)], []).append(float(end) - float(submit))
        response.append({u: sum(r) / len(r) for u, r in sums.items()})
    said = re.sub(r"\s+", " ", out)
    losers = 0
    for p, here in zip(o["policies"][1:], response[1:]):
        u, first = p["users"], response[0]
        want = sorted(((100 * (here[i] / first[i] - 1), name[i]) for i in here
                       if here[i] > first[i]), reverse=True)
        same("users of " + p["policy"], (u["users"], u["longer"], u["shorter"]),
             (len(here), len(want), sum(here[i] < first[i] for i in here)))
        same("losers", [x["user"] for x in u["losers"]], [w[1] for w in want])
        for x, w in zip(u["losers"], want):
            near("change of " + x["user"], x["change_percent"], w[0])
        same("much", u["longer_by_ten_percent"], sum(w[0] > 10 for w in want))
        if want:
            losers += 1
            middle = (want[len(want) // 2][0] + want[(len(want) - 1) // 2][0]) / 2
            near("median", u["median_percent"], middle)
            words = "of %d is longer, by %.1f %% in the median and %.1f %% at most (%s)" % (
                len(want), middle, want[0][0], want[0][1])
        else:
            words = "no user's mean response is longer"
        if "%s against %s, %d users: " % (p["policy"], policies[0], len(here)) not in said or \
                words not in said:
            fail("users: no %r in %r" % (words, said))
    if not losers:
        fail("nobody loses: nothing was looked at")


def test_users():
    policies = ["cst:layout=dense", "fcfs", "easy"]
    words = ("compare", "--machine", "16x2x2", "--policies", ",".join(policies), "named.swf")
    o, out = parsed(*words), text(*words)
    hold_users(o, out, "named.swf", policies)


def test_compare():
    words = ("compare", "--machine", "16x2x2", "--policies",
             "cst,easy,cst:layout=dense,fcfs")
    for more in (("named.swf",), ("plain.swf", "named.swf"),
                 ("--workload", "w1", "--jobs", "60", "--replicas", "3")):
        o, out = parsed(*words, *more), text(*words, *more)
        hold_compare(o, out)
        hold_verdict(o, out)
        text(*words, *more, "--summary", "summary")
        with open(work + "/summary", encoding="utf-8") as f:
            summary = json.load(f)
        for s in (o, summary):
            for r in s["runs"]:
                r.pop("wall_seconds")
        same("compare --json and --summary", o, summary)


def make_history():
    lines = ["JobID|Submit|Start|End|State|NCPUS|Timelimit|User"]
    for i in range(60):
        lines.append("%d|2025-03-01T10:%02d:00|2025-03-01T1%d:%02d:30|2025-03-01T18:00:00|"
                     "COMPLETED|%d|09:00:00|%s" % (i + 1, i, 1 + i // 30, i,
                                                    1 + i % 4, NAMES[i % 5]))
    write("history", "\n".join(lines) + "\n")
    for name, node in ("ran", "n1"), ("nowhere", "None assigned"):
        write(name, "JobID|Submit|Start|End|NodeList|NCPUS\n"
              "1|2025-03-01T10:00:00|2025-03-01T10:00:00|2025-03-01T10:05:00|%s|4\n" % node)


def test_whatif():
    words = ("whatif", "--machine", "16x2x2", "--replicas", "2", "history")
    o, out = parsed(*words), text(*words)
    s = o["site"]
    same("whatif: the site", out.splitlines().count(
        "%s simulated, against what happened:" % s["policy"]), 1)
    for title, key in (("mean wait", "mean_wait"), ("mean response", "mean_response"),
                       ("makespan", "makespan")):
        m = re.search(r"(?m)^  %s +(\S+ \S+) +(\S+ \S+) +(\S+ %%)$" % title, out)
        for shown, of in zip(m.groups(), ("simulated", "recorded", "error_percent")):
            hold(shown, s[of][key], 1, "whatif: %s, %s" % (title, of))
    e = s["error_percent"]
    want = "%s, the site's own policy, is simulated with a mean wait that is off by " \
        "%+.1f %% from what happened, and a mean response off by %+.1f %%: trust only " \
        "larger differences." % (s["policy"], e["mean_wait"], e["mean_response"])
    same("whatif: how far to trust it", want in re.sub(r"\s+", " ", out), True)
    hold_compare(o, out)
    hold_verdict(o, out)
    u = o["policies"][1]["users"]
    same("whatif: users", u["users"], len(NAMES))
    for x in u["losers"]:
        if "error_percent" not in x or "case" in x or x["user"] not in NAMES:
            fail("whatif: a user of replicas: %s" % x)


# --- a plugin -------------------------------------------------------------------------------


MUNGE = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int munge_encode(char **cred, void *ctx, const void *buf, int len);
int munge_decode(const char *cred, void *ctx, void **buf, int *len, uid_t *uid, gid_t *gid);
int munge_encode(char **cred, void *ctx, const void *buf, int len)
{
	(void)ctx;
	*cred = strndup(buf, len);
	return *cred ? 0 : 1;
}
int munge_decode(const char *cred, void *ctx, void **buf, int *len, uid_t *uid, gid_t *gid)
{
	(void)ctx;
	(void)gid;
	*buf = strdup(cred);
	*len = strlen(cred);
	*uid = 0;
	return *buf ? 0 : 1;
}
"""
ANSWERS = {
    "status": {"version": "1", "slurm": "22.05.8", "mode": "act", "mode_set": "act",
               "policy": "adaptive", "gate": "on", "cycles": 12, "starts": 7},
    "explain": {"job": 17, "text": ["waits for nodes"]},
    "groups": {"groups": [{"group": 3, "jobs": [
        {"role": "primary", "job": 17, "user": "u<", "slowdown": 1.125, "end_s": 0,
         "nodes": ["n1", "n2"]}]}]},
    "sites": {"sites": [{"site": "a", "nodes": 4, "up": 4, "free": 3}], "split": [],
              "learned": [{"jobs": "u/halo", "processes": 8, "one_site_runs": 3,
                           "split_runs": 2, "across": 0.375}]},
    "slices": {"now_s": 1, "class": "none"},
    "users": {"now_s": 5, "campaigns": []},
    "top": {"now_s": 5, "nodes": [], "groups": [], "queue": []},
}


class Plugin(socketserver.BaseRequestHandler):

    def handle(self):
        head = self.request.recv(12)
        want = json.loads(self.request.recv(int.from_bytes(head[8:], "big")))
        answer = ANSWERS.get(want["cmd"]) if want["job"] != 404 else None
        reply = {"ok": True, "cmd": want["cmd"], "answer": answer} if answer else \
            {"ok": False, "error": "no such job"}
        body = ("cosched 1 %s 0 1\n" % want["nonce"] + json.dumps(reply)).encode()
        self.request.sendall(b"CsW1A\0\0\0" + len(body).to_bytes(4, "big") + body)


def start_plugin():
    """None where no library can be made."""
    write("munge.c", MUNGE)
    cc = os.environ.get("CC", "cc").split()
    try:
        subprocess.run([*cc, "-shared", "-fPIC", "-o", work + "/munge.so",
                        work + "/munge.c"], check=True, env=dict(os.environ, PATH=TOOLS))
    except (OSError, subprocess.CalledProcessError):
        return None
    server = socketserver.UnixStreamServer(work + "/plugin.sock", Plugin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def asks(*words, status=0):
    env = dict(os.environ, LD_PRELOAD=work + "/munge.so",
               ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0")
    got, out, err = run(*words, "--socket", work + "/plugin.sock", env=env)
    if got != status:
        fail("cosched %s: status %d, expected %d: %s" % (" ".join(words), got, status, err))
    return out


def test_plugin_commands():
    for command, answer in ANSWERS.items():
        job = {"explain": ["17"], "top": ["-b"]}.get(command, [])
        out = asks(command, *job, "--json")
        same(command + " --json", json.loads(out), answer)
        told = asks(command, *job)
        if not told.strip():
            fail(command + " says nothing")
    told = asks("status")
    for want in ("mode act, policy adaptive", "gate +on", "longest 0.0 ms, of 12"):
        if not re.search(want, told):
            fail("status lacks '%s': %s" % (want, told))
    test_status_learned()
    told = asks("status", "-v")
    for key in ("cycles", "starts", "gate"):
        m = re.search(r"(?m)^%s +(\S+)$" % key, told)
        same("status: " + key, m and m[1], str(ANSWERS["status"][key]))
    row = asks("groups").splitlines()[1].split()
    same("groups", row, ["3", "primary", "17", "u<", "1.125", "-", "n[1-2]"])
    test_builds(told)
    test_skew()
    asks("explain", "404", status=1)
    same("explain --json of no job", asks("explain", "404", "--json", status=1), "")
    ANSWERS["status"]["why"] = "the log cannot be written"
    same("status: why", json.loads(asks("status", "--json", status=1))["why"],
         ANSWERS["status"]["why"])
    del ANSWERS["status"]["why"]
    for key, value, status in (("site_warnings", ["a node is below two switches"], 0),
                               ("site_error", "a site has no nodes", 1)):
        ANSWERS["status"][key] = value
        told = asks("status", status=status).splitlines()
        same("status: " + key, [n for n in told if n.startswith("WARNING: a ")],
             ["WARNING: " + (value if status else value[0])])
        same("status: " + key, json.loads(asks("status", "--json", status=status))[key], value)
        del ANSWERS["status"][key]


def test_status_learned():
    """The proposals' number, and the command that says what their use would gain."""
    same("status: learn=off", "learned" in asks("status"), False)
    for learn, kinds, pairs, want in (
            ("propose", 9, 17, ["learned 9 kinds of jobs (learn=propose): 17 pairs of them may share",
                                "        none does with propose; what use would gain: cosched whatif "
                                "--sacct --machine NODESxSOCKETSxCORES"]),
            ("propose", 1, 0, ["learned 1 kind of jobs (learn=propose): 0 pairs of them may share yet"]),
            ("use", 9, 1, ["learned 9 kinds of jobs (learn=use): 1 pair of them may share"])):
        ANSWERS["status"]["engine"] = {"learn": learn, "learn_kinds": kinds, "learn_pairs": pairs}
        told = asks("status").splitlines()
        at = [i for i, line in enumerate(told) if line.startswith("learned")]
        same("status: learned, once", len(at), 1)
        lines = told[at[0]:at[0] + 2] if at else []
        same("status: learned", [x for x in lines if not x.startswith("so far")], want)
        del ANSWERS["status"]["engine"]


def test_skew():
    """slurmctld's clock tells what is to come, whatever this host's says."""
    for now in (10**9, 4 * 10**9):  # years before and after
        stopped = [{"job": i, "id": str(i), "class": "long", "nodes": 1, "stops": 1,
                    "again_s": now + s} for i, s in ((1, -1), (2, 100))]
        had = ANSWERS["slices"]
        ANSWERS["slices"] = {
            "now_s": now, "slice": "long", "serves_s": now - 9, "end_s": now + 99,
            "stopped": stopped, "classes": [{"class": "long", "next_s": None, "running": 0,
                                             "stopped": 0, "waiting": 0}]}
        told = asks("slices")
        same("slices: a slice that goes on", told.startswith("long slice, serves from "), True)
        same("slices: stopped jobs that are once free",
             re.findall(r"(?m)^ *([12]) .* once free$", told), ["1"])
        ANSWERS["slices"]["end_s"] = now - 1
        same("slices: none now", asks("slices").startswith("no slice now: "), True)
        ANSWERS["slices"] = had


def test_builds(told):
    """The plugin's build beside the command's: one line where they differ."""
    own = run("--version")[1].split()[1]
    line = "slurmctld has loaded build %s, this command is of build " + own + \
        ": if that is the newer one, restart slurmctld"
    same("status: an older plugin", told.splitlines()[1], line % "1")
    ANSWERS["status"]["build"] = "1+slurm1-2"
    told = asks("status").splitlines()
    same("status: another build", told[1], line % "1+slurm1-2")
    same("status: its build", told[0].split()[1], "1+slurm1-2")
    ANSWERS["status"]["build"] = own
    same("status: the same build", "has loaded" in asks("status"), False)
    del ANSWERS["status"]["build"]


# --- exit statuses ----------------------------------------------------------------------------


SIM = ["sim", "--machine", "16x2x2"]
COMPARE = ["compare", "--machine", "16x2x2", "--policies", "easy"]
WHATIF = ["whatif", "--machine", "16x2x2", "--replicas", "0"]
# {command: {status: [words of a run that ends with it]}}; of a plugin's where it begins
# with "@".
RUNS = {
    "import": {0: [["history"]], 2: [["gone"], [], ["history", "--threads", "0"],
                                     ["plain.swf"]]},
    "whatif": {0: [WHATIF[1:] + ["history"]],
               2: [WHATIF[1:] + ["gone"], ["history"], WHATIF[1:] + ["history", "--site", "x"],
                   WHATIF[1:] + ["history", "--html", "/nowhere/page"]]},
    "sim": {0: [SIM[1:] + ["plain.swf"]],
            2: [SIM[1:] + ["gone"], SIM[1:] + ["history"], ["plain.swf"],
                SIM[1:] + ["--set", "nothing=1", "plain.swf"],
                SIM[1:] + ["--json", "--summary", "-", "plain.swf"],
                SIM[1:] + ["--summary", "/nowhere/s", "plain.swf"]]},
    "compare": {0: [COMPARE[1:] + ["plain.swf"]],
                2: [COMPARE[1:] + ["gone"], ["plain.swf"],
                    COMPARE[1:] + ["--set", "nothing=1", "plain.swf"],
                    COMPARE[1:] + ["--json", "--html", "-", "plain.swf"],
                    COMPARE[1:] + ["--html", "/nowhere/page", "plain.swf"]]},
    "workload": {0: [["w1", "--jobs", "5"]],
                 2: [["w9"], [], ["w1", "--jobs", "0"], ["resample", "gone"]]},
    "procsim": {0: [["--scheme", "IB", "--set", "time_scale=1e-6"], ["--keys"]],
                1: [["--check", "broken.processes"]],
                2: [[], ["--scheme", "x"], ["--scheme", "IB", "--set", "mpl=0"],
                    ["--check", "gone"], ["--scheme", "IB", "--summary", "/nowhere/s"]]},
    "check": {0: [["log"]], 1: [["bad.log"], ["log", "bad.log"], ["/dev/null"]],
              2: [["gone"], [], ["bad.log", "gone"], ["."]]},
    "replay": {0: [["log"], ["--set", "policy=fcfs", "log"]], 1: [["bad.log"]],
               2: [["gone"], [], ["--set", "nothing=1", "log"], ["plain.swf"],
                   ["--profiles", "gone", "log"]]},
    "conf": {0: [[], ["--check", "good.conf"], ["--check", "stock.conf"]],
             1: [["--check", "wrong.conf"], ["--check", "load.conf"]],
             2: [["--check", "gone"], ["--policy", "nothing"], ["--mode", "a b"], ["x"]]},
    "doctor": {0: [["@all is well"]], 1: [[]], 2: [["x"]]},
    "params": {0: [[], ["slack"], ["--man"]], 2: [["nothing"], ["--preset", "nothing"]]},
    "profile": {0: [["check", "p.json"], ["from-corun", "table", "alone"],
                    ["learned", "state"], ["export", "state"]],
                2: [["check", "bad.json"], ["check", "gone"], [],
                    ["learned", "gone"], ["learned", "p.json"], ["learned", "--of", "x", "state"],
                    ["export", "p.json"],
                    ["from-corun", "gone", "gone"]]},
    "status": {0: [["@"]], 1: [["--socket", "/nowhere"]], 2: [["x"]]},
    "explain": {0: [["@", "17"]], 1: [["@", "404"], ["17", "--socket", "/nowhere"]],
                2: [[], ["x"], ["0"]]},
    "exporter": {0: [["--once"]], 2: [["--listen", "x"], ["x"]]},
    "wait": {1: [["--dir", "/nowhere"]], 2: [["x"]]},
    "top": {0: [["@", "-b"]], 1: [["-b", "--socket", "/nowhere"]], 2: [["x"], ["-d", "0"]]},
    "learn": {0: [["--from", "log"], ["--from", "ran"]], 1: [["--from", "nowhere"]],
              2: [["--from", "gone"], ["--from", "history"], [], ["x"]]},
    "shadow-report": {0: [["--profiles", "p.json", SRC + "/test/unit/data/shadow.jsonl"]],
                      2: [["gone"], [], ["plain.swf"]]},
}
for name in ("groups", "sites", "slices", "users"):
    RUNS[name] = {0: [["@"]], 1: [["--socket", "/nowhere"]], 2: [["x"]]}
# Formats of their own.
NO_JSON = {"import", "workload", "exporter", "procsim"}


def documented():
    """{command} that cosched(1) has end with status 1"""
    with open(SRC + "/doc/cosched.1", encoding="utf-8") as f:
        man = f.read()
    part = man[man.index(".SH EXIT STATUS"):]
    part = part[part.index("\n.RS\n"):part.index("\n.RE\n")]
    names = re.findall(r"(?m)^\.TP\n\.B (.*)$", part)
    return {n for line in names for n in line.split(", ")}


def all_is_well():
    """A host on which doctor finds nothing wrong."""
    os.makedirs(work + "/lib/cosched/slurm", exist_ok=True)
    os.makedirs(work + "/stock", exist_ok=True)
    site(PluginDir="%s/lib/cosched/slurm:%s/stock" % (work, work))


def one_status(command, want, words, plugin):
    if words[:1] == ["@all is well"]:
        all_is_well()
        got, out, err = run(command)
        site()
    elif words[:1] == ["@"]:
        if plugin:
            asks(command, *words[1:], status=want)
        return
    else:
        got, out, err = run(command, *words)
    where = "cosched %s %s" % (command, " ".join(words))
    if got != want:
        fail("%s: status %d, expected %d: %s" % (where, got, want, err))
    if want != 2:
        return
    said = [n for n in err.splitlines() if not re.fullmatch(r"\d+ jobs", n)]
    if len(said) != 1 or not said[0].startswith("cosched: "):
        fail("%s: not one line: %r" % (where, err))
    if command in NO_JSON or "--man" in words:
        return
    got, out, _ = run(command, *words, "--json")
    same(where + " --json", (got, out), (2, ""))


def test_statuses(plugin):
    listed = re.findall(r"(?m)^  ([a-z][a-z-]*) ", text("--help"))
    ones = documented()
    same("commands of cosched(1) that end with 1", ones,
         {c for c, runs in RUNS.items() if 1 in runs})
    for command in listed:
        if command not in RUNS:
            fail("no run of '%s': add some to RUNS" % command)
            continue
        same(command + " --help", run(command, "--help")[0], 0)
        one_status(command, 2, ["--no-such-option"], plugin)
        for want, runs in RUNS[command].items():
            for words in runs:
                one_status(command, want, words, plugin)
        has = "--json" in text(command, "--help")
        same(command + " has --json", has, command not in NO_JSON)
    same("no command", run()[0], 2)
    same("no such command", run("nothing")[0], 2)
    same("--version", run("--version")[0], 0)
    for words in ([*SIM, "--json", "plain.swf"], ["check", "--json", "log"],
                  ["conf", "--json"]):
        with open("/dev/full", "wb") as full:
            r = subprocess.run([COSCHED, *words], stdout=full, stderr=subprocess.PIPE,
                               cwd=work, check=False)
        same("a full disk: " + words[0], (r.returncode, r.stderr.count(b"\n")), (2, 1))


def main():
    plugin = None
    try:
        make_traces()
        make_history()
        write("table", "a b 1.1 3\nb a 1.2 3\na a 1.3 3\nb b 1.4 3\n")
        write("broken.processes", "H 2 2 20 1000\nJ 0 0 2\n")
        write("alone", "a 100 4 3\nb 50 4 3\n")
        site()
        for test in (test_check, test_replay, test_conf, test_conf_check, test_doctor,
                     test_profile, test_learned, test_params, test_sim, test_compare, test_users,
                     test_whatif):
            test()
        site()
        plugin = start_plugin()
        if plugin:
            test_plugin_commands()
        else:
            print("no C compiler: the plugin's answers were not looked at")
        test_statuses(plugin)
    finally:
        if plugin:
            plugin.shutdown()
        shutil.rmtree(work)
    if not failed:
        print("ok")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
