# SPDX-License-Identifier: Apache-2.0
"""sdk.py - the SDK keeps what its manual promises: the crate of Rust is the contract, examples are
short, a third party's finding stands in a report, and a decoder that knows nprof-semantics(7) alone
gets the verdict of its own trace.

Modules are those of the build, sdk/examples; expected times are reckoned here, from the lines of
the trace."""

import csv
import io
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import textwrap

from harness import Skip, check, check_same, main, read, run, test, write

SOURCE = os.environ['NPROF_SOURCE']
EXAMPLES = os.path.join(SOURCE, 'sdk', 'examples')
BUILT = os.path.join(os.environ['NPROF_BUILD'], 'sdk', 'examples')


def install(*names):
    """Puts examples into a folder of plugins, with their index and answers."""
    os.makedirs('plugins')
    for name in names:
        module = os.path.join(BUILT, name + '.so')
        if not os.path.exists(module):
            raise Skip(f'{name} is not built here')
        shutil.copy(module, 'plugins')
        if os.path.exists(os.path.join(EXAMPLES, name + '.plugin')):
            shutil.copy(os.path.join(EXAMPLES, name + '.plugin'), 'plugins')
        if os.path.isdir(os.path.join(EXAMPLES, name + '.answers')):
            shutil.copytree(os.path.join(EXAMPLES, name + '.answers'), f'plugins/{name}.answers')
    for at, _, files in os.walk('plugins'):
        for file in files:
            os.chmod(os.path.join(at, file), 0o755)
        os.chmod(at, 0o755)
    return {'NPROF_PLUGIN_PATH': os.path.abspath('plugins')}


