# SPDX-License-Identifier: Apache-2.0
"""installed.py - nprof as `meson install` leaves it, in a folder that was moved since: a new plugin
of each kind is written, built, tested and used there, with nothing of the build tree.

Environment (set by meson): NPROF_SOURCE the sources, and that of installation.py."""

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys

from harness import Skip, check, check_same, files_below, main, read, run, sample, test, write
from installation import BUILD, TREE, call, find, install, meson, remove, variable
from viewserver import ORDINARY, Server

SOURCE = os.environ['NPROF_SOURCE']
TEST_PLUGINS = os.environ['NPROF_TEST_PLUGINS']


LANGUAGES = {
    'c': 'cc',
    'c++': 'c++',
    'rust': 'rustc',
    'python': 'python3',
}  # and what it takes to build them


MOST = """-- most: the name whose spans take the most
-- when: the longest
-- stake: total_ns of table acme.two
-- of: acme.two
-- needs: "acme.two" (input name spans total_ps)
-- say: {name} takes {stake:time} in {spans:count} spans
select input, name, spans, total_ps as stake
from "acme.two"
where total_ps > 0
order by stake desc, rowid
limit 1
"""


def tested(folder, names):
    """Builds and tests what lies there; nprof check is run as well, where it is there."""
    meson('setup', 'build', '-Dwerror=true', cwd=folder)
    told = meson('test', '-C', 'build', '--print-errorlogs', cwd=folder)
    checks = told.count(' check ') if ' check ' in run('help').out else len(names)
    check('Ok: ' in told and checks >= len(names), told)
    for name in names:
        check(f' {name} ' in told, told)


def make(kind, name, language='c'):
    """nprof new, meson setup, meson test, which runs nprof check; the folder of the module."""
    run('new', '--language', language, kind, name).expect(0, err='')
    tested(name, [name])
    return os.path.abspath(f'{name}/build')


def make_at_once(parts, language):
    """The same of several, as parts of one project: meson looks at a compiler once."""
    os.makedirs('all/subprojects')
    lines = ["project('all')"]
    for kind, name in parts:
        run('new', '--language', language, kind, name).expect(0, err='')
        os.rename(name, f'all/subprojects/{name}')
        lines.append(f"subproject('{name}')")
    write('all/meson.build', '\n'.join(lines))
    tested('all', [name for _, name in parts])
    return [os.path.abspath(f'all/build/subprojects/{name}') for _, name in parts]


@test
def everything_lies_below_the_prefix(_folder):
    install()
    for name in ('plugindir', 'datadir', 'includedir', 'bindir', 'templatedir'):
        path = variable(name)
        check(path.startswith(TREE['prefix'] + '/') and os.path.isdir(path), f'{name}: {path}')
    check(os.path.isfile(variable('testhost')), 'testhost')
    page = os.path.join(TREE['prefix'], 'share/doc/nprof/docs/formats/answers.md')
    check(
        os.path.isfile(page),
        'the grammar of answers, of which nprof-answers(1) says that it is there',
    )
    check_same(
        call('pkg-config', '--libs', 'nprof-plugin', PKG_CONFIG_PATH=TREE['pkgconfig']).strip(),
        '',
        'libraries to link',
    )
    version = call('pkg-config', '--modversion', 'nprof-plugin', PKG_CONFIG_PATH=TREE['pkgconfig'])
    told = run('--version').out.splitlines()
    check_same(told[0], f'nprof {version.strip()}', 'version')
    known = os.path.join(SOURCE, 'packaging', 'source-commit')
    commit = subprocess.run([known], capture_output=True, text=True, check=False).stdout
    check(
        re.fullmatch(rf'commit +{commit[:12] or "unknown.*"}( of 2\d\d\d-\d\d-\d\d)?', told[1]),
        told[1],
    )
    check(re.fullmatch(r'plugins +ABI 1, model of rows \d+', told[2]), told[2])
    check(re.match(r'libraries +glib 2\.\d+\.\d+, zlib 1\.', told[3]), told[3])


