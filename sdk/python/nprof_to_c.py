# SPDX-License-Identifier: Apache-2.0
"""nprof_to_c.py - writes the C of a plugin whose components are in Python: its text, what it
declares, and host.c, so that one file NAME.so is the whole of it.

    python3 nprof_to_c.py plugin.py >plugin.c"""

import os
import sys
import sysconfig

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import nprof_plugin as nprof  # noqa: E402


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def array(name, data):
    """Text as numbers: a literal of C has a limit."""
    numbers = [str(b) for b in data] + ['0']
    lines = [', '.join(numbers[i : i + 24]) for i in range(0, len(numbers), 24)]
    if data.count(0):
        raise SystemExit(f'{name} holds a NUL')
    return f'static const char {name}[] = {{\n' + ',\n'.join(lines) + '\n};\n'


def quoted(text):
    if text is None:
        return 'NULL'
    shown = ''.join(
        chr(b) if 32 <= b < 127 and b not in b'"\\?' else f'\\{b:03o}' for b in text.encode()
    )
    return f'"{shown}"'


def struct(type_, ident, /, **members):
    given = ''.join(f' .{member} = {value},' for member, value in members.items())
    return f'static const struct {type_} {ident} = {{ .size = sizeof {ident},{given} }};\n'


def pointers(kind, name, entries):
    listed = ', '.join([f'&{one}' for one in entries] + ['NULL'])
    return f'static const struct {kind} *const {name}[] = {{ {listed} }};\n'


def table(name, of):
    text, columns = '', []
    for i, c in enumerate(of.columns):
        columns.append(f'{name}_{i}')
        text += struct(
            'nprof_table_column', columns[-1], type=c.type, role=c.role, name=quoted(c.name),
            unit=quoted(c.unit), help=quoted(c.help),
        )  # fmt: skip
    return (
        text
        + pointers('nprof_table_column', f'{name}_columns', columns)
        + struct(
            'nprof_table', name, name=quoted(of.name), title=quoted(of.title), note=quoted(of.note),
            columns=f'{name}_columns',
        )  # fmt: skip
    )


def option(name, i, of):
    at = f'offsetof (struct instance, options) + {8 * i}'
    return struct(
        'nprof_option', name, type=of.type, name=quoted(of.name), help=quoted(of.help),
        preset=quoted(of.preset), range=quoted(of.range), offset=at,
    )  # fmt: skip


def component(k, c):
    """Its declaration, behind host.c, and the two functions that know its number."""
    text = ''
    for i, one in enumerate(c.options):
        text += option(f'option_{k}_{i}', i, one)
    text += pointers(
        'nprof_option', f'options_{k}', [f'option_{k}_{i}' for i in range(len(c.options))]
    )
    for i, one in enumerate(c.attributes):
        text += struct(
            'nprof_attribute', f'attribute_{k}_{i}', type=one.type, key=quoted(one.key),
            unit=quoted(one.unit), help=quoted(one.help),
        )  # fmt: skip
    text += pointers(
        'nprof_attribute',
        f'attributes_{k}',
        [f'attribute_{k}_{i}' for i in range(len(c.attributes))],
    )
    text += pointers('nprof_table', f'tables_{k}', [f'table_{k}_{i}' for i in range(len(c.tables))])
    text += (
        f'static nprof_status open_{k} (void *self, const struct nprof_host *host)\n'
        f'{{ return open_component ({k}, self, host); }}\n'
    )
    members = dict(
        kind=c.kind, name=quoted(c.name), summary=quoted(c.summary), formats=quoted(c.formats),
        options=f'options_{k}', attributes=f'attributes_{k}', tables=f'tables_{k}', order=c.order,
        default_name=quoted(c.file), instance_size='sizeof (struct instance)', open=f'open_{k}',
        close='close_component',
    )  # fmt: skip
    if c.kind == nprof.DECODER:
        text += (
            f'static int probe_{k} (const void *head, size_t len, uint64_t size,\n'
            'const char *path)\n'
            f'{{ (void) size; return is_begun () ? python.probe ({k}, head, len, path) : 0; }}\n'
        )
        members.update(probe=f'probe_{k}', decode='decode')
    else:
        flags = (
            'NPROF_ANALYZER_NO_ROWS'
            if c.kind == nprof.ANALYZER
            else 'NPROF_SINK_FILE | NPROF_SINK_STDOUT'
        )
        members.update(consume='consume', finish='finish', flags=flags)
    return text + struct('nprof_component', f'component_{k}', **members)


def main(path):
    text = read(path)
    exec(compile(text, os.path.basename(path), 'exec'), {'__name__': 'plugin'})
    found = list(enumerate(nprof.COMPONENTS))
    if not found or not nprof.ABOUT:
        raise SystemExit(f'{path}: expected a component and a call of nprof_plugin.plugin')
    tables = [(f'table_{k}_{i}', t) for k, c in found for i, t in enumerate(c.tables)]
    kinds = {c.kind for _, c in found}
    config = sysconfig.get_config_var
    library = os.path.join(config('LIBDIR') or '', config('INSTSONAME') or 'libpython3.so')
    out = [
        '#define _GNU_SOURCE\n',
        *(
            f'#include <{h}>\n'
            for h in (
                'dlfcn.h',
                'locale.h',
                'pthread.h',
                'stdio.h',
                'string.h',
                'unistd.h',
                'wchar.h',
            )
        ),
        '#include <nprof/plugin.h>\n',
        '#define HAS_DECODER\n' if nprof.DECODER in kinds else '',
        '#define HAS_READER\n' if kinds - {nprof.DECODER} else '',
        f'#define PYTHON_LIBRARY {quoted(library)}\n',
        f'#define PYTHON_FOLDER {quoted(sysconfig.get_path("stdlib"))}\n',
        f'#define PYTHON_HOME L{quoted(sys.base_prefix)}\n',
        f'#define PLUGIN_FILE {quoted(os.path.basename(path))}\n',
        array('raw_text', read(os.path.join(HERE, 'nprof_raw.py'))),
        array('layer_text', read(os.path.join(HERE, 'nprof_plugin.py'))),
        array('plugin_text', text),
        *(table(name, t) for name, t in tables),
        pointers('nprof_table', 'table_places', [name for name, _ in tables]),
        read(os.path.join(HERE, 'host.c')).decode(),
        *(component(k, c) for k, c in found),
        'NPROF_PLUGIN ('
        + ', '.join(quoted(nprof.ABOUT[n]) for n in ('name', 'version', 'license')),
        *(f', &component_{k}' for k, _ in found),
        ')\n',
    ]
    print(''.join(out), end='')


if __name__ == '__main__':
    main(*sys.argv[1:])
