# SPDX-License-Identifier: Apache-2.0
"""ci.py - the recipes of share/ci: their steps are run as GitHub and GitLab would, over made traces
and a tarball that holds the nprof of the build."""

import hashlib
import http.server
import json
import os
import re
import shlex
import subprocess
import textwrap
import threading
import xml.etree.ElementTree as xml

from harness import NPROF, check, check_same, main, read, run, test, write

LIMITS = 'step < 230us\n\n  busy > 40%\n'


def recipe(*names):
    return read(os.path.join(os.environ['NPROF_SOURCE'], 'share', 'ci', *names)).decode()


def trace(name, length):
    """Three steps, of which a kernel takes a half each."""
    events = []
    for n in range(3):
        at, half = n * length, length // 2
        told = {'device': 0, 'stream': 7, 'correlation': n}
        for at, took, tid, what, cat, args in (
            (at, length, 1, f'ProfilerStep#{n}', 'user_annotation', {}),
            (at + half - 4, 2, 1, 'cudaLaunchKernel', 'cuda_runtime', {'correlation': n}),
            (at + half, half + 2, 7, 'gemm', 'kernel', told),
        ):
            event = {'ph': 'X', 'pid': 0, 'tid': tid, 'ts': at, 'dur': took}
            events.append({**event, 'name': what, 'cat': cat, 'args': args})
    os.makedirs(os.path.dirname(name) or '.', exist_ok=True)
    return write(name, json.dumps({'traceEvents': events}))


def program(name, text):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    write(name, '#!/bin/sh\n' + text)
    os.chmod(name, 0o755)


def tarball():
    program('made/nprof-0-linux/bin/nprof', f'exec {shlex.quote(os.path.abspath(NPROF))} "$@"\n')
    subprocess.check_call(['tar', '-C', 'made', '-czf', 'nprof.tar.gz', 'nprof-0-linux'])
    return os.path.abspath('nprof.tar.gz')


def blocks(text):
    """Returns the scripts of a recipe that have several lines."""
    found = re.findall(r'^( *)(?:- |run: )\|\n((?:\1 .*\n|\n)+)', text, re.M)
    return [textwrap.dedent(script) for _, script in found]


# -- GitHub --------------------------------------------------------------------


