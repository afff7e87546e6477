# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of cosched compare and whatif: well formed, needs nothing else, says what
--json and the terminal say, whatever users, jobs, files and policies are called.

    check_page.py COSCHED SRCDIR
"""
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

COSCHED, SRC = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
failed = 0

USERS = ["al<b>", "b&amp;b", "c\"c'", "d\u00e9\u2603\U0001f40c", "e</script><svg>", "f--><!--"]
JOBS = ["<i>run</i>", "a&b", "it's \"it\""]
TRACE = "tr<ace>&'\".swf"
PROFILES = "pro<f>&\"l'e.json"


def fail(text):
    global failed
    failed += 1
    print("not ok - " + text)


def same(what, got, want):
    if got != want:
        fail("%s: %r, expected %r" % (what, got, want))


def run(*words):
    r = subprocess.run([COSCHED, *words], capture_output=True, cwd=work, check=False,
                       stdin=subprocess.DEVNULL, timeout=300)
    if r.returncode:
        fail("cosched %s: %s" % (" ".join(words), r.stderr.decode()))
    return r.stdout.decode()


def write(name, content, how="w"):
    with open(os.path.join(work, name), how, **({} if "b" in how else {"encoding": "utf-8"})) as f:
        f.write(content)


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


# --- reading a page ----------------------------------------------------------------------


VOID = {"meta", "br", "wbr"}
TAGS = VOID | set("html head title style body main nav a h1 h2 h3 p b section ul li code div "
                  "table caption thead tbody tr th td small span i data figure figcaption "
                  "svg g path rect text".split())
ATTRIBUTES = set("lang charset name content aria-label href id class tabindex role scope "
                 "data-figure value style xmlns width height viewbox x y d".split())


class Node:
    def __init__(self, tag, attrs):
        self.tag, self.attrs, self.inside = tag, dict(attrs), []

    def text(self):
        return "".join(n if isinstance(n, str) else n.text() for n in self.inside)

    def all(self, tag, **attrs):
        for n in self.inside:
            if isinstance(n, str):
                continue
            if n.tag == tag and all(n.attrs.get(k.rstrip("_")) == v for k, v in attrs.items()):
                yield n
            yield from n.all(tag, **attrs)


class Page(html.parser.HTMLParser):
    """A tree; whatever is not balanced, not known or not allowed is a fault."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.top = Node("", {})
        self.open = [self.top]
        self.feed(text)
        self.close()
        if len(self.open) != 1:
            fail("left open: %s" % [n.tag for n in self.open])

    def begin(self, tag, attrs):
        if tag not in TAGS:
            fail("a tag <%s> at %s" % (tag, self.getpos()))
        for key, value in attrs:
            if key not in ATTRIBUTES or len(dict(attrs)) != len(attrs):
                fail("attribute %s of <%s>" % (key, tag))
            if key == "href" and not value.startswith("#"):
                fail("a link to " + value)
        node = Node(tag, attrs)
        self.open[-1].inside.append(node)
        return node

    def handle_starttag(self, tag, attrs):
        node = self.begin(tag, attrs)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag, attrs):
        self.begin(tag, attrs)

    def handle_endtag(self, tag):
        if self.open[-1].tag != tag:
            fail("</%s> in <%s> at %s" % (tag, self.open[-1].tag, self.getpos()))
        else:
            self.open.pop()

    def handle_data(self, data):
        self.open[-1].inside.append(data)

    def handle_comment(self, data):
        fail("a comment: " + data)


def read_page(name):
    with open(os.path.join(work, name), "rb") as f:
        data = f.read()
    text = data.decode("utf-8")
    for svg in re.findall("<svg.*?</svg>", text, re.S):
        xml.dom.minidom.parseString(svg)
    if re.search(r"url\(|@import|<script|<link|javascript:|https?://(?!www\.w3\.org/2000/svg)",
                 text):
        fail(name + " needs something else")
    if re.search("[\0-\x08\x0b-\x1f\x7f]", text):
        fail(name + " has control bytes")
    page = Page(text).top
    ids = [n.attrs["id"] for t in TAGS for n in page.all(t) if "id" in n.attrs]
    same("ids of " + name, len(ids), len(set(ids)))
    for a in page.all("a"):
        if a.attrs["href"][1:] not in ids:
            fail("a link to nothing: " + a.attrs["href"])
    for n in page.all("div", class_="wide"):
        same("what is scrolled by keys", n.attrs.get("tabindex"), "0")
    for n in page.all("svg"):
        if not n.attrs.get("aria-label"):
            fail("a picture without a label")
    return page


