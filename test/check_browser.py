# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages in a real browser: nothing is asked of the net, nothing stands beyond the
window's edge, dark is dark, all that can be reached is reached by keyboard and seen to
be, print has it all.

    check_browser.py COSCHED SRCDIR FOLDER

FOLDER has, for each page, PAGE.html, PAGE-{wide,phone,dark,print}.png and PAGE.pdf
afterwards.  The browser is asked by the DevTools protocol over two pipes.
"""
import base64
import json
import os
import random
import subprocess
import sys

COSCHED, SRC, OUT = (os.path.realpath(a) for a in sys.argv[1:4])
SCREENS = {"wide": (1280, 900, False), "phone": (390, 844, False), "dark": (1280, 900, True)}
A4 = (794 - 2 * 53, 1123)  # CSS pixels between the page's margins
failed = 0


def fail(text):
    global failed
    failed += 1
    print("not ok - " + text)


def run(*words, **more):
    r = subprocess.run(words, capture_output=True, cwd=OUT, check=False,
                       stdin=subprocess.DEVNULL, timeout=600, **more)
    if r.returncode:
        fail("%s: %s" % (" ".join(words), r.stderr.decode()))
    return r.stdout.decode()


# --- the browser -------------------------------------------------------------------------


class Browser:
    """One page of a headless chromium; messages end in a zero byte."""

    def __init__(self):
        to, self.out = os.pipe()
        self.back, back = os.pipe()

        def fds():
            # what they are called here may be what they are to be called there
            a, b = os.dup(to), os.dup(back)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--mute-audio",
             "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage",
             "--hide-scrollbars", "--remote-debugging-pipe",
             "--user-data-dir=" + os.path.join(OUT, "profile"), "about:blank"],
            preexec_fn=fds, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to)
        os.close(back)
        self.left, self.id, self.session, self.events = b"", 0, None, []
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"]
                      if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"],
                                flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(domain + ".enable")

    def read(self):
        while b"\0" not in self.left:
            part = os.read(self.back, 1 << 20)
            if not part:
                sys.exit("not ok - chromium ended (status %s)" % self.process.poll())
            self.left += part
        one, self.left = self.left.split(b"\0", 1)
        return json.loads(one)

    def ask(self, method, **params):
        self.id += 1
        message = {"id": self.id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.read()
            if answer.get("id") == self.id:
                if "error" in answer:
                    sys.exit("not ok - %s: %s" % (method, answer["error"]))
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def until(self, method):
        while not any(e["method"] == method for e in self.events):
            self.events.append(self.read())

    def screen(self, wide, high, dark, media=""):
        self.ask("Emulation.setDeviceMetricsOverride", width=wide, height=high,
                 deviceScaleFactor=1, mobile=wide < 600)
        self.ask("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path):
        self.events = []
        self.ask("Page.navigate", url="file://" + path)
        self.until("Page.loadEventFired")

    def value(self, script):
        r = self.ask("Runtime.evaluate", expression="(() => {%s})()" % script,
                     returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            sys.exit("not ok - %s: %s" % (script, r["exceptionDetails"]))
        return r["result"].get("value")

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                     windowsVirtualKeyCode=code, **({"text": "\r"} if key == "Enter" else {}))

    def write(self, name, data):
        with open(os.path.join(OUT, name), "wb") as f:
            f.write(base64.b64decode(data))

    def shoot(self, name):
        self.write(name, self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"])

    def end(self):
        self.session = None
        self.ask("Browser.close")
        self.process.wait(60)


# --- the pages ---------------------------------------------------------------------------

USERS = ["ann", "bob", "chen", "dora", "eve", "frida", "a-user-with-a-rather-long-name"]
PROFILES = {"version": 1, "default": "a", "profiles": {"a": {"self": {"1": 1, "4": 1.3}}},
            "pairs": [{"of": "a", "beside": "a", "slowdown": 1.1}]}


def save(name, text):
    with open(os.path.join(OUT, name), "w", encoding="utf-8") as f:
        f.write(text)


def make_compare():
    rows = [r.split() for r in run(COSCHED, "workload", "lublin", "--nodes", "64", "--jobs",
                                   "300", "--alpha", "8").splitlines() if r[0] != ";"]
    for i, r in enumerate(rows):
        r[11] = str(1 + (i * i + i // 3) % len(USERS))
    save("trace.swf", "".join("; UserName: %d %s\n" % u for u in enumerate(USERS, 1)) +
         "".join(" ".join(r) + "\n" for r in rows))
    save("profiles.json", json.dumps(PROFILES))
    run(COSCHED, "compare", "--machine", "16x2x2", "--html", "compare.html", "--policies",
        "easy,conservative,cst,glts:profiles=profiles.json,glts+:profiles=profiles.json",
        "trace.swf")


def make_whatif():
    random.seed(1)
    rows, free = ["JobID|Submit|Start|End|State|NCPUS|Timelimit|User|JobName"], 0
    for i in range(400):
        submit = 1700000000 + 900 * i
        start = max(submit, free + random.randrange(1800))
        end = start + random.randrange(60, 20000)
        free = (start + end) // 2 if i % 3 else free
        rows.append("%d|%d|%d|%d|COMPLETED|%d|%02d:00:00|%s|cfd" % (
            i + 1, submit, start, end, 2 ** random.randrange(6), (end - start) // 3600 + 1,
            USERS[i * i % len(USERS)]))
    save("history", "\n".join(rows) + "\n")
    run(COSCHED, "whatif", "--machine", "8x2x4", "--replicas", "3", "--html", "whatif.html",
        "history")


def make_shadow():
    run(COSCHED, "shadow-report", "--html", "shadow.html", "--profiles",
        SRC + "/test/unit/data/shadow_profiles.json", SRC + "/test/unit/data/shadow.jsonl")


def make_quickstart():
    """Two runs of the demonstration, as its jobs write them."""
    for name, apart in (("first", 6), ("second", 4)):
        os.makedirs(os.path.join(OUT, name), exist_ok=True)
        jobs, submits = [], ["# start 1000"]
        for i in range(16):
            n = i % 4 + 1
            start = 1000 + i // 4 * apart * 2 + i % 3
            submits.append("%d j%d %d" % (i + 1, i + 1, i // 2))
            jobs.append(json.dumps({
                "job": i + 1, "name": "j%d" % (i + 1), "profile": ["cg", "io"][i % 2],
                "alone_s": apart + 2, "state": "done", "self": 1.05, "start": start + .2,
                "end": start + apart + 3, "nodes": [
                    {"node": "n%d" % n, "procs": 2, "cores": [i // 4 % 2 * 2, i // 4 % 2 * 2 + 1]}]}))
        save(name + "/submits", "\n".join(submits) + "\n")
        save(name + "/jobs.jsonl", "\n".join(jobs) + "\n")
    run("python3", "-B", SRC + "/contrib/demo/report", "--html", "quickstart.html",
        "--machine", "4x2x2", "--run", "whole nodes", "first", "--run", "nodes are shared",
        "second")


# --- what holds of each -------------------------------------------------------------------

# What sticks out of the window, though its parents could not be scrolled to it.
OUTSIDE = """
const wide = document.documentElement.clientWidth, out = [];
if (document.documentElement.scrollWidth > wide)
    out.push("the page is " + document.documentElement.scrollWidth + " wide");