@test
def rust_has_the_contract(_folder):
    """raw.rs is what generate.py makes of plugin.h and layout.txt."""
    made = subprocess.run(
        [sys.executable, '-B', os.path.join(SOURCE, 'sdk', 'rust', 'generate.py')],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    check_same(
        read(os.path.join(SOURCE, 'sdk', 'rust', 'src', 'raw.rs')).decode(),
        made,
        'sdk/rust/src/raw.rs is not what python3 sdk/rust/generate.py prints',
    )
    check(
        'pub cancelled: Option<unsafe extern "C" fn(*const nprof_host) -> c_int>,' in made,
        'members of the host',
    )


@test
def python_has_the_contract(_folder):
    """nprof_raw.py is what generate.py makes of plugin.h and layout.txt."""
    made = subprocess.run(
        [sys.executable, '-B', os.path.join(SOURCE, 'sdk', 'python', 'generate.py')],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    check_same(
        read(os.path.join(SOURCE, 'sdk', 'python', 'nprof_raw.py')).decode(),
        made,
        'sdk/python/nprof_raw.py is not what python3 sdk/python/generate.py prints',
    )


@test
def bindings_lack_nothing(_folder):
    """Each member of a struct, each constant and each well-known key of the headers is in both, as
    the test of the ABI reads them; C++ includes the headers themselves."""
    sys.path.append(os.path.join(SOURCE, 'tests', 'abi'))
    import declared

    def source(*path):
        return read(os.path.join(SOURCE, *path)).decode()

    header = declared.Header(source('include', 'nprof', 'plugin.h'))
    keys = re.findall(r'^#define NPROF_(KEY_\w+)\s', source('include', 'nprof', 'keys.h'), re.M)
    check(len(header.structs['struct nprof_host']) > 30 and len(keys) > 40, 'what was read')
    rust = source('sdk', 'rust', 'src', 'raw.rs')
    python = source('sdk', 'python', 'nprof_raw.py')
    lost = []
    for struct, members in header.structs.items():
        name = struct.split()[-1]
        in_rust = re.search(rf'^pub (?:struct|union) {name} {{\n(.*?)^}}', rust, re.M | re.S)
        in_python = re.search(rf'^{name}\._fields_ = \[\n(.*?)^\]', python, re.M | re.S)
        for member in members:
            if not in_rust or not re.search(rf'pub {member}_?:', in_rust[1]):
                lost.append(f'raw.rs: {name}.{member}')
            if not in_python or f"('{member}'," not in in_python[1]:
                lost.append(f'nprof_raw.py: {name}.{member}')
    for name in [one[len('NPROF_') :] for one in header.constants] + keys:
        if f'\npub const NPROF_{name}: ' not in rust:
            lost.append(f'raw.rs: NPROF_{name}')
        if f'\n{name} = ' not in python:
            lost.append(f'nprof_raw.py: {name}')
    check_same(lost, [], 'what the bindings lack')
    hpp = source('sdk', 'nprof', 'plugin.hpp') + source('sdk', 'nprof', 'sdk.h')
    check('<nprof/plugin.h>' in hpp and '<nprof/keys.h>' in hpp, 'headers of plugin.hpp')


@test
def an_attribute_of_cpp_says_its_type(_folder):
    """A handle of a string and a truth would be numbers; the compiler names what writes them."""
    compiler = shutil.which('c++')
    if not compiler:
        raise Skip('there is no compiler of C++')
    rows = 'void f (nprof::Writer &w, nprof_str s) { %s; }'
    for call, named in (
        ('w.attr_str (s, s), w.attr_bool (s, true), w.attr (s, 1.5)', None),
        ('w.attr (s, s)', 'attr_str'),
        ('w.attr (s, true)', 'attr_bool'),
    ):
        write('a.cpp', '#include <nprof/plugin.hpp>\n' + rows % call)
        words = [compiler, '-std=c++17', '-fsyntax-only', f'-I{SOURCE}/include', f'-I{SOURCE}/sdk']
        told = subprocess.run([*words, 'a.cpp'], capture_output=True, text=True, check=False)
        check(
            named in told.stderr if named else told.returncode == 0, f'{call}: {told.stderr[:2000]}'
        )


# A decoder whose rows are what it is told to do: the text behind "#acme ".
ACME = """import sys
import nprof_plugin as nprof

nprof.plugin('acme', '1', 'MIT')

@nprof.decoder('acme.does', 'does what the file says', 'text')
class Does:
    def __init__(self, host, options):
        self.host = host

    @staticmethod
    def probe(head, path):
        return 90 if head.startswith(b'#acme ') else 0

    def decode(self, data):
        w, host = self.host.writer(), self.host
        track = host.track(nprof.TRACK_THREAD, 'a')
        exec(bytes(data[6:]).decode())
"""


def python_does(text, status, why, library=None):
    """Builds it once, and runs that text within decode."""
    if not os.path.exists('plugins/acme.so'):
        os.makedirs('plugins', mode=0o755, exist_ok=True)
        write('acme.py', ACME)
        tool = os.path.join(SOURCE, 'sdk', 'python', 'nprof_to_c.py')
        made = subprocess.run(
            [sys.executable, '-B', tool, 'acme.py'], capture_output=True, text=True, check=True
        ).stdout
        if library:
            made = re.sub(r'"[^" ]*libpython3[^" ]*"', f'"{library}"', made)
        write('acme.c', made)
        flags = f'-shared -fPIC -I{SOURCE}/include -o plugins/acme.so acme.c -ldl -lpthread'
        subprocess.run(f'{os.environ["NPROF_CC"]} {flags}', shell=True, check=True)
        os.chmod('plugins/acme.so', 0o755)
    write('in.acme', '#acme ' + text)
    env = {'NPROF_PLUGIN_PATH': os.path.abspath('plugins')}
    args = ['run', '-d', 'acme.does', '-s', 'csv:table=events', '-o', '-', 'in.acme']
    result = run(*args, env=env)
    if not library and 'whose library is not here' in result.err:
        raise Skip('libpython3 is not here')
    return result.expect(status, err=f'*{why}*' if why else '')


@test
def what_the_python_module_shows_is_a_plugin(_folder):
    page = read(os.path.join(SOURCE, 'sdk', 'python', 'nprof_plugin.py')).decode()
    shown = re.search(r'^    import nprof_plugin.*?(?=^    python3 )', page, re.M | re.S)[0]
    write('names.py', textwrap.dedent(shown))
    tool = os.path.join(SOURCE, 'sdk', 'python', 'nprof_to_c.py')
    flags = f'-shared -fPIC -I{SOURCE}/include -o names.so names.c -ldl -lpthread'
    made = f'{sys.executable} -B {tool} names.py >names.c && {os.environ["NPROF_CC"]} {flags}'
    subprocess.run(made, shell=True, check=True)
    result = run('check', '--time-limit', '20', '--rule', 'variations', 'names.so')
    if 'whose library is not here' in result.out + result.err:
        raise Skip('libpython3 is not here')
    shows = ['pass  sink acme.names: variations', 'pass  analyzer acme.longest: variations']
    result.expect(0, out=shows)


@test
def python_fails_by_its_line(_folder):
    """What is raised, that it ends, and numbers that do not fit: a failure of the run, never more
    or less."""
    said = python_does("w.span(track, host.intern('x'), 5000, 2500)", 0, '')
    check_same(len(said.out.splitlines()), 2, said.out)
    begun = "w.span(track, host.intern('x'), 1, 1); w.attr(host.intern('n'), "
    said = python_does(begun + '(1 << 64) - 1, nprof.UINT64)', 0, '')
    check('""n"":18446744073709551615' in said.out, said.out)
    for text, status, why in (
        (begun + '1 << 63)', 5, '9223372036854775808: no attribute that fits 64 bits'),
        (begun + '1 << 64, nprof.UINT64)', 5, 'no attribute that fits 64 bits'),
        ('1 / 0', 5, 'ZeroDivisionError: division by zero (acme.py, line 18)'),
        ('sys.exit(0)', 5, 'SystemExit: 0'),
        ("host.fail(nprof.E_FORMAT, 'byte 7: no')", 2, 'byte 7: no'),
        ("w.span(track, host.intern('x'), 1 << 70, 1)", 5, 'no time that fits int64'),
        ("w.span(track, 987654321, 1, 1)", 5, 'the name 987654321, which intern never returned'),
    ):
        result = python_does(text, status, why)
        check('Traceback' not in result.err, result.err)


@test
def python_that_is_missing_is_said(_folder):
    python_does('pass', 2, 'whose library is not here: install libpython3', '/nowhere/libpython.so')


def code_of(name):
    """The lines of an example without empty ones and comments of their own lines."""
    text = read(os.path.join(EXAMPLES, name)).decode()
    text = re.sub(r'^ */\*.*?\*/$|^ *//[^\n]*$', '', text, flags=re.MULTILINE | re.DOTALL)
    return [line for line in text.splitlines() if line.strip()]


@test
def examples_are_short(_folder):
    """A useful sink has 30 lines at most, in Rust 60, an analyzer with a finding 60."""
    page = read(os.path.join(EXAMPLES, 'README.md')).decode()
    listed = re.findall(r'^\| `([\w.-]+)`.*? \| (sink|analyzer|decoder)', page, re.MULTILINE)
    check_same(
        sorted(name for name, _ in listed),
        sorted(n for n in os.listdir(EXAMPLES) if re.search(r'\.(c|cpp|rs)$', n)),
        'examples of README.md',
    )
    for name, kind in listed:
        most = {'sink': 60 if name.endswith('.rs') else 30, 'analyzer': 60}.get(kind)
        lines = len(code_of(name))
        if most:
            check(lines <= most, f'{name} has {lines} lines, {most} at most are meant')


# -- The trace: five steps of 10 ms ------------------------------------------------

STEPS = 5
WORK = [
    ('compute', 100, 4000, 'gemm'),
    ('communication', 3100, 3000, 'all_reduce'),
    ('transfer', 6200, 1500, 'load'),
]


def worklog():
    lines = ['#worklog']
    for step in range(STEPS):
        begin = step * 10000
        lines.append(f'step {step} {begin} 10000')
        for i, (kind, start, duration, name) in enumerate(WORK):
            lines.append(f'call {step * 10 + i + 1} {begin + 10 + 20 * i} 10 launch {name}')
            lines.append(f'{kind} {step * 10 + i + 1} {begin + start} {duration} {name}')
        lines.append(f'block {step * 10 + len(WORK)} {begin + 200} 7500.5 synchronize')
    write('a.worklog', '\n'.join(lines) + '\n')


def reckoned():
    """us of a step, each moment counted for the first of compute, communication, copies that is
    under way."""
    parts = dict.fromkeys(('compute', 'communication', 'copies', 'idle'), 0)
    for us in range(0, 10000, 50):
        under_way = [kind for kind, start, duration, _ in WORK if start <= us < start + duration]
        for kind, part in (
            ('compute', 'compute'),
            ('communication', 'communication'),
            ('transfer', 'copies'),
        ):
            if kind in under_way:
                parts[part] += 50
                break
        else:
            parts['idle'] += 50
    return parts


def table(name, env, *words):
    done = run(
        'run', '-q', *words, '-s', f'csv:table={name}', '-o', '-', 'a.worklog', env=env
    ).expect(0)
    return list(csv.DictReader(io.StringIO(done.out)))


@test
def a_stranger_gets_the_right_verdict(_folder):
    """Compute 4 ms of which 1 ms runs beside communication, 2 ms of it exposed, 1.5 ms of copies,
    the rest idle."""
    env = install('worklog')
    worklog()
    expected = reckoned()
    check_same(
        expected,
        {'compute': 4000, 'communication': 2000, 'copies': 1500, 'idle': 2500},
        'the trace',
    )
    said = run('report', 'a.worklog', env=env).expect(0).out
    words = ' + '.join(f'{part} {us / 1000:.2f} ms' for part, us in expected.items())
    check(f'mean 10.0 ms = {words}' in said, f'expected {words}:\n{said}')
    check('device 0, 5 steps' in said and 'top operator   gemm' in said, said)
    devices = table('devices', env, '-a', 'device')
    check_same(
        [float(row['exposed_ns']) for row in devices], [STEPS * (2000 + 1500) * 1000.0], 'exposed'
    )


@test
def what_rows_do_not_say_makes_figures_unknown(_folder):
    """Never 0: where one row may be work or a wait, or is of a clock that no other row has, nobody
    knows when the device was busy, nor what communication ran beside. Lengths are known."""
    env = install('worklog')
    for word, reason in (
        ('unknown', 'it is unknown which instructions are work'),
        ('unaligned', 'it is unknown how the clocks of its engines lie apart'),
    ):
        worklog()
        write('a.worklog', read('a.worklog') + f'{word} 0 50 20 odd\n'.encode())
        (device,) = table('devices', env, '-a', 'device')
        check_same(
            [device[one] for one in ('busy_ns', 'idle_ns', 'compute_ns', 'exposed_ns')],
            [''] * 4,
            word,
        )
        check_same(table('gaps', env, '-a', 'device'), [], f'{word}: gaps')
        engines = {row['engine']: row for row in table('engines', env, '-a', 'device')}
        busy = {kind: STEPS * us * 1000 for kind, _, us, _ in WORK}
        busy |= {'unaligned': 20000} if word == 'unaligned' else {}
        check_same(
            {kind: float(row['busy_ns']) for kind, row in engines.items() if row['busy_ns']},
            busy,
            f'{word}: engines',
        )
        check_same((engines[word]['share'], engines[word]['reason']), ('', reason), word)
        for name, columns in (
            ('collectives', ('overlap_ns', 'exposed_ns')),
            ('communication', ('overlap_ns', 'exposed_ns', 'hidden')),
        ):
            found = table(name, env, '-a', 'collectives')
            check(found, name)
            check_same({row[one] for row in found for one in columns}, {''}, f'{word}: {name}')
        said = run('report', 'a.worklog', env=env).expect(0).out
        check(f'when device 0 is busy: {reason}' in said, said)
        run('gate', 'a.worklog', 'busy > 0%', env=env).expect(6, out='*UNDECIDED*')


def events_json():
    """The same work as a file of another format, whose decoder was written from the manual
    alone."""
    words = {'compute': 'kernel', 'communication': 'collective', 'transfer': 'upload'}
    events = []

    def add(kind, lane, name, start, duration, number):
        one = {'kind': kind, 'lane': lane, 'name': name, 'start': start, 'duration': duration}
        events.append({**one, 'number': number})

    for step in range(STEPS):
        begin = step * 10000
        add('step', 'main', f'step {step}', begin, 10000, step)
        for i, (kind, start, duration, name) in enumerate(WORK):
            number = step * 10 + i + 1
            add('launch', 'main', f'launch {name}', begin + 10 + 20 * i, 10, number)
            add(words[kind], kind, name, begin + start, duration, number)
        add('synchronize', 'main', 'synchronize', begin + 200, 7500.5, step * 10 + len(WORK))
    write('a.json', json.dumps({'events': events}))


@test
def another_stranger_gets_the_same_verdict(_folder):
    env = install('events-json')
    events_json()
    said = run('report', 'a.json', env=env).expect(0).out
    words = ' + '.join(f'{part} {us / 1000:.2f} ms' for part, us in reckoned().items())
    check(f'mean 10.0 ms = {words}' in said, f'expected {words}:\n{said}')
    check('Summary of a profile of acme.events-json, device 0, 5 steps' in said, said)
    done = run('run', '-q', '-a', 'steps', '-s', 'csv:table=steps', '-o', '-', 'a.json', env=env)
    rows = list(csv.DictReader(io.StringIO(done.expect(0).out)))
    check_same(
        [(row['step'], float(row['duration_ns'])) for row in rows],
        [(f'step {step}', 1e7) for step in range(STEPS)],
        'steps',
    )
    meant = run('check', '--meaning', 'a.json', env=env).expect(0).out
    check('0 are compute by default' in meant, meant)
    write('bad.json', '{"events": [{"kind": "kernel", "start": 1, "duration": -3}]}')
    run('run', '-s', 'null', 'bad.json', env=env).expect(
        2, err='*bad.json*byte 12: *without its duration*'
    )
    write('cut.json', '{"events": [{"kind": "kernel", "start": 1')
    run('run', '-s', 'null', 'cut.json', env=env).expect(2, err='*cut.json*byte 41: *')


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


@test
def protobuf_and_percentiles(_folder):
    """Percentiles lie between the two nearest in proportion, which statistics of Python has as
    well."""
    env = install('events-pb', 'durations')
    durations = {b'a': [5, 70, 3, 900, 41, 8], b'b': [12]}
    data = b''
    for lane, all_ in durations.items():
        for i, ns in enumerate(all_):
            times = varint(2 << 3) + varint(1000 * i) + varint(3 << 3) + varint(ns)
            data += field(1, field(1, b'gemm') + times + field(4, lane))
    with open('x.events-pb', 'wb') as file:
        file.write(data)
    done = run(
        'run',
        '-q',
        '-a',
        'acme.durations',
        '-s',
        'csv:table=acme.durations',
        '-o',
        '-',
        'x.events-pb',
        env=env,
    ).expect(0)
    rows = {row['track']: row for row in csv.DictReader(io.StringIO(done.out))}
    for lane, all_ in durations.items():
        row = rows[lane.decode()]
        check_same(
            (int(row['spans']), float(row['p50_ns']), float(row['total_ns'])),
            (len(all_), float(statistics.median(all_)), float(sum(all_))),
            lane,
        )
    places = statistics.quantiles(durations[b'a'], n=100, method='inclusive')
    check_same(float(rows['a']['p99_ns']), round(places[98], 3), 'p99')
    with open('cut.events-pb', 'wb') as file:
        file.write(data[:-1])
    run('run', '-s', 'null', 'cut.events-pb', env=env).expect(2, err='*too early*')


@test
def damage_is_named(_folder):
    env = install('worklog')
    for line, why in (
        ('step 1 2', 'expected KIND NUMBER START DURATION'),
        ('sleep 1 2 3 x', 'a kind that there is not'),
        ('call -1 2 3 x', 'a whole number'),
        ('call 1 x 3 x', 'a time that is no number'),
        ('call 1 1e30 3 x', 'beyond what fits'),
    ):
        write('bad.worklog', f'#worklog\ncall 1 2 3 x\n{line}\n')
        run('run', '-s', 'null', 'bad.worklog', env=env).expect(
            2, err=f'*bad.worklog*byte 22: *{why}*'
        )


@test
def a_finding_of_a_third_party(_folder):
    """The queues of compute wait 6 ms between steps, those of communication 7 ms, of transfers 8.5
    ms: four times each."""
    env = install('worklog', 'gaps')
    worklog()
    rows = table('acme.gaps', env, '-a', 'acme.gaps')
    check_same(
        sorted(
            (row['track'], float(row['gap_ns']))
            for row in rows
            if row['track'] in dict((w[0], 0) for w in WORK)
        ),
        sorted(
            (kind, (10000 - duration) * 1000.0)
            for kind, _, duration, _ in WORK
            for _ in range(STEPS - 1)
        ),
        'gaps',
    )
    said = run('report', 'a.worklog', env=env).expect(0).out
    head = said[: said.index('\n\n', said.index('Summary of'))]
    check(
        'transfer waits in 4 gaps of 1 ms and more, 34.0 ms together' in head,
        f'the first screen lacks the finding:\n{head}',
    )
    check('Gaps between spans' in said, said)
    found = run('report', '--findings', 'a.worklog', env=env).expect(0).out
    check('transfer has 4 long gaps, 34.0 ms together' in found, found)
    run('answers', '--check', 'a.worklog', env=env).expect(0)


if __name__ == '__main__':
    main()
