# SPDX-License-Identifier: Apache-2.0
"""installation.py - nprof as `meson install` leaves it, in a folder that was moved since: made once
for the tests of a program, and used by them as their nprof.

Environment (set by meson): NPROF_BUILD the build tree, NPROF_CC and NPROF_SANITIZE what it was
built with."""

import os
import shutil
import subprocess
import tempfile

import harness
from harness import Skip, check, environment

BUILD = os.environ['NPROF_BUILD']
TREE = {}


def call(*command, cwd=None, **env):
    result = subprocess.run(
        command,
        cwd=cwd,
        env=environment(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    check(
        result.returncode == 0,
        f'$ {" ".join(command)}\nstatus {result.returncode}\n{result.stdout}',
    )
    return result.stdout


def status_and_output(command, env):
    """Returns the output of a line for the shell; stdout and stderr together."""
    result = subprocess.run(
        ['sh', '-c', command],
        env=environment(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return result.returncode, result.stdout


def find(top, name):
    for at, folders, files in os.walk(top):
        if name in files or name in folders:
            return os.path.join(at, name)
    raise AssertionError(f'{name} was not installed')


def install():
    """Once for all tests: bin, lib and share in a folder that meson knows nothing of."""
    os.umask(0o022)  # nprof refuses what others may write to
    if TREE:
        return
    if not shutil.which('meson') or not shutil.which('pkg-config'):
        raise Skip('meson or pkg-config is not here')
    top = TREE['top'] = tempfile.mkdtemp(prefix='nprof-installed-')
    call('meson', 'install', '-C', BUILD, '--no-rebuild', '--destdir', os.path.join(top, 'first'))
    prefix = os.path.dirname(os.path.dirname(find(os.path.join(top, 'first'), 'nprof-plugin.pc')))
    while not os.path.isdir(os.path.join(prefix, 'bin')):
        prefix = os.path.dirname(prefix)
    TREE['prefix'] = os.path.join(top, 'moved')
    os.rename(prefix, TREE['prefix'])
    TREE['pkgconfig'] = os.path.dirname(find(TREE['prefix'], 'nprof-plugin.pc'))
    harness.NPROF = os.path.join(TREE['prefix'], 'bin', 'nprof')


def variable(name):
    return os.path.realpath(
        call(
            'pkg-config', f'--variable={name}', 'nprof-plugin', PKG_CONFIG_PATH=TREE['pkgconfig']
        ).strip()
    )


def meson(*arguments, cwd):
    return call(
        'meson', *arguments, cwd=cwd, PKG_CONFIG_PATH=TREE['pkgconfig'], CC=os.environ['NPROF_CC']
    )


def remove():
    if TREE:
        shutil.rmtree(TREE['top'], ignore_errors=True)
