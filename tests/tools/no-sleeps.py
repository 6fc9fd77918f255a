# SPDX-License-Identifier: Apache-2.0
"""no-sleeps.py - no test waits for time to pass: it waits for what must happen, or picks a moment.
The exceptions are named here, with their reason."""

import os
import re
import sys

ALLOWED = {
    'cli/harness.py': 'looks again whether a named pipe has its reader, at most until nprof ends',
    'cli/kill.py': 'picks the moment at which a run is killed',
    'cli/store.py': 'picks the moment at which a run is killed',
    'cli/view-leave.py': 'looks again whether a process is told to end, which nobody else tells',
    'services/servers.py': 'looks again whether a server answers, until its time is over',
    'services/influx.py': 'a stub that is slow on purpose',
}
CALL = re.compile(r'\b(time\.sleep|g_usleep|usleep|nanosleep|sleep)\s?\(')


def main():
    tests, found, used = sys.argv[1], [], set()
    for at, folders, names in os.walk(tests):
        folders[:] = [f for f in folders if f not in ('bench', 'tools')]
        for name in names:
            path = os.path.relpath(os.path.join(at, name), tests)
            if not name.endswith(('.py', '.c', '.h', '.mjs')):
                continue
            with open(os.path.join(at, name), encoding='utf-8') as file:
                lines = [n for n, line in enumerate(file, 1) if CALL.search(line)]
            used.update([path] if lines else [])
            found += [f'{path}:{n}' for n in lines if path not in ALLOWED]
    stale = sorted(set(ALLOWED) - used)
    if found or stale:
        sys.exit(
            'sleeps: '
            + ', '.join(found or ['none'])
            + '; allowed for nothing: '
            + ', '.join(stale or ['none'])
        )


if __name__ == '__main__':
    main()