@test
def no_file_knows_the_build_tree(folder):
    install()
    for name in files_below(TREE['prefix']):
        path = os.path.join(TREE['prefix'], name)
        data = read(path)
        if data.startswith(b'\x7fELF') or data.startswith(b'!<arch>'):
            stripped = os.path.join(folder, 'stripped')  # debug information may
            call('strip', '--strip-debug', '-o', stripped, path)
            data = read(stripped)
        for tree in (SOURCE, BUILD):
            check(tree.encode() not in data, f'{name} names {tree}')


@test
def a_capture_runs_there(_folder):
    install()
    call(sys.executable, '-B', os.path.join(SOURCE, 'tests', 'tools', 'neff-make.py'), 'made')
    run(
        'capture',
        '-n',
        'made/synthetic_pkg2_gz.neff',
        '-s',
        'p.ntff',
        '--libnrt',
        os.environ['NPROF_NRT_STUB'],
        env={'NRT_TENSORS': 'A:in:F32:2'},
    ).expect(0, out='saved p.ntff')
    built = os.environ['NPROF_XLA'] == '1'
    run('capture', '--xla', '127.0.0.1:1').expect(
        4 if built else 5, err='*127.0.0.1:1*' if built else '*--xla*'
    )


@test
def plugins_and_data_are_found(_folder):
    install()
    lines = run('plugins').expect(0, err='').out.splitlines()[1:]
    check(len(lines) > 5, 'plugins')
    for line in lines:
        check(line.split()[-1].startswith(TREE['prefix'] + '/'), line)
    kernel = {
        'ph': 'X',
        'cat': 'kernel',
        'name': 'k',
        'pid': 0,
        'tid': 7,
        'ts': 1,
        'dur': 5,
        'args': {'device': 0, 'stream': 7},
    }
    write(
        'k.json',
        json.dumps(
            {
                'deviceProperties': [{'id': 0, 'name': 'NVIDIA H100 80GB HBM3'}],
                'traceEvents': [kernel],
            }
        ),
    )
    run('run', '-a', 'mfu', '-s', 'csv', '-o', 'out/', 'k.json').expect(0, err='')
    check(b'share/devices/nvidia.json' in read('out/mfu.csv'), 'the peak rates of devices')


def is_here(compiler):
    """rustup's rustc is there before any compiler of Rust is."""
    return (
        shutil.which(compiler)
        and subprocess.run([compiler, '--version'], capture_output=True, check=False).returncode
        == 0
    )


def has_libpython():
    """That of python3, or one that is called as those are that host.c looks for."""
    config = "import sysconfig as s; print(s.get_config_var('LIBDIR') + '/' + s.get_config_var('INSTSONAME'))"
    names = [call('python3', '-c', config).strip()]
    for name in names + [f'libpython3.{minor}.so.1.0' for minor in range(9, 15)]:
        try:
            return bool(ctypes.CDLL(name))
        except OSError:
            pass
    return False


def new_plugins(language, vendor=''):
    """Of each kind: the same result, whatever they are written in and whoever wrote them."""
    install()
    if not is_here(LANGUAGES[language]):
        raise Skip(f'{LANGUAGES[language]} is not here')
    if language == 'python' and not has_libpython():
        raise Skip('libpython3 is not here')
    parts = [
        ('decoder', f'{vendor}my-format'),
        ('analyzer', f'{vendor}my-count'),
        ('sink', f'{vendor}my-list'),
    ]
    path = ':'.join(
        [make(kind, name) for kind, name in parts]
        if language == 'c'
        else make_at_once(parts, language)
    )
    write('in.txt', f'#{vendor}my-format\n0 1.5 cpu load\n2 - cpu run it\n-3.25 0 dma load\n')
    env = {'NPROF_PLUGIN_PATH': path}
    listed = run('plugins', '--names', env=env).expect(0).out.split()
    for kind, name in ('decoder', 'my-format'), ('analyzer', 'my-count'), ('sink', 'my-list'):
        check(f'{kind}/{vendor}{name}' in listed, f'{name} is not in {listed}')
    run(
        'run',
        '-a',
        f'{vendor}my-count:least=2',
        '-s',
        f'{vendor}my-list',
        '-s',
        'csv',
        '-o',
        'out',
        'in.txt',
        env=env,
    ).expect(0, out='', err='')
    check_same(
        read(f'out/{vendor}my-list.txt').decode(),
        'start_ns\tduration_ns\tlane\tname\n0\t1.5\tcpu\tload\n'
        '2\t-\tcpu\trun it\n-3.25\t0\tdma\tload\n',
        'of the sink',
    )
    check_same(
        read(f'out/{vendor}my_count.csv').decode(),
        'input,name,spans,unclosed,total_ns\nin.txt,load,2,0,1.5\n',
        'of the analyzer',
    )
    write('bad.txt', f'#{vendor}my-format\n0 1.5 cpu load\nno span\n')
    run('run', '-s', f'{vendor}my-list', '-o', '-', 'bad.txt', env=env).expect(
        2, err=f'*bad.txt*byte {26 + len(vendor)}: expected START DURATION LANE NAME*'
    )


