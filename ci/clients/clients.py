"""The clients: what their cases are, how a case is run and its outcome told."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import xml.etree.ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

# Seconds a case may take before it counts as hanging, and those that a large one may.
LIMIT = 120
LONG_LIMIT = 600


@dataclass
class Client:
    name: str
    about: str
    # (folder, environment, jobs, logs) -> rows of (case, outcome, note)
    run: Callable


def call(argv, env, cwd, log, limit=LIMIT):
    """Runs a program to its end or limit; gives its exit status (None: it was stopped) and output."""
    with open(log, "wb") as out:
        process = subprocess.Popen(
            argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = None
    return status, log.read_text(errors="replace")


def ended(status):
    """Why a status is a failure, or None."""
    if status is None:
        return "hangs"
    if status < 0:
        return f"killed by {signal.Signals(-status).name}"
    return f"exit status {status}" if status else None


def in_parallel(jobs, cases, run):
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(run, cases))


# --- clinfo, clpeak -----------------------------------------------------------------------------------


def clinfo(folder, env, jobs, logs):
    rows = []
    for case, flags in (("human", []), ("raw", ["--raw"]), ("list", ["--list"])):
        status, output = call([folder / "root/usr/bin/clinfo", *flags], env, folder, logs / f"{case}.log")
        wrong = re.search(r".*(\berror\b(?! Correction)|CL_INVALID|CL_OUT_OF).*", output, re.IGNORECASE)
        note = ended(status) or (wrong and wrong.group().strip()) or ""
        rows.append((case, "fail" if note else "pass", note))
    return rows


def clpeak(folder, env, jobs, logs):
    """Its measurements of the host side; those of arithmetic would measure an interpreter for hours."""
    rows = []
    for case in ("transfer-bandwidth", "kernel-latency"):
        status, output = call([folder / "root/usr/bin/clpeak", f"--{case}"], env, folder, logs / f"{case}.log", 300)
        note = ended(status) or ("clCreate" in output and "an error is printed") or ""
        rows.append((case, "fail" if note else "pass", note))
    return rows


# --- this repository's own ----------------------------------------------------------------------------


def behaviours(folder, env, jobs, logs):
    """The program that the runtime's tests run on Touchstone."""
    source = Path(__file__).parents[2] / "runtime/opencl/tests/clients/behaviours.c"
    flags = ["-std=gnu11", "-O1", "-pthread", "-DCL_USE_DEPRECATED_OPENCL_1_2_APIS", "-Wno-deprecated-declarations"]
    program = folder / "behaviours"
    status, output = call(["gcc", *flags, source, "-o", program, "-l:libOpenCL.so.1"], env, folder, logs / "gcc.log")
    if status != 0:
        return [("build", "fail", output[:200])]
    _, output = call([program], env, folder, logs / "behaviours.log", 1800)
    words = [line.split(" ", 2) for line in output.splitlines() if line.startswith(("pass ", "fail ", "skip "))]
    return [(word[1], word[0], word[2] if len(word) > 2 else "") for word in words]


# --- piglit -------------------------------------------------------------------------------------------


def piglit_cases(home):
    for program in sorted((home / "bin").glob("cl-*")):
        # One is the engine of the program tests, the other needs a display.
        if program.name not in ("cl-program-tester", "cl-interop-egl_khr_cl_event2"):
            yield program.name, [program]
    for root in ("tests/cl", "generated_tests/cl"):
        for file in sorted([*(home / root).rglob("*.cl"), *(home / root).rglob("*.program_test")]):
            # The template has no test, and the image is part of another.
            if not file.name.startswith("template_program"):
                yield str(file.relative_to(home)), [home / "bin/cl-program-tester", file]


