# SPDX-License-Identifier: Apache-2.0
"""test-dev.py - tries that ./dev puts the files of tests into memory where there is room for them
and programs may be run, by each shell that is here: test-dev.py SOURCE."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SHELLS = [shell for shell in ('sh', 'dash', 'bash') if shutil.which(shell)]
ROOM, NO_ROOM = 'tmpfs 9000000 0 9000000 0% /dev/shm', 'tmpfs 65536 0 65536 0% /dev/shm'


def in_memory(shell, function, tools, env):
    """The TMPDIR that the function leaves, and whether what it copied there runs; '': none."""
    script = f'set -eu\nwork={tools}\nmemory=\n{function}\nin_memory\nprintf "%s\\n%s" "${{TMPDIR-}}" "$memory"'
    ended = subprocess.run(
        [shell, '-c', script], capture_output=True, text=True, env=env, check=False
    )
    folder, memory = ended.stdout.split('\n') if ended.returncode == 0 else ('', '')
    runs = (
        bool(folder)
        and folder == memory
        and subprocess.run([os.path.join(folder, 'runs'), 'true'], check=False).returncode == 0
    )
    if memory:
        shutil.rmtree(memory)
    return folder, runs, ended.stderr


def may_run():
    """Whether programs may be run in /dev/shm, which many containers forbid."""
    try:
        with tempfile.TemporaryDirectory(dir='/dev/shm') as folder:
            return (
                subprocess.run(
                    [shutil.copy(shutil.which('env'), folder), 'true'], check=False
                ).returncode
                == 0
            )
    except OSError:
        return False


def program(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write('#!/bin/sh\n' + text + '\n')
    os.chmod(path, 0o755)


def wrong_with(shell, function, tools):
    env = {name: value for name, value in os.environ.items() if name != 'TMPDIR'}
    env['PATH'] = tools + os.pathsep + env['PATH']
    program(tools, 'df', f'echo head; echo "{ROOM}"')
    folder, runs, said = in_memory(shell, function, tools, env)
    if (folder.startswith('/dev/shm/nprof-tests-') and runs) != may_run():
        yield f'{shell}: with room the files are in {folder!r}: {said}'
    own, _, _ = in_memory(shell, function, tools, {**env, 'TMPDIR': tools})
    if own != tools:
        yield f'{shell}: TMPDIR of the user became {own!r}'
    program(tools, 'cp', ': >"$2"')  # as where no program may be run
    folder, _, _ = in_memory(shell, function, tools, env)
    os.unlink(os.path.join(tools, 'cp'))
    if folder:
        yield f'{shell}: no program runs there, and the files are in {folder!r}'
    program(tools, 'df', f'echo head; echo "{NO_ROOM}"')
    folder, _, _ = in_memory(shell, function, tools, env)
    if folder:
        yield f'{shell}: there is no room, and the files are in {folder!r}'


def main():
    with open(os.path.join(sys.argv[1], 'dev'), encoding='utf-8') as file:
        function = re.search(r'^in_memory \(\) \{\n.*?^\}$', file.read(), re.M | re.S).group(0)
    wrong = []
    for shell in SHELLS:
        with tempfile.TemporaryDirectory() as tools:
            wrong += wrong_with(shell, function, tools)
    print(
        '\n'.join(wrong)
        or f'the files of tests are in memory where they can be, by {", ".join(SHELLS)}'
    )
    sys.exit(bool(wrong))


main()