@test
def new_plugins_in_c(_folder):
    new_plugins('c')


@test
def a_new_analyzer_has_findings(folder):
    """A folder of answers beside its source is found where it is built, and installed."""
    install()
    run('new', 'analyzer', 'acme.two').expect(0)
    os.makedirs('acme.two/acme.two.answers/spans')
    write('acme.two/acme.two.answers/spans/most.sql', MOST)
    with open('acme.two/acme.two.plugin', 'a', encoding='utf-8') as index:
        index.write('rank=45\n')
    meson('setup', 'build', f'-Dplugindir={folder}/to', cwd='acme.two')
    meson('compile', '-C', 'build', cwd='acme.two')
    meson('install', '-C', 'build', cwd='acme.two')
    for at in os.path.abspath('acme.two/build'), f'{folder}/to':
        run('answers', 'acme.two.most', sample(), env={'NPROF_PLUGIN_PATH': at}).expect(
            0, out='* takes * in * spans'
        )


@test
def new_plugins_in_cpp(_folder):
    new_plugins('c++', 'acme.')


@test
def new_plugins_in_rust(_folder):
    new_plugins('rust', 'acme.')


@test
def new_plugins_in_python(_folder):
    new_plugins('python', 'acme.')


@test
def examples_build_as_their_readme_says(folder):
    install()
    at = os.path.join(variable('datadir'), 'examples')
    shutil.copytree(at, folder, dirs_exist_ok=True)
    built = []
    for line in read('README.md').decode().splitlines():
        words = line.split()
        if not line.startswith('    ') or words[0] not in ('cc', 'c++', 'rustc'):
            continue
        module = words[words.index('-o') + 1]  # or the crate that one is made with
        if not is_here(words[0]):
            check(words[0] != 'cc', 'there is no cc')
            continue
        call('sh', '-c', line.strip(), PKG_CONFIG_PATH=TREE['pkgconfig'])
        os.chmod(module, 0o755)
        built.append(module)
    check(
        {
            'csv-log.so',
            'dots.so',
            'durations.so',
            'events-json.so',
            'events-pb.so',
            'gaps.so',
            'json-lines.so',
            'names.so',
            'worklog.so',
        }
        <= set(built),
        f'built: {built}',
    )
    write('log.csv', 'start,duration,lane,name\n1,2,a,b\n5,,a,c\n')
    result = run(
        'run',
        '-d',
        'csv-log',
        '-a',
        'acme.durations',
        '-s',
        'json-lines',
        '-o',
        '-',
        'log.csv',
        env={'NPROF_PLUGIN_PATH': folder},
    ).expect(0, err='')
    check('"name":"c","start_ps":5000000,"duration_ps":null}' in result.out, result.out)
    check(
        '{"table":"acme.durations","input":"log.csv","track":"a","spans":1,' in result.out,
        result.out,
    )
    if 'idle.so' in built:
        run('run', '-a', 'idle', '-s', 'null', 'log.csv', env={'NPROF_PLUGIN_PATH': folder}).expect(
            0
        )