def piglit(folder, env, jobs, logs):
    home = folder / "root/usr/lib/x86_64-linux-gnu/piglit"

    def run(case):
        name, argv = case
        status, output = call(argv, env, home, logs / (name.replace("/", "_") + ".log"))
        results = [json.loads(line[8:]) for line in output.splitlines() if line.startswith("PIGLIT: ")]
        result = next((r["result"] for r in results if "result" in r), None)
        subtests = [(s, r) for entry in results for s, r in entry.get("subtest", {}).items()]
        failed = [s for s, r in subtests if r not in ("pass", "skip")]
        if result == "skip":
            return name, "skip", ""
        # The engine exits with 1 when a test fails, which its result says better.
        note = (ended(status) if status != 1 or not result else None) or ""
        if result != "pass":
            note = note or "; ".join(failed[:5]) or f"result {result}"
        return name, "fail" if note else "pass", note

    return in_parallel(jobs, list(piglit_cases(home)), run)


# --- libraries for linear algebra and transforms -------------------------------------------------------


def clblast(folder, env, jobs, logs):
    """CLBlast's own tests: one program a routine, which compares with a BLAS on the host."""

    def run(program):
        name = program.name.removeprefix("clblast_test_")
        status, output = call([program], env, folder, logs / f"{name}.log", LONG_LIMIT)
        counts = {
            word: sum(map(int, re.findall(rf"(\d+) test\(s\) {word}", output))) for word in ("passed", "failed")
        }
        if counts["failed"]:
            note = f"{counts['failed']} failed, {counts['passed']} passed"
        else:
            note = ended(status) or ("" if counts["passed"] else "no test ran")
        return name, "fail" if note else "pass", note

    return in_parallel(jobs, sorted((folder / "root/usr/bin").glob("clblast_test_*")), run)


# What clFFT's client transforms and compares with what it knows: lengths of each radix but 11, where its
# results are wrong on every implementation; one to three dimensions; layouts (1 interleaved, 2 planar,
# 3 hermitian, 5 real); batches; double precision.
TRANSFORMS = (
    "-x 1024",
    "-x 1000 -b 3",
    "-x 2187",
    "-x 2401 --inv",
    "-x 169",
    "-x 625 --double",
    "-x 65536",
    "-x 64 -y 64",
    "-x 27 -y 5",
    "-x 16 -y 16 -z 16 --inLayout 2 --outLayout 2 -o",
    "-x 1024 --inLayout 5 --outLayout 3 -o",
    "-x 128 -y 32 --inLayout 3 --outLayout 5 -o --double",
)


def clfft(folder, env, jobs, logs):
    def run(transform):
        log = logs / (transform.replace(" ", "") + ".log")
        status, output = call([folder / "root/usr/bin/clFFT-client", *transform.split()], env, logs, log)
        note = ended(status) or ("" if "*****PASS*****" in output else "the result is wrong")
        return transform, "fail" if note else "pass", note

    return in_parallel(jobs, TRANSFORMS, run)


# --- hashcat ------------------------------------------------------------------------------------------

# Its number of an algorithm, and a function of Python's hashlib where that has it.
ALGORITHMS = (("0", "md5"), ("100", "sha1"), ("1300", "sha224"), ("1400", "sha256"), ("10800", "sha384"), ("1700", "sha512"))


def hashcat(folder, env, jobs, logs):
    """Finds a password of eight letters, six of them given, by its hash. Its kernels write to buffers that
    it made CL_MEM_READ_ONLY, which Touchstone allows where it is told to."""
    home = logs / "home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    # It looks for its files beside its program.
    for file in (folder / "root/usr/share/hashcat").iterdir():
        (home / file.name).symlink_to(file.resolve())
    (home / "modules").unlink(missing_ok=True)
    (home / "modules").symlink_to(folder / "root/usr/lib/hashcat/modules")
    shutil.copy(folder / "root/usr/bin/hashcat", home)
    env = dict(env, HOME=str(home), TOUCHSTONE_READ_ONLY_WRITES="allow")

    def run(algorithm):
        number, name = algorithm
        text = hashlib.new(name, b"password").hexdigest()
        argv = [home / "hashcat", "-m", number, "-a", "3", "-D", "1,2", "--force", "--potfile-disable", text, "passwo?l?l"]
        status, output = call(argv, env, home, logs / f"{name}.log", LONG_LIMIT)
        found = f"{text}:password" in output
        note = "" if found and status == 0 else ended(status) or "the password is not found"
        return name, "fail" if note else "pass", note

    # Two at a time would find the other's session.
    return [run(algorithm) for algorithm in ALGORITHMS]


