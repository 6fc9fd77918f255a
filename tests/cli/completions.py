# SPDX-License-Identifier: Apache-2.0
"""completions.py - what the shells offer behind the words of a command line. bash and zsh are asked
by the functions of share/completions, given what readline and zle would give them; fish completes
by itself."""

import os
import shutil
import subprocess

from harness import NPROF, Skip, add_test, check, check_same, environment, main

COMPLETIONS = os.path.join(os.environ['NPROF_SOURCE'], 'share', 'completions')

BASH = '''
. "$FILE"
COMP_LINE=$LINE COMP_POINT=${#LINE}
compopt () { :; }
_nprof
printf '%s\\n' "${COMPREPLY[@]}"
'''

# These stand for what zle does for compset -P and with what compadd is given.
ZSH = '''
compset () { [[ $PREFIX == ${~2}* ]] && PREFIX=${PREFIX##${~2}} }
compadd () {
  while [[ $1 == -* ]]; do
    case $1 in (-S) shift 2 ;; (--) shift; break ;; (*) shift ;; esac
  done
  print -l -- ${(M)@:#${(b)PREFIX}*}
}
_files () { print FILES }
words=(${=LINE}); [[ $LINE == *' ' ]] && words+=('')
CURRENT=$#words PREFIX=$words[-1]
. "$FILE"
'''

FISH = '''
source "$FILE"
complete -C "$LINE" | string replace -r '\\t.*' ''
'''

SHELLS = {
    'bash': (BASH, 'nprof.bash', ['bash', '--norc', '-c']),
    'zsh': (ZSH, '_nprof', ['zsh', '-f', '-c']),
    'fish': (FISH, 'nprof.fish', ['fish', '--no-config', '-c']),
}


def offered(shell, line):
    """The last pieces of the words, as bash and zsh complete behind : and =."""
    script, name, command = SHELLS[shell]
    env = environment(
        {
            'FILE': os.path.join(COMPLETIONS, name),
            'LINE': line,
            'HOME': os.getcwd(),
            'PATH': os.path.dirname(NPROF) + ':' + os.environ['PATH'],
        }
    )
    done = subprocess.run(command + [script], env=env, capture_output=True, text=True, check=False)
    check_same(done.stderr, '', f'{shell} says of "{line}"')
    words = [word for word in done.stdout.splitlines() if word]
    return {
        word.removesuffix('=').replace('=', ':').split(':')[-1].split(',')[-1] for word in words
    }


def completes(shell):
    if not shutil.which(shell):
        raise Skip(f'{shell} is not here')
    check({'run', 'new', 'check', 'gate', 'capture'} <= offered(shell, 'nprof '), 'commands')
    check_same(offered(shell, 'nprof che'), {'check'}, 'commands that begin so')
    check_same(
        offered(shell, 'nprof new '), {'decoder', 'analyzer', 'sink'}, 'kinds of a new plugin'
    )
    check_same(offered(shell, 'nprof new an'), {'analyzer'}, 'kinds that begin so')
    check(
        not {'decoder', 'analyzer', 'sink'} & offered(shell, 'nprof new sink '),
        'a name has no completion',
    )
    check_same(offered(shell, 'nprof check --ru'), {'--rule'}, 'options')
    check(
        'csv' in offered(shell, 'nprof run -s c')
        and 'latency' not in offered(shell, 'nprof run -s '),
        'sinks',
    )
    check_same(
        {'csv'} & offered(shell, 'nprof capture -s c'), set(), 'the session of a capture is no sink'
    )
    check('split_rows' in offered(shell, 'nprof run -s csv:'), 'options of a component')
    check_same(offered(shell, 'nprof run -s csv:excel='), {'yes', 'no'}, 'values of an option')


VALUES = (
    ('report --format m', {'markdown'}),
    ('gate --format ju', {'junit'}),
    ('diff --by m', {'modules'}),
    ('report --color ', {'auto', 'always', 'never'}),
    ('report --only idle_c', {'idle_causes'}),
    ('report --only kernels,idle_c', {'idle_causes'}),
    ('report --style furiosa-0.1', {'furiosa-0.10'}),
    ('answers expo', {'exposed'}),
    ('ask verd', {'verdict'}),
    ('help flam', {'flame'}),
    ('profiles ren', {'rename'}),
    ('baseline sa', {'save'}),
)


def completes_values(shell):
    """What is listed by the help of an option, or by a command, is offered."""
    if not shutil.which(shell):
        raise Skip(f'{shell} is not here')
    for line, expected in VALUES:
        check_same(offered(shell, f'nprof {line}'), expected, line)


for each in SHELLS:
    add_test(f'values in {each}', lambda _folder, shell=each: completes_values(shell))


for each in SHELLS:
    add_test(each, lambda _folder, shell=each: completes(shell))


if __name__ == '__main__':
    main()
