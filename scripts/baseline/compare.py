#!/usr/bin/env python3
"""Asks two builds of dg the requests of requests.json and prints how their answers differ.

Usage: scripts/baseline/compare.py DG_A DG_B [FOLDER FOR ALL ANSWERS]

Each build gets a PostgreSQL of its own in a temporary folder, with the same ids, labels and keys.
Both are asked in the same order, changes included. What differs by chance is masked.

In requests.json {fork.busy} is an id, {key.reader} a key's id, {token.reader} the key, {etag} the
last ETag, {code} one of two-step verification. A form is sent with the hidden fields of its page;
of a repeated request the last answer is compared.
"""
import atexit, base64, datetime, difflib, gzip, hashlib, hmac, http.client, json, os, pathlib
import random, re, shutil, struct, subprocess, sys, tempfile, time, urllib.parse, uuid

HERE = pathlib.Path(__file__).parent
HOST = "localhost:8080"  # of the base URL of both
TOTP = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
MINUTE = datetime.timedelta(minutes=1)
known = set()  # ids that are the same in both


def fill(text, etag=""):
    def value(found):
        kind, _, name = found[1].partition(".")
        if kind in ("etag", "code"):
            return etag if kind == "etag" else code()
        fixed = str(uuid.uuid5(uuid.NAMESPACE_DNS, found[1]))
        if kind in ("key", "token"):
            fixed = f"{name:0<22}"
        known.add(fixed)
        return f"dg_live_{fixed}_{name:1<49}" if kind == "token" else fixed
    return re.sub(r"\{([a-z]+(?:\.[a-z0-9]+)*)\}", value, text)


