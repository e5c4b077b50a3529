"""The client of view.sh: asks servers of `repose view` and `repose run --view`. Usage: view.py REPOSE FOLDER

The last line is "N passed, N failed"; "no page" alone means that this build has no page to serve.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zlib

repose, work = sys.argv[1:]
passed = failed = 0
MOST = 600  # s until a thing that must happen is given up: a slow machine is no fault of the command


def check(what, holds):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("failed:", what)


def ask(url, method="GET", **headers):
    """Status, text or bytes, and headers of an answer."""
    request = urllib.request.Request(url, method=method, headers={k.replace("_", "-"): v for k, v in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=MOST) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


class Command:
    number = 0

    def __init__(self, *arguments):
        Command.number += 1
        self.path = os.path.join(work, f"output-{Command.number}")
        with open(self.path, "w") as output:
            self.process = subprocess.Popen([repose, *arguments], stdout=output, stderr=subprocess.STDOUT, cwd=work)

    def said(self):
        with open(self.path) as text:
            return text.read()

    def address(self):
        """Waits for the address; None if the command ends without one."""
        while True:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]+)/", self.said())
            if found:
                self.url, self.port, self.token = found.group(0), int(found.group(1)), found.group(2)
                return self.url
            if self.process.poll() is not None:
                return None
            time.sleep(0.02)

    def news(self, frames=0, series=0):
        status, text, _ = ask(f"{self.url}news?frames={frames}&series={series}")
        return json.loads(text) if status == 200 else {"state": status}

    def until(self, holds):
        """Asks until the answer is as it must be; returns it."""
        end = time.monotonic() + MOST
        while True:
            news = self.news()
            if holds(news) or time.monotonic() > end:
                return news
            time.sleep(0.05)

    def all(self):
        """Everything about the frames, when all of them were read."""
        return self.until(lambda news: len(news["frames"]) == news["count"])

    def do(self, command):
        return ask(self.url + command, "POST")[0]

    def end(self, number=signal.SIGTERM):
        if number:
            self.process.send_signal(number)
        return self.process.wait(MOST)


def rest(news):
    return {key: news[key] for key in ("frames", "bodies", "contacts", "low", "high", "count")}


def results(folder):
    """What a run leaves that does not tell of wall time."""
    out = {}
    for name in ("run.h5", "series.csv"):
        with open(os.path.join(work, folder, name), "rb") as file:
            out[name] = file.read()
    with open(os.path.join(work, folder, "summary.json")) as file:
        out["hash"] = json.load(file)["state_hash"]
    return out


def finished_run():
    view = Command("view", "plain", "--linger", "2")
    if not view.address():
        if "npm was missing" in view.said():
            print("no page")
            sys.exit(0)
        print(view.said())
        sys.exit(1)
    status, page, headers = ask(view.url)
    check("the page is served", status == 200 and b"<!DOCTYPE html>" in page and b'id="live"' in page)
    policy = headers["Content-Security-Policy"]
    check(f"its policy is strict: {policy}", policy.startswith("default-src 'none'; connect-src 'self'; script-src 'sha256-")
          and "unsafe" not in policy and "frame-ancestors 'none'" in policy)
    check("the page does not tell its address to others", headers["Referrer-Policy"] == "no-referrer")
    check("nor does a browser keep it", headers["Cache-Control"] == "no-store")

    for what, url in (("a wrong word", view.url.replace(view.token, "0" * len(view.token))), ("no word", f"http://127.0.0.1:{view.port}/"),
                      ("half a word", f"http://127.0.0.1:{view.port}/{view.token[:16]}/"), ("a word without its slash", view.url[:-1])):
        check(f"{what} is refused", ask(url)[0] == 403 and ask(url + "news?frames=0&series=0")[0] == 403)
    for host in ("evil.example", f"evil.example:{view.port}", "127.0.0.1", "", f"127.0.0.1:{view.port}.evil.example"):
        check(f"the name {host!r} is refused", ask(view.url, Host=host)[0] == 403)
    check("localhost is not", ask(view.url, Host=f"localhost:{view.port}")[0] == 200)
    check("pages of others are refused", ask(view.url + "pause", "POST", Origin="http://evil.example")[0] == 403)
    with open("/proc/net/tcp") as table:
        ours = [line.split()[1] for line in table if line.split()[1].endswith(":%04X" % view.port) and line.split()[3] == "0A"]
    check(f"only this machine reaches it: {ours}", ours == ["0100007F:%04X" % view.port])
    for what, status, method, name in (("nothing of that name", 404, "GET", "other"), ("a path that climbs", 404, "GET", "../../etc/passwd"),
                                       ("a frame too many", 404, "GET", "frame-99"), ("a frame without number", 404, "GET", "frame-x"),
                                       ("news of nothing", 400, "GET", "news"), ("news of -1", 400, "GET", "news?frames=-1&series=0"),
                                       ("another method", 405, "PUT", ""), ("a pause of a run that it did not start", 409, "POST", "pause"),
                                       ("another command", 404, "POST", "explode")):
        got = ask(view.url + name, method)[0]
        check(f"{what}: {got}, expected {status}", got == status)

    news = view.all()
    check("a finished run has ended", news["state"] == "ended" and not news["control"])
    check("all frames are listed", news["count"] == 11 and len(news["frames"]) == 11)
    check("later ones alone on demand", view.news(frames=7)["frames"] == news["frames"][7:])
    check("the series is whole", news["series"].encode() == results("plain")["series.csv"])
    later = view.news(series=100)
    check("or its rest", later["series"] == news["series"][100:] and later["series_end"] == news["series_end"])
    blocks = [zlib.decompress(ask(f"{view.url}frame-{k}")[1]) for k in range(11)]
    check("frames differ", len(set(blocks)) == 11)
    check("surfaces have corners", len(zlib.decompress(ask(f"{view.url}surface-10")[1])) == 4 * news["frames"][10]["points"]
          + 12 * news["frames"][10]["triangles"] > 0)
    summary = ask(view.url + "summary")[1]
    check("the summary is served", json.loads(summary)["end"] == "until")
    served = b"".join([page, summary, ask(view.url + "news?frames=0&series=0")[1]])
    check("no folder of this machine is served", work.encode() not in served and b"/home/" not in served)
    check("a view ends by itself", view.end(0) == 0)


def several_and_ports():
    first = Command("view", "plain")
    first.address()
    second = Command("view", "plain", "--port", str(first.port))
    check("a taken port is an error", second.process.wait(MOST) == 1 and "another program uses it" in second.said())
    second = Command("view", "plain")
    check("two views at once", second.address() and ask(second.url)[0] == 200 and ask(first.url)[0] == 200)
    check("with two words", first.token != second.token)
    check("the word of one is not that of the other", ask(second.url.replace(second.token, first.token))[0] == 403)
    check("Ctrl-C ends a view", first.end(signal.SIGINT) == 0)
    again = Command("view", "plain", "--port", str(first.port))
    check("its port is free at once", again.address() is not None)
    again.end()
    second.end()


def broken():
    os.mkdir(os.path.join(work, "broken"))
    with open(os.path.join(work, "plain", "run.h5"), "rb") as file:
        whole = file.read()
    for what, content, says in (("no HDF5 file", b"nonsense" * 100, "is not an HDF5 file"), ("half a file", whole[:len(whole) // 2], "damaged")):
        with open(os.path.join(work, "broken", "run.h5"), "wb") as file:
            file.write(content)
        view = Command("view", "broken")
        view.address()
        news = view.until(lambda n: len(n["notes"]) > 1)
        check(f"{what}: the page says why: {news['notes']}", any(says in note for note in news["notes"]))
        check("and without the folder", not any(work in note for note in news["notes"]))
        check("and that the run was cut off", news["state"] == "cut" and any("it was killed" in note for note in news["notes"]))
        view.end()


def going_on():
    run = Command("run", "scene.yaml", "-o", "viewed", "--view", "--paused", "--threads", "2")
    run.address()
    news = run.until(lambda n: n["state"] == "paused" and n["count"] == 1 and n["frames"])
    check("a run waits at its first frame", news["state"] == "paused" and news["count"] == 1 and news["control"])
    watch = Command("view", "viewed", "--linger", "1")
    watch.address()
    check("another view sees a run that goes on", watch.until(lambda n: n["frames"])["state"] == "runs")
    check("and does not control it", not watch.news()["control"] and watch.do("stop") == 409)
    for frame in (2, 3):
        check("a step", run.do("next") == 200)
        news = run.until(lambda n: n["state"] == "paused" and n["count"] >= frame and len(n["frames"]) == n["count"])
        check(f"is one frame: {news['count']}, expected {frame}", news["state"] == "paused" and news["count"] == frame)
    check("what the view read while the run went on", rest(watch.all()) == rest(run.all()))
    check("the run goes on", run.do("resume") == 200)
    news = run.until(lambda n: n["state"] == "ended" and len(n["frames"]) == 11)
    check("to its end", news["state"] == "ended" and not news["control"])
    times = [frame["time"] for frame in news["frames"]]
    check("with frames in their order", times == sorted(times) and len(set(times)) == 11)
    after = Command("view", "viewed")
    after.address()
    check("and the same for one who comes later", rest(after.all()) == rest(news))
    after.end()
    check("the other view ends by itself", watch.end(0) == 0)
    check("a page holds the command", run.process.poll() is None)
    check("the run ends with its own status", run.end() == 0)
    check("results are those of a run without a view", results("viewed") == results("plain"))


def within_a_write():
    """Frames come with their columns, or not at all: a page cannot draw the one without the other."""
    shutil.copytree(os.path.join(work, "plain"), os.path.join(work, "writes"))
    journal = os.path.join(work, "writes", "run.h5.journal")
    view = Command("view", "writes")
    view.address()
    told = rest(view.all())
    with open(journal, "wb") as file:
        file.write(b"a write that is not finished")
    news = view.news()
    check(f"no frame without its columns: {len(news['frames'])} frames", not news["frames"] and "bodies" not in news)
    check("which are still counted", news["count"] == 11)
    os.remove(journal)
    check("all come when the write is over", rest(view.all()) == told and len(told["frames"]) == 11 and told["bodies"])
    view.end()


def written_often():
    """Frames that are read while the run writes others are those that it leaves."""
    run = Command("run", "scene.yaml", "-o", "often", "--view", "--set", "run.until=0.4 s", "--set", "output.frames=0.5 ms")
    run.address()
    blocks, listed, notes, state = {}, [], set(), ""
    end = time.monotonic() + MOST
    while time.monotonic() < end and (state != "ended" or len(listed) < news["count"]):
        news = run.news(len(listed), 1 << 40)
        state = news["state"]
        listed += news["frames"]
        notes |= {note for note in news["notes"] if "32 MiB" not in note}
        for index in {len(listed) - 1, len(listed) // 2} if listed else ():
            status, block, _ = ask(f"{run.url}frame-{index}")
            if status == 200 and state != "ended":
                blocks.setdefault(index, set()).add(zlib.decompress(block))
    check(f"no note while the run writes: {notes}", not notes)
    check(f"frames were read meanwhile: {len(blocks)}", len(blocks) > 1)
    check("all are listed", len(listed) == 801 and rest(run.all())["frames"] == listed)
    check("each is as the run left it", all(one == {zlib.decompress(ask(f"{run.url}frame-{k}")[1])} for k, one in blocks.items()))
    run.end()


def stopped():
    run = Command("run", "scene.yaml", "-o", "stopped", "--view", "--paused")
    run.address()
    run.until(lambda n: n["state"] == "paused")
    run.do("next")
    run.until(lambda n: n["state"] == "paused" and n["count"] == 2)
    check("a pause of a paused run changes nothing", run.do("pause") == 200 and run.news()["state"] == "paused")
    check("a stop", run.do("stop") == 200)
    news = run.until(lambda n: n["state"] == "ended")
    check("ends the run", news["state"] == "ended")
    with open(os.path.join(work, "stopped", "summary.json")) as file:
        check("its summary says so", json.load(file)["end"] == "stopped")
    check("the command ends as by Ctrl-C", run.end() == 130)
    subprocess.run([repose, "run", "--resume", "stopped", "--quiet"], cwd=work, check=True)
    told = subprocess.run([repose, "info", "plain/run.h5", "stopped/run.h5"], cwd=work, capture_output=True, text=True)
    check(f"and goes on to the same frames: {told.stdout}", told.returncode == 0 and told.stdout.endswith("\nequal\n"))
    check("and rows, and state", results("stopped")["series.csv"] == results("plain")["series.csv"]
          and results("stopped")["hash"] == results("plain")["hash"])


def killed():
    run = Command("run", "scene.yaml", "-o", "killed", "--view", "--paused")
    run.address()
    run.until(lambda n: n["state"] == "paused" and n["frames"])
    watch = Command("view", "killed", "--linger", "0")
    watch.address()
    watch.until(lambda n: n["state"] == "runs")
    run.end(signal.SIGKILL)
    check("the view of a killed run ends by itself", watch.end(0) == 0)
    news = run.until(lambda n: n["state"] == "cut")
    check("its own outlives it, and says so", news["state"] == "cut")
    # It has no other way to end but time: a page asked it.
    found = [entry for entry in os.listdir("/proc") if entry.isdigit() and is_child(entry, "killed")]
    for entry in found:
        os.kill(int(entry), signal.SIGTERM)
    check("and a signal ends that", len(found) == 1)


def is_child(process, folder):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read().split(b"\0")[:5] == [repose.encode(), b"run", b"scene.yaml", b"-o", folder.encode()] \
                and os.readlink(f"/proc/{process}/cwd") == os.path.realpath(work)
    except OSError:
        return False


def nobody_looks():
    run = Command("run", "scene.yaml", "-o", "alone", "--view", "--quiet")
    check("without a page the command ends with its run", run.end(0) == 0)
    check("with the same results", results("alone") == results("plain"))
    run = Command("run", "wrong.yaml", "-o", "wrong", "--view")
    check("and with a scene that is wrong", run.end(0) == 1)


finished_run()
several_and_ports()
broken()
going_on()
within_a_write()
written_often()
stopped()
killed()
nobody_looks()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