# --- what it says ------------------------------------------------------------------------


def number(node):
    return float(node.attrs["value"])


def near(what, got, want):
    if abs(got - want) > 1e-8 * max(1, abs(want)):
        fail("%s: %r, expected %r" % (what, got, want))


SCALE = {"s": 1, "min": 60, "h": 3600, "days": 86400}


def shown(what, node):
    """What a reader sees is the value, rounded"""
    m = re.fullmatch(r"(-?[\d.]+)(?: (s|min|h|days|%))?", node.text())
    if not m:
        fail("%s: %r" % (what, node.text()))
        return
    scale = 0.01 if m[2] == "%" else SCALE.get(m[2], 1)
    step = 10. ** -len(m[1].partition(".")[2])
    if abs(float(m[1]) - number(node) / scale) > .5001 * step:
        fail("%s: %r is shown of %r" % (what, node.text(), number(node)))


def hold_figures(page, o):
    policies = o["policies"]
    rows = {n.attrs["data-figure"]: n for n in page.all("tr") if "data-figure" in n.attrs}
    same("the figures", set(rows) - {"broken_share", "true_slowdown_p99"},
         set().union(*(p["mean"] for p in policies)) - {"broken_share", "true_slowdown_p99"})
    for key, row in rows.items():
        cells = list(row.all("td"))
        same("cells of " + key, len(cells), len(policies))
        if not next(row.all("span", class_="what")).text():
            fail(key + " is not explained")
        values = [p["mean"].get(key) for p in policies]
        units = set()
        for p, cell, want in zip(policies, cells, values):
            if want is None:
                same(key, cell.text(), "\u2013")
                continue
            data = next(cell.all("data"))
            near(key + " of " + p["policy"], number(data), want)
            shown(key, data)
            units.add(data.text().partition(" ")[2])
            small = list(cell.all("small"))
            change = p.get("change_percent", {}).get(key)
            same("change of %s of %s" % (key, p["policy"]),
                 small[0].text().split(" ")[0] if small else None,
                 None if change is None else "%+.1f" % change)
            more = key in ("utilization", "ucore_high")
            known = [v for v in values if v is not None]
            best = not more and want <= min(known) * (1 + 1e-8) and \
                max(known) > min(known)
            same("best " + key, (cell.attrs.get("class") == "best",
                                 cell.text().startswith("best ")), (best, best))
        if len(units) > 1:
            fail("%s is shown in %s" % (key, units))


def hold_words(page, out, answers=0):
    """The verdict and the sentences on users, as the terminal has them"""
    said = squeezed(out)
    box = next(page.all("section", class_="verdict"))
    for p in box.all("p"):
        if "class" not in p.attrs and squeezed(p.text()) not in said:
            fail("a verdict that the terminal has not: " + p.text())
    same("verdicts", sum("class" not in p.attrs for p in box.all("p")),
         answers + said.count("By mean ") + said.count("To have "))
    for n in re.findall("(?m)^note: (.*)$", out):
        if n + "." not in [squeezed(p.text()) for p in page.all("p", class_="notice")]:
            fail("no note '%s'" % n)
    same("notes", len(list(page.all("p", class_="notice"))), out.count("\nnote: "))


def hold_users(page, o, out):
    said = squeezed(out)
    text = [squeezed(p.text()) for p in page.all("p")]
    tables = [t for t in page.all("table") if "class" not in t.attrs]
    for p in o["policies"][1:]:
        if p["users"]["users"] < 2:
            continue
        begin = "%s against %s, %d users:" % (p["policy"], o["policies"][0]["policy"],
                                              p["users"]["users"])
        mine = [t for t in text if t.startswith(begin)]
        same("sentences on " + begin, len(mine), 0 if p.get("withheld") else 1)
        if p.get("withheld"):
            if begin in said:
                fail("losers by a policy whose gain is withheld")
            continue
        if mine and mine[0] not in said:
            fail("not what the terminal says: " + mine[0])
        losers = p["users"]["losers"][:10]
        if not losers:
            continue
        rows = list(next(iter(tables.pop(0).all("tbody"))).all("tr"))
        same("losers", [next(r.all("th")).text() for r in rows], [x["user"] for x in losers])
        for r, x in zip(rows, losers):
            first, here, change = r.all("data")
            near("loser", number(first), x["response_first"])
            near("loser", number(here), x["response"])
            near("loser", number(change), x["change_percent"])
            shown("loser", first)
            shown("loser", here)
    same("tables of losers", len(tables), 0)