# --- Python test suites -------------------------------------------------------------------------------


def pytest(folder, env, jobs, logs, tests):
    """A Python suite; a test that hangs or crashes takes one worker process with it, and is a failure."""
    report = logs / "report.xml"
    report.unlink(missing_ok=True)
    argv = [folder / "venv/bin/python", "-P", "-m", "pytest", "-q", "-n", str(jobs), "--timeout", str(LONG_LIMIT)]
    argv += ["--timeout-method", "thread", "--max-worker-restart", "1000", "-p", "no:cacheprovider"]
    argv += ["-o", "junit_family=xunit1", f"--junit-xml={report}", "."]
    status, _ = call(argv, env, tests, logs / "pytest.log", 7200)
    if not report.exists():
        return [("suite", "fail", ended(status) or "no report")]
    rows = []
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        # The device's name is part of the name of a parametrized test.
        name = re.sub(r"<context factory for .*?>>|<[^<>]*(<[^<>]*>)?[^<>]*>", "device", case.get("name"))
        name = case.get("classname").split(".")[-1] + "::" + name
        outcome, note = "pass", ""
        for child in case:
            if child.tag in ("failure", "error"):
                outcome, note = "fail", (child.get("message") or "").splitlines()[0:1]
            elif child.tag == "skipped":
                outcome, note = "skip", (child.get("message") or "").splitlines()[0:1]
        rows.append((name, outcome, " ".join(note)[:200] if note else ""))
    return rows


def pyopencl(folder, env, jobs, logs):
    # Some of the tests are about the cache, which begins empty.
    cache = logs / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    env = dict(env, PYOPENCL_TEST="0:0", XDG_CACHE_HOME=str(cache))
    return pytest(folder, env, jobs, logs, next(folder.glob("sources/pyopencl-*/test")))


# Those of pyopencl's examples that need no display, no further package and no user.
EXAMPLES = (
    "demo.py demo_array.py demo_array_svm.py demo_elementwise.py demo_elementwise_complex.py demo_meta_template.py "
    "demo-struct-reduce.py dump-performance.py dump-properties.py narray.py svm.py transpose.py"
).split()


def pyopencl_examples(folder, env, jobs, logs):
    env = dict(env, PYOPENCL_CTX="0:0", PYOPENCL_NO_CACHE="1")
    home = next(folder.glob("sources/pyopencl-*/examples"))

    def run(name):
        status, output = call([folder / "venv/bin/python", "-P", name], env, home, logs / f"{name}.log")
        last = output.strip().splitlines()[-1:] or [""]
        note = ended(status)
        return name, "fail" if note else "pass", f"{note}: {last[0][:150]}" if note else ""

    return in_parallel(jobs, EXAMPLES, run)


CLIENTS = {
    client.name: client
    for client in (
        Client("clinfo", "every query, as text; a line with an error is a failure", clinfo),
        Client("clpeak", "measures kernel latency and transfers", clpeak),
        Client("behaviours", "this repository's own checks of commands, memory and queries", behaviours),
        Client("clblast", "CLBlast's tests of each routine in each precision", clblast),
        Client("clfft", "transforms by clFFT's client, which checks them", clfft),
        Client("hashcat", "finds a password by its hash, with several hash functions", hashcat),
        Client("pyopencl", "the tests of its source distribution", pyopencl),
        Client("pyopencl-examples", "the examples of its source distribution that run on their own", pyopencl_examples),
        Client("piglit", "its OpenCL tests: entry points, the language, the built-in functions", piglit),
    )
}