def code():
    mac = hmac.digest(base64.b32decode(TOTP), struct.pack(">Q", int(time.time()) // 30), "sha1")
    return f"{(struct.unpack_from('>I', mac, mac[-1] & 15)[0] & 0x7FFFFFFF) % 1_000_000:06}"


def play(fork, player, at, chance, i):
    skills = [{"skillId": s, "attempts": 5, "correct": chance.randrange(6)} for s in chance.sample(
        ["prompting.context", "data.quality.missing", "ai.critical.bias"], chance.randrange(4))]
    p = {"type": "play", "id": f"{{play.{fork}.{i}}}", "forkId": f"{{fork.{fork}}}",
         "playerId": player, "startedAt": at.isoformat() + "Z", "skills": skills}
    if i % 3:
        p["releaseNumber"] = 1 + i % 2
    if i % 9:  # completed
        end, score = at + MINUTE * (chance.randrange(60_000) / 1000), chance.randrange(10_001)
        p |= {"completedAt": end.isoformat() + "Z", "scorePercent": score / 100,
              "passed": score >= 6000}
    return p


def data(plan):
    """The objects of the plan, then players, groups and plays."""
    chance, day = random.Random(1), MINUTE * 1440
    yield from plan["objects"]
    for org, count in plan["players"].items():
        for i, name in enumerate((plan["names"] + [f"Player {i}" for i in range(count)])[:count]):
            yield {"type": "player", "id": f"{{player.{org}{i}}}", "displayName": name,
                   "organisationId": f"{{org.{org}}}"}
    for name, (org, first, last) in plan["groups"].items():
        yield {"type": "group", "id": f"{{group.{name}}}", "organisationId": f"{{org.{org}}}",
               "name": name, "playerIds": [f"{{player.{org}{i}}}" for i in range(first, last)]}
    for fork, (org, players, count) in plan["plays"].items():
        for i in range(count):
            at = datetime.datetime(2025, 9, 1) + day * (chance.randrange(400 * 10**6) / 10**6)
            if i < 4:  # both sides of a midnight
                at = datetime.datetime(2026, 3, 1 + i // 2) - (i % 2) * day / 86_400_000
            yield play(fork, f"{{player.{org}{chance.randrange(players)}}}", at, chance, i)


def keys(plan):
    for name, (org, scopes, expires, revoked) in plan["keys"].items():
        yield f"""insert into api_keys (id, org_id, name, scopes, secret_hash, created_at,
            created_by, creator_name, expires_at, revoked_at) values ('{{key.{name}}}',
            '{{org.{org}}}', 'Key {name}', string_to_array('{scopes}', ','),
            sha256('{name:1<49}'), '2026-01-02', 'baseline', 'Baseline', {expires}, {revoked});"""


class Program:
    """A build of dg on its own PostgreSQL."""

    def __init__(self, binary, folder, plan, port):
        self.binary, self.folder, self.port, self.etag, self.cookies = binary, folder, port, "", {}
        os.makedirs(folder)
        self.log, user = open(folder + "/log", "w"), {"cwd": folder}
        if os.getuid() == 0:  # PostgreSQL does not run as root
            user |= {"user": "nobody", "group": "nogroup", "extra_groups": []}
            shutil.chown(folder, "nobody")
        env = {k: v for k, v in os.environ.items() if not k.startswith(("DG_", "PG"))}
        self.env = env | {"PGHOST": folder, "PGUSER": "postgres", "OWNER_PASSWORD": "o",
                          "APP_PASSWORD": "a", "DG_LOG_LEVEL": "error"}
        self.run("initdb", "-D", "data", "-U", "postgres", "-E", "UTF8", "-A", "trust", "-N",
                 "--locale=C", "--lc-ctype=C.UTF-8", **user)
        postgres = subprocess.Popen(
            ["postgres", "-D", "data", "-h", "", "-k", folder, "-F", "-c", "timezone=UTC"],
            stdout=self.log, stderr=self.log, **user)
        self.end(postgres)
        while subprocess.run(["pg_isready", "-q"], env=self.env).returncode:
            time.sleep(0.1)
        self.run("sh", HERE / "../../configs/deploy/roles.sh")
        self.database = [f"--{option}=postgres://{role}@/dg?host={folder}" for option, role in (
            ("database-url", "dg_app"), ("migrate-database-url", "dg_owner"))]
        self.run(binary, "migrate", *self.database)
        self.change({"import": data(plan)})
        self.change({"sql": "".join(keys(plan))})
        server = subprocess.Popen(
            [binary, "serve", *self.database, f"--addr=127.0.0.1:{port}", "--ops-addr=127.0.0.1:0",
             f"--base-url=http://{HOST}"], env=self.env, stderr=self.log, stdout=subprocess.PIPE)
        self.end(server)
        if not any(b"Serving on" in line for line in server.stdout):
            sys.exit(f"{binary} does not serve")

    def end(self, child):
        atexit.register(child.wait)
        atexit.register(child.terminate)

    def run(self, *command, stdin="", **options):
        subprocess.run(command, input=stdin, env=self.env, text=True, check=True, stdout=self.log,
                       **options)

    def change(self, step):
        if "sql" in step:
            self.run("psql", "-qX", "-v", "ON_ERROR_STOP=1", "-d", "dg", stdin=fill(step["sql"]))
        if "import" in step:
            lines = (fill(json.dumps(o)) + "\n" for o in step["import"])
            self.run(self.binary, "import", "-", *self.database, stdin="".join(lines))

    def ask(self, r, number=0):
        who, body, path = r.get("as", ""), "", fill(r["path"])
        headers = {"Host": HOST, "X-Request-Id": f"baseline-{number:04}"}
        if "@" in who:
            cookies = "; ".join(f"{k}={v}" for k, v in self.cookies.get(who, {}).items())
            headers |= {"Sec-Fetch-Site": "same-origin", "Accept": "text/html", "Cookie": cookies}
        elif who:
            headers["Authorization"] = f"Bearer {{token.{who}}}"
        if "form" in r:
            page = self.ask({"as": who, "path": r["path"]})[2].decode()
            hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)
            body = fill(urllib.parse.urlencode(dict(hidden) | r["form"], safe="{}"))
            headers |= {"Content-Type": "application/x-www-form-urlencoded",
                        "Content-Length": str(len(body))}
        headers |= r.get("headers", {})
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        c.putrequest(r.get("method", "POST" if "form" in r else "GET"), path, skip_host=True,
                     skip_accept_encoding=True)
        for name, value in headers.items():
            for one in fill(value, self.etag).split("\n"):
                c.putheader(name, one)
        c.endheaders(body.encode())
        answer = c.getresponse()
        content = answer.read()
        c.close()
        self.etag = answer.headers.get("ETag", self.etag)
        for cookie in answer.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.split(";")[0].partition("=")
            self.cookies.setdefault(who, {})[name] = value
        if answer.headers.get("Content-Encoding") == "gzip" and content:
            content = gzip.decompress(content)
        return answer.status, answer.headers, content


def seen(answer, shown):
    """An answer without ids that the program draws, times of now and revisions of files."""
    status, headers, content = answer
    lines = [str(status)] + ["ETag"] * ("ETag" in headers)
    lines += [f"{h}: {', '.join(headers.get_all(h))}" for h in shown if h in headers]
    text = "\n".join(lines) + "\n\n" + content.decode("utf-8", "backslashreplace")
    now = datetime.datetime.now(datetime.timezone.utc)
    for day in (now, now - datetime.timedelta(days=1)):
        text = re.sub(rf"{day:%Y-%m-%d}[T ][0-9:.]+Z?|{day.day} {day:%b %Y}, [0-9:]+", "NOW", text)
    text = re.sub(r"(Retry-After: |in )\d+( seconds?)?", r"\1N", text) if status == 429 else text
    text = re.sub(r"dg_live_(\w{22})_\w+", lambda m: m[0] if m[1] in known else "KEY", text)
    text = re.sub(r"\bE?\d{14,20}\b|(?<=…)\w{6}\b|(?<=/static/)[\w./?=-]+", "ID", text)
    return re.sub(r"(?<![\w-])([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-Za-z]{22})(?![\w-])",
                  lambda m: m[0] if m[0] in known else "ID", text)


def compare(plan, programs, saved):
    asked, found = 0, {}  # the requests of each difference
    for step in plan["requests"]:
        for p in programs:
            p.change(step)
        if "path" not in step:
            continue
        asked += 1
        answers = [[p.ask(step, asked) for p in programs] for _ in range(step.get("repeat", 1))]
        a, b = (seen(answer, plan["headers"]) for answer in answers[-1])
        if "csv" in step["path"]:  # the entry of its end follows the answer
            time.sleep(0.3)
        name = f"{asked:03} {step.get('as', '-')} {step.get('method', '')} {step['path']}"
        for side, text in zip("ab", (a, b)) if saved else ():
            pathlib.Path(saved, f"{asked:03}.{side}").write_text(name + "\n" + text)
        if a != b:
            lines = list(difflib.unified_diff(a.splitlines(), b.splitlines(), n=0, lineterm=""))
            lines = tuple(line for line in lines[2:] if not line.startswith("@@"))
            found.setdefault(lines, []).append(name)
    for lines, names in found.items():
        print("==", *names, *(line[:300] for line in lines[:20]), sep="\n")
    differ = sum(map(len, found.values()))
    print(f"{asked} requests, {differ} different")
    return differ


def main(a, b, saved=None):
    plan = json.loads((HERE / "requests.json").read_text())
    folder = tempfile.mkdtemp(prefix="dg-baseline-")
    os.chmod(folder, 0o755)
    atexit.register(shutil.rmtree, folder)
    return compare(plan, [Program(os.path.abspath(binary), f"{folder}/{i}", plan, 28080 + i)
                          for i, binary in enumerate((a, b))], saved) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