def hold_panels(page, o):
    """Each policy has a panel in each of the four rows"""
    titles = [squeezed(n.text()) for n in page.all("figcaption")]
    want = [p["policy"] for p in o["policies"]]
    same("panels", titles, want * 4)
    for figure, policy in zip(page.all("figure"), want):
        y = [float(v) for v in re.findall(r"[ML][\d.]+ ([\d.]+)",
                                          next(figure.all("path", class_="here")).attrs["d"])]
        if y != sorted(y, reverse=True) or abs(y[-1] - 8) > .11:
            fail("the distribution of %s: %s" % (policy, y))


def luminance(colour):
    part = [int(c * (3 - len(colour) // 3), 16) / 255
            for c in re.findall("." * (len(colour) // 3), colour)]
    r, g, b = (c / 12.92 if c <= .03928 else ((c + .055) / 1.055) ** 2.4 for c in part)
    return .2126 * r + .7152 * g + .0722 * b


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + .05) / (low + .05)


def hold_style(page):
    style = next(page.all("style")).text()
    for want in ("@media print", ":focus-visible{outline", "prefers-color-scheme:dark",
                 "@media(max-width:600px)"):
        if want not in style:
            fail("no %s in the style" % want)
    light, dark = re.findall(r":root\{([^}]*)\}", style)
    colours = [dict(re.findall(r"--(\w+):#(\w+)", light))]
    colours.append(dict(colours[0], **dict(re.findall(r"--(\w+):#(\w+)", dark))))
    for c in colours:
        for ink, paper, least in (("ink", "paper", 7), ("soft", "paper", 4.5),
                                  ("best", "paper", 4.5), ("ink", "mark", 4.5),
                                  ("here", "paper", 3), ("base", "paper", 3),
                                  ("focus", "paper", 3)):
            if contrast(c[ink], c[paper]) < least:
                fail("%s on %s: contrast %.1f" % (ink, paper, contrast(c[ink], c[paper])))


# --- pages ---------------------------------------------------------------------------------


def make_trace():
    lines = ["; UserName: %d %s\n" % i for i in enumerate(USERS, 1)]
    lines += ["; ExecutableName: %d %s\n" % i for i in enumerate(JOBS, 1)]
    body = run("workload", "lublin", "--nodes", "64", "--jobs", "200", "--alpha", "8")
    rows = [r for r in body.splitlines() if r and not r.startswith(";")]
    for i, r in enumerate(rows):
        field = r.split()
        field[11], field[13] = str(1 + (i * i + i // 3) % len(USERS)), str(1 + i % len(JOBS))
        lines.append(" ".join(field) + "\n")
    write(TRACE, "".join(lines))
    write(PROFILES, '{"version":1,"default":"a","profiles":{"a":{"self":{"1":1,"4":1.3}}},'
          '"pairs":[{"of":"a","beside":"a","slowdown":1.1}]}')


def test_hostile():
    policies = ["cst:layout=dense", "fcfs", "cst", "glts:profiles=" + PROFILES]
    words = ["compare", "--machine", "16x2x2", "--policies", ",".join(policies)]
    out = run(*words, "--html", "page", "--summary", "summary", TRACE)
    with open(work + "/summary", encoding="utf-8") as f:
        o = json.load(f)
    page = read_page("page")
    hold_figures(page, o)
    hold_words(page, out)
    hold_users(page, o, out)
    hold_panels(page, o)
    hold_style(page)
    if "\nnote: cst: " not in out:
        fail("no note to look at")
    text = page.text()
    for name in [TRACE, *policies, *USERS, *JOBS]:
        if name not in text:
            fail("%r is not on the page" % name)
    tips = [n.text() for n in page.all("title")][1:]
    for user in USERS:
        if not any(") of %s: " % user in t for t in tips):
            fail("no job of %r in the pictures" % user)
    # at any width, in any order
    run(*words, "--html", "again", "-j", "3", TRACE)
    with open(work + "/page", "rb") as a, open(work + "/again", "rb") as b:
        same("the same bytes", a.read() == b.read(), True)


def test_broken_text():
    """A name that is no UTF-8, a control byte"""
    with open(os.path.join(work, TRACE), "rb") as f:
        data = f.read()
    data = data.replace(USERS[0].encode(), b"x\xff\xc3(\x1b[31m")
    write("broken.swf", data, "wb")
    run("compare", "--machine", "16x2x2", "--policies", "easy,fcfs", "--html", "page",
        "--summary", "summary", "broken.swf")
    page = read_page("page")
    with open(work + "/summary", encoding="utf-8") as f:
        o = json.load(f)
    name = "x??(?[31m"
    if name not in page.text() or \
            name not in [x["user"] for x in o["policies"][1]["users"]["losers"]]:
        fail("no %s on the page or in JSON" % name)


def test_cases():
    """Replicas, with errors; several traces, whose users are not each other's"""
    words = ["compare", "--machine", "16x2x2", "--policies", "easy,fcfs,conservative"]
    shutil.copy(os.path.join(work, TRACE), work + "/two.swf")
    for more in (["--workload", "w1", "--jobs", "80", "--replicas", "3"], [TRACE, "two.swf"]):
        out = run(*words, "--html", "page", "--summary", "summary", *more)
        with open(work + "/summary", encoding="utf-8") as f:
            o = json.load(f)
        page = read_page("page")
        hold_figures(page, o)
        hold_words(page, out)
        hold_users(page, o, out)
        hold_panels(page, o)
        box = next(page.all("section", class_="verdict")).text()
        if "give or take" not in box or "standard errors" not in box:
            fail("no error in " + box)
    if not any(TRACE in r.text() and USERS[0] in r.text() for r in page.all("tr")):
        fail("whose trace is not said")


def test_one_policy():
    run("compare", "--machine", "16x2x2", "--policies", "easy", "--html", "page", TRACE)
    page = read_page("page")
    same("a verdict on one policy", len(list(page.all("section"))), 0)


def test_jobs():
    """All jobs of a small trace are in the picture, and its axis is read in its units"""
    shutil.copy(SRC + "/test/sim/small.swf", work + "/small.swf")
    run("compare", "--machine", "4x1x1", "--policies", "fcfs", "--html", "page", "small.swf")
    page = read_page("page")
    last = list(page.all("svg"))[-1]
    same("jobs", {int(re.match(r"job (\d+)", n.text())[1]) for n in last.all("title")},
         {1, 2, 3, 9})
    for n, hours in (("1-30", "1 h"), ("26-50", "1 d 3 h")):
        run("compare", "--machine", "16x2x2", "--policies", "easy", "--html", "page",
            "--window", n, TRACE)
        last = list(read_page("page").all("svg"))[-1]
        ticks = [t.text() for t in last.all("text", class_="m")]
        if n == "26-50":
            same("the first tick", ticks[0], hours)
        if "1 d" not in ticks and n == "1-30" or not all(
                re.fullmatch(r"(\d+ d )?\d+ (h|d)", t) for t in ticks):
            fail("ticks of %s: %s" % (n, ticks))


def test_whatif():
    lines = ["JobID|Submit|Start|End|State|NCPUS|Timelimit|User|JobName"]
    for i in range(60):
        lines.append("%d|2025-03-01T10:%02d:00|2025-03-01T1%d:%02d:30|2025-03-01T18:00:00|"
                     "COMPLETED|%d|09:00:00|%s|%s" % (i + 1, i, 1 + i // 30, i, 1 + i % 4,
                                                      USERS[i % 6], JOBS[i % 3]))
    write("history", "\n".join(lines) + "\n")
    words = ["whatif", "--machine", "8x2x2", "--replicas", "2", "--policies", "fcfs,easy"]
    out = run(*words, "--html", "page", "--summary", "summary", "history")
    with open(work + "/summary", encoding="utf-8") as f:
        o = json.load(f)
    page = read_page("page")
    hold_figures(page, o)
    hold_words(page, out, answers=2)
    hold_users(page, o, out)
    table = next(t for t in page.all("table") if "against what happened" in t.text())
    values = [number(d) for d in table.all("data")]
    want = [o["site"][side][key] for key in ("mean_wait", "mean_response", "makespan")
            for side in ("simulated", "recorded")]
    for got, w in zip(values, want):
        near("the site's own policy", got, w)
    same("figures of the site's", len(values), 6)
    box = next(page.all("section", class_="verdict")).text()
    if "%+.1f %%" % o["site"]["error_percent"]["mean_wait"] not in box:
        fail("the verdict does not say how far the simulation is off: " + box)
    for name in USERS + JOBS:
        if name not in page.text():
            fail("whatif: %r is not on the page" % name)


work = tempfile.mkdtemp()
try:
    make_trace()
    for test in (test_hostile, test_broken_text, test_cases, test_one_policy, test_jobs,
                 test_whatif):
        test()
finally:
    shutil.rmtree(work)
if not failed:
    print("ok")
sys.exit(failed != 0)