for (const e of document.querySelectorAll("body *")) {
    let p = e;
    while (p && getComputedStyle(p).overflowX == "visible") p = p.parentElement;
    const r = e.getBoundingClientRect();
    if (!p && r.width && r.right > wide + 1)
        out.push(e.tagName + " " + e.textContent.slice(0, 40) + " ends at " + r.right);
}
return out.slice(0, 8);"""
REACHED = """
const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
const all = [...document.querySelectorAll("a[href],button,input,select,summary,[tabindex]")];
return [all.indexOf(e), all.length, s.outlineStyle != "none" && parseFloat(s.outlineWidth) > 0,
        r.bottom > 0 && r.top < innerHeight, e.tagName, e.getAttribute("href"),
        e.scrollWidth > e.clientWidth + 1];"""


def fits(b, what):
    for line in b.value(OUTSIDE):
        fail("%s: %s" % (what, line))


def looks(b, page):
    """The three screens; asked of the net: the page alone."""
    for name, screen in SCREENS.items():
        b.screen(*screen)
        b.open(os.path.join(OUT, page + ".html"))
        fits(b, "%s, %s" % (page, name))
        b.shoot("%s-%s.png" % (page, name))
        asked = [e["params"]["request"]["url"] for e in b.events
                 if e["method"] == "Network.requestWillBeSent" and
                 not e["params"]["request"]["url"].startswith("data:")]
        if len(asked) != 1:
            fail("%s asks for %s" % (page, asked))
        wrong = [e for e in b.events if e["method"] in ("Log.entryAdded",
                                                        "Runtime.exceptionThrown")]
        if wrong:
            fail("%s: the browser complains: %s" % (page, wrong))
        paper = b.value("""return getComputedStyle(document.body).backgroundColor
            .match(/\\d+/g).slice(0, 3).reduce((a, c) => a + +c, 0)""")
        if (paper < 200) != (name == "dark"):
            fail("%s, %s: paper of brightness %s" % (page, name, paper))


def keyboard(b, page):
    """Tab comes by everything in order, each is seen, Enter follows, an arrow scrolls."""
    b.screen(*SCREENS["phone"])
    b.open(os.path.join(OUT, page + ".html"))
    n = b.value(REACHED)[1]
    seen = []
    for _ in range(n):
        b.press("Tab", 9)
        at, _, shown, inside, tag, link, scrolls = b.value(REACHED)
        seen.append(at)
        if at < 0:
            fail("%s: Tab comes by a %s" % (page, tag))
        if not shown or not inside:
            fail("%s: %s %s has the focus and shows no sign of it" % (page, tag, link))
        if link and link.startswith("#"):
            b.press("Enter", 13)
            where = b.value("const e = document.querySelector(':target');"
                            "return e ? e.getBoundingClientRect().top : null")
            if where is None or not -2 < where < 844:
                fail("%s: Enter on %s comes to %s" % (page, link, where))
            b.value("document.querySelectorAll('a[href=\"%s\"]')[0].focus()" % link)
        if scrolls:
            b.press("ArrowRight", 39)
            for _ in range(120):  # frames: it may glide
                if b.value("return new Promise(done => requestAnimationFrame(() => "
                           "done(document.activeElement.scrollLeft)))") > 0:
                    break
            else:
                fail("%s: an arrow does not scroll" % page)
    if seen != list(range(n)):
        fail("%s: Tab comes by %s of %d" % (page, seen, n))
    print("# %s: %d places by keyboard" % (page, n))


def prints(b, page):
    b.screen(*A4, False, "print")
    b.open(os.path.join(OUT, page + ".html"))
    fits(b, page + ", print")
    for line in b.value("""return [...document.querySelectorAll("body *")]
        .filter(e => e.clientWidth && e.scrollWidth > e.clientWidth + 1 &&
                     getComputedStyle(e).display != "inline")
        .map(e => e.tagName + "." + e.className + " is cut at " + e.clientWidth + " of " + e.scrollWidth)
        .slice(0, 5)"""):
        fail("%s, print: %s" % (page, line))
    b.shoot(page + "-print.png")
    b.ask("Emulation.setEmulatedMedia", media="")
    pdf = b.ask("Page.printToPDF", printBackground=True, preferCSSPageSize=True,
                paperWidth=8.27, paperHeight=11.69)["data"]
    b.write(page + ".pdf", pdf)
    sheets = base64.b64decode(pdf).count(b"/Type /Page\n")
    if not 1 <= sheets <= 30:
        fail("%s: printed on %d sheets" % (page, sheets))
    print("# %s: printed on %d sheets" % (page, sheets))


os.makedirs(OUT, exist_ok=True)
make_compare()
make_whatif()
make_shadow()
make_quickstart()
browser = Browser()
for name in ("compare", "whatif", "shadow", "quickstart"):
    looks(browser, name)
    keyboard(browser, name)
    prints(browser, name)
browser.end()
print("ok" if not failed else "%d failed" % failed)
sys.exit(1 if failed else 0)