@test
def examples_are_of_the_standard(_folder):
    """Source compatibility: those in C are C11 and those in C++ are C++17, from the installed
    headers alone."""
    install()
    at = os.path.join(variable('datadir'), 'examples')
    strict = [
        '-Wall',
        '-Wextra',
        '-pedantic',
        '-Werror',
        '-fsyntax-only',
        f'-I{variable("includedir")}',
    ]
    for name in sorted(os.listdir(at)):
        compiler = {'.c': ['cc', '-std=c11'], '.cpp': ['c++', '-std=c++17']}.get(
            os.path.splitext(name)[1]
        )
        if compiler and (shutil.which(compiler[0]) or compiler[0] == 'cc'):
            call(*compiler, *strict, os.path.join(at, name))


EMBED = '''#include <nprof/nprof.h>
#include <stdio.h>
int main (int argc, char **argv) {
  const char *inputs[] = { argv[argc - 1], NULL };
  struct nprof_request request = { .size = sizeof request, .inputs = inputs };
  nprof_run *run = nprof_run_open (&request);
  struct nprof_run_item item = { .size = sizeof item };
  unsigned rows = 0;
  while (nprof_run_next (run, &item) > 0)
    rows += item.batch ? item.batch->n_rows : 0;
  printf ("%u rows\\n%s", rows, nprof_run_messages (run));
  return nprof_run_close (run);
}
'''


@test
def a_program_embeds_nprof(folder):
    install()
    write('rows.c', EMBED)
    call(
        'sh',
        '-c',
        f'{os.environ["NPROF_CC"]} -Wall -Werror -o rows rows.c '
        '$(pkg-config --cflags --libs nprof)',
        PKG_CONFIG_PATH=TREE['pkgconfig'],
    )
    library = os.path.dirname(find(TREE['prefix'], 'libnprof.so'))
    out = call('./rows', sample(), LD_LIBRARY_PATH=library)
    check_same(out, '242 rows\n', 'what it prints')


@test
def plugins_are_installed_where_nprof_looks(folder):
    install()
    make('sink', 'my-own')
    meson('configure', 'build', f'-Dplugindir={folder}/data/nprof/plugins', cwd='my-own')
    meson('install', '-C', 'build', '--destdir', folder + '/dest', cwd='my-own')
    at = find(folder + '/dest', 'my-own.plugin')
    check(os.path.exists(os.path.join(os.path.dirname(at), 'my-own.so')), 'my-own.so')
    data = at[: at.index('/nprof/plugins')]
    os.chmod(os.path.dirname(at), 0o755)
    listed = run('plugins', '--names', 'sink', env={'XDG_DATA_HOME': data}).expect(0).out.split()
    check('my-own' in listed, str(listed))


@test
def the_page_needs_neither_node_nor_network(_):
    """The files that a browser asks for lie in the installation; what the page is made of is said
    by its first answer."""
    install()
    with Server('--store', 'profiles', sample(), env={'PATH': '/nowhere'}) as server:
        server.generation()
        page = server.get(f'/profile/{ORDINARY}').body.decode()
        if '/lib/page.js' not in page:
            raise Skip('built without its page')
        places = re.findall(r'(?:href|src)="([^"]*)"', page)
        files = [place for place in places if place.startswith('/page-')]
        asked = [place for place in places if place.startswith(f'/api/v1/p/{ORDINARY}')]
        check(files and asked and sorted(files + asked) == sorted(places), f'{places}')
        seen = set()
        while files:
            place = files.pop()
            if place not in seen:
                seen.add(place)
                files += imports(place, server.get(place).body.decode())


def imports(place, text):
    """Returns the files of the installation that a file of the page imports; Server.get fails on
    one that is not there."""
    named = re.findall(
        r'^(?:import|export)\b[^"\n;]*"([^"]*)"|\bimport ?\("([^"]*)"\)|^\} from "([^"]*)"',
        text,
        re.M,
    )
    names = [one for found in named for one in found if one]
    check(all(re.match(r'\.{1,2}/|/page-', name) for name in names), f'{place} imports {names}')
    return [os.path.normpath(os.path.join(os.path.dirname(place), name)) for name in names]


if __name__ == '__main__':
    try:
        main()
    finally:
        remove()