class Runner:
    """Runs the steps of action.yml: replaces what stands in ${{ }}, and reads what steps write."""

    def __init__(self, folder, **inputs):
        text = recipe('github', 'action.yml')
        declared = re.findall(
            r"^  ([\w-]+): {{ (?:default: '?([^',]*)'?|required)".replace('{{', '{'), text, re.M
        )
        self.values = {f'inputs.{name}': value for name, value in declared}
        for name, value in inputs.items():
            check(f'inputs.{name.replace("_", "-")}' in self.values, f'{name} is no input')
            self.values[f'inputs.{name.replace("_", "-")}'] = value
        self.values['github.token'] = 'token'
        self.folder, self.files = folder, {}
        for name in ('GITHUB_PATH', 'GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY'):
            self.files[name] = os.path.join(folder, name)
            write(self.files[name], '')
        self.steps = text.partition('  steps:\n')[2].split('    - name: ')[1:]

    def step(self, text):
        path = read(self.files['GITHUB_PATH']).decode().split()
        env = {
            **os.environ,
            **self.files,
            'RUNNER_TEMP': os.path.join(self.folder, 'temp'),
            'PATH': ':'.join([os.path.join(self.folder, 'stands'), *path, os.environ['PATH']]),
            'NPROF_PLUGIN_PATH': '',
        }
        for name, what in re.findall(r'^        (\w+): \${{ (\S+) }}$', text, re.M):
            env[name] = self.values[what]
        (script,) = blocks(text)
        done = subprocess.run(
            ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
            cwd=self.folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        for line in read(self.files['GITHUB_OUTPUT']).decode().splitlines():
            name, _, value = line.partition('=')
            self.values[f'steps.profile.outputs.{name}'] = value
        return done

    def run(self):
        """Returns the status of the first step that fails, and what it said."""
        for text in self.steps:
            needs = re.search(r"^      if: (\S+) != ''$", text, re.M)
            if needs and not self.values[needs.group(1)]:
                continue
            done = self.step(text)
            if done.returncode:
                return done.returncode, done.stdout + done.stderr
        return 0, ''


@test
def the_action_holds_limits_and_a_base(folder):
    nprof = tarball()
    base, new, slow = trace('base.json', 100), trace('new.json', 100), trace('slow.json', 300)
    stand = (
        'printf "%s\\n" "$*" >>said; case $* in *--edit-last*) exit 1 ;; esac; cat "$5" >comment\n'
    )
    program('stands/gh', stand)
    status, told = Runner(
        folder, nprof=nprof, profile=new, limits=LIMITS, base=base, comment='7'
    ).run()
    check_same(status, 0, told)
    report = read('nprof-report/report.md').decode()
    check_same(read('GITHUB_STEP_SUMMARY').decode(), report, 'the summary')
    check_same(read('comment').decode(), report, 'the comment')
    check_same(len(read('said').splitlines()), 2, 'a comment is edited, or made')
    for part in ('gemm', '230us', '40%'):
        check(part in report, f'{part} is not in {report}')
    check_same(xml.parse('nprof-report/gate.xml').getroot().get('failures', '0'), '0', 'JUnit')

    status, _ = Runner(folder, nprof=nprof, profile=slow, limits=LIMITS, comment='').run()
    check_same(status, 6, 'a limit is not met')
    check('NOT MET' in read('nprof-report/report.md').decode().upper(), 'it is said')
    status, _ = Runner(folder, nprof=nprof, profile=slow, base=base).run()
    check_same(status, 6, 'slower than the base')
    status, _ = Runner(folder, nprof=nprof, profile='none.json', limits=LIMITS).run()
    check_same(status, run('report', 'none.json').status, 'there is no profile')


@test
def without_a_base_nothing_is_compared(folder):
    status, told = Runner(folder, nprof=tarball(), profile=trace('a.json', 100), base='none').run()
    check_same(status, 0, told)
    check('No base yet (none)' in read('nprof-report/report.md').decode(), 'it is said')


@test
def a_tarball_is_taken_by_url_and_another_one_refused(folder):
    nprof = tarball()
    with open(nprof, 'rb') as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    new = trace('new.json', 100)
    url = f'file://{nprof}'
    status, told = Runner(folder, nprof=url, sha256=digest, profile=new).run()
    check_same(status, 0, told)
    status, _ = Runner(folder, nprof=nprof, sha256='0' * 64, profile=new).run()
    check_same(status, 1, 'another tarball')
    status, _ = Runner(folder, nprof=f'file://{folder}/none', profile=new).run()
    check(status != 0, 'a tarball that is not there')


@test
def the_workflow_names_inputs_of_the_action(_folder):
    used = recipe('github', 'workflow.yml').partition('actions/nprof\n')[2].partition('- name')[0]
    named = re.findall(r'^          ([\w-]+):', used, re.M)
    inputs = re.findall(r'^  ([\w-]+): {', recipe('github', 'action.yml'), re.M)
    check_same(sorted(set(named) - set(inputs)), [], 'unknown inputs')
    check({'nprof', 'profile', 'limits'} <= set(named), named)


# -- GitLab --------------------------------------------------------------------


@test
def the_job_of_gitlab_runs(folder):
    text = recipe('gitlab', 'nprof.yml')
    for name in ('base.json.gz', 'new/trace.json.gz'):
        trace(name, 100)
    commands = re.findall(r'^    - (nprof (?:report|gate|diff) .*)$', text, re.M)
    check_same([c.split()[1] for c in commands], ['report', 'gate', 'diff'], 'commands')
    for command in commands:
        script = f'{blocks(text)[0]}\n{command}'
        env = {**os.environ, 'NPROF_TARBALL': tarball(), 'NPROF_PLUGIN_PATH': ''}
        done = subprocess.run(
            ['sh', '-e', '-c', script],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        check_same(done.returncode, 6 if ' gate ' in command else 0, done.stderr)  # too long idle


class Gitlab(http.server.BaseHTTPRequestHandler):
    """Answers as the path says: /CODE/..., by a redirection first, as GitLab does where artifacts
    lie elsewhere."""

    def do_GET(self):
        moved = 'moved' not in self.path
        self.send_response(302 if moved else int(self.path.split('/')[1]))
        if moved:
            self.send_header('Location', f'{self.path}&moved')
        self.send_header('Content-Length', '4')
        self.end_headers()
        self.wfile.write(b'move' if moved else b'body')

    def log_message(self, *_arguments):
        pass


@test
def without_a_base_alone_nothing_is_compared(folder):
    """The script of the GitLab recipe: only a 404 leaves the comparison out, what else goes wrong
    fails the job."""
    text = read(
        os.path.join(os.environ['NPROF_SOURCE'], 'share', 'ci', 'gitlab', 'nprof.yml')
    ).decode()
    script = blocks(text)[1] + 'echo compared\n'
    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), Gitlab) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f'http://127.0.0.1:{server.server_port}'

        def outcome(code):
            names = {
                'CI_API_V4_URL': f'{place}/{code}',
                'CI_PROJECT_ID': '1',
                'CI_DEFAULT_BRANCH': 'main',
                'CI_JOB_TOKEN': 'x',
                'no_proxy': '*',
            }
            done = subprocess.run(
                ['sh', '-e', '-c', script],
                cwd=folder,
                env={**os.environ, **names},
                capture_output=True,
                text=True,
                check=False,
            )
            return (
                done.returncode,
                done.stdout.splitlines()[-1:] == ['compared'],
                done.stdout + done.stderr,
            )

        for code, status, compared in (
            (200, 0, True),
            (404, 0, False),
            (401, 1, False),
            (403, 1, False),
            (500, 1, False),
        ):
            check_same(outcome(code)[:2], (status, compared), f'HTTP {code}')
        check('no base yet' in outcome(404)[2] and '500' in outcome(500)[2], 'what is said')
        check_same(
            read(os.path.join(folder, 'base.json.gz')), b'body', 'the file behind the redirection'
        )
        server.shutdown()
    check_same(outcome(200)[:2], (1, False), 'nobody answers')


main()
