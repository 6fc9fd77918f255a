# SPDX-License-Identifier: Apache-2.0
"""frozen.py - plugins of every release still work: the headers of each, kept in tests/abi/v*, have
the layout of today's where both know a member, and plugins of each kind that were compiled
against them are run and checked by today's nprof.  So are those of releases to come, whose
structs have grown.

Arguments: NAME=PLUGIN.so ..., what frozen.c became; without them only layouts are compared.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path += [HERE, os.path.join(os.path.dirname(HERE), 'cli')]
os.environ.setdefault('NPROF', 'nprof')
import abi  # noqa: E402
from harness import add_test, check, main, read, run, write  # noqa: E402

VERSIONS = sorted(name for name in os.listdir(HERE) if name.startswith('v') and name[1:2].isdigit())
# These lie in arrays one after the other, so their size is part of the layout.
IN_ARRAYS = ['nprof_value', 'struct nprof_cell']
MAY_CHANGE = ['NPROF_CONTRACT']
MEND = (
    'plugins of that release would break; before it is tagged, tests/abi/freeze without an '
    'argument (or abi.py --refreeze) writes it again'
)


def layout_of(text):
    """{struct: size}, {struct: {member: (offset, size)}}, {constant: value}"""
    sizes, members, constants = {}, {}, {}
    for line in text.splitlines():
        *name, last = line.split()
        if line.startswith('  '):
            members[struct][name[0]] = (int(name[1]), int(last))
        elif name[-1].startswith('NPROF_'):
            constants[name[-1]] = int(last)
        else:
            struct = ' '.join(name)
            sizes[struct], members[struct] = int(last), {}
    return sizes, members, constants


def breaks(old, new):
    """How plugins of `old` would break with `new`, both as layout_of gives them."""
    found = []
    for struct, size in old[0].items():
        now = new[0].get(struct)
        if now is None or now < size or (struct in IN_ARRAYS and now != size):
            found.append(f'{struct} had {size} bytes, has {now}')
        for member, place in old[1][struct].items():
            if new[1].get(struct, {}).get(member) != place:
                found.append(
                    f'{struct}.{member} was at {place}, is at '
                    f'{new[1].get(struct, {}).get(member)}'
                )
        for member, (offset, _size) in new[1].get(struct, {}).items():
            if member not in old[1][struct] and offset < size:
                found.append(f'{struct}.{member} is new, but lies before the old end')
    found += [
        f'{name} was {value}, is {new[2].get(name)}'
        for name, value in old[2].items()
        if new[2].get(name) != value and name not in MAY_CHANGE
    ]
    return found


def layout_holds(version):
    found = breaks(layout_of(abi.layout(os.path.join(HERE, version))), layout_of(abi.layout()))
    check(not found, f'{version}: {MEND}:\n' + '\n'.join(found[:20]))


def breaks_are_seen(_folder):
    """Each sort of break is found, so that none being found means something."""
    old = layout_of(
        'struct a 16\n  size 0 4\n  x 8 8\nstruct nprof_cell 16\n  type 0 4\nNPROF_A 1\n'
    )
    check(
        not breaks(
            old,
            layout_of(
                'struct a 24\n  size 0 4\n  x 8 8\n  y 16 8\nstruct nprof_cell 16\n'
                '  type 0 4\nNPROF_A 1\nNPROF_B 2\n'
            ),
        ),
        'growth at the end is fine',
    )
    for wrong in (
        'struct a 8\n  size 0 4\nstruct nprof_cell 16\n  type 0 4\nNPROF_A 1\n',
        'struct a 16\n  size 0 4\n  y 4 4\n  x 8 8\nstruct nprof_cell 16\n  type 0 4\nNPROF_A 1\n',
        'struct a 16\n  size 0 4\n  x 8 8\nstruct nprof_cell 24\n  type 0 4\nNPROF_A 1\n',
        'struct a 16\n  size 0 4\n  x 8 8\nstruct nprof_cell 16\n  type 0 4\nNPROF_A 2\n',
    ):
        check(len(breaks(old, layout_of(wrong))) > 0, f'nothing was found in\n{wrong}')


def still_runs(plugin):
    os.mkdir('plugins', 0o755)
    write('plugins/frozen.so', read(plugin))
    write('in', 'frozenaba')
    env = {
        'NPROF_PLUGIN_PATH': os.path.abspath('plugins'),
        'XDG_DATA_HOME': os.path.abspath('none'),
    }
    result = run('run', '-a', 'frozen', '-s', 'frozen', '-o', '-', 'in', env=env).expect(0, err='')
    expected = ['row a 6000 1000', 'row b 7000 1000', 'row a 8000 1000', 'letter a 2', 'letter b 1']
    check(sorted(result.out.splitlines()) == sorted(expected), result.describe())
    csv = run('run', '-s', 'csv:table=events,columns=name+step', '-o', '-', 'in', env=env)
    check(csv.expect(0).out.split() == ['name,step', 'a,6', 'b,7', 'a,8'], csv.describe())
    run('run', '-d', 'frozen:length=0', '-s', 'null', 'in', env=env).expect(1, err='*1..1000000*')
    run('check', '--time-limit', '20', '--input', 'in', 'plugins/frozen.so').expect(0, err='')


if __name__ == '__main__':
    add_test('breaks-are-seen', breaks_are_seen)
    for name in VERSIONS:
        add_test(f'layout-of-{name}', lambda _folder, v=name: layout_holds(v))
    for argument in sys.argv[1:]:
        name, so = argument.split('=')
        add_test(f'still-runs-{name}', lambda _folder, p=so: still_runs(p))
    sys.argv[1:] = []
    main()
