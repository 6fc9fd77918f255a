# SPDX-License-Identifier: Apache-2.0
"""slurm.py - nprof map under Slurm: two nodes of one machine in a network of their own, which needs
root. A task that is killed is named as missing, and a rerun gives the bytes of an undisturbed
run."""

import os
import shutil
import subprocess
import sys

sys.path[:0] = [
    os.path.join(os.environ['NPROF_SOURCE'], 'tests', part) for part in ('tools', 'cli')
]
import ranks  # noqa: E402
from harness import (
    NPROF,
    Skip,
    check,
    check_same,
    environment,
    main,
    read,
    run,
    test,
    write,
)  # noqa: E402

TOOLS = ('munged', 'slurmctld', 'slurmd', 'srun', 'sbatch', 'unshare', 'ip')
RECIPES = os.path.join(os.environ['NPROF_SOURCE'], 'share', 'scale')
CONF = '''ClusterName=nprof
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={d}/munge/socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=16817
SrunPortRange=17000-17100
StateSaveLocation={d}/state
SlurmdSpoolDir={d}/spool.%n
SlurmctldPidFile={d}/slurmctld.pid
SlurmdPidFile={d}/slurmd.%n.pid
SlurmctldLogFile={d}/slurmctld.log
SlurmdLogFile={d}/slurmd.%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SwitchType=switch/none
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port=16818 CPUs=2 RealMemory=1000 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port=16819 CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP
'''
# Each daemon returns when it serves.  What is left of them ends with the namespace of processes.
CLUSTER = '''ip link set lo up; ip addr add 10.211.55.1/32 dev lo
end () { for pid in slurmd.n1 slurmd.n2 slurmctld munge/munged; do kill "$(cat "$D/$pid.pid")"; done; }
trap end EXIT
munged --force --socket="$D/munge/socket" --key-file="$D/munge/key" --log-file="$D/munge/log" \\
  --pid-file="$D/munge/munged.pid" --seed-file="$D/munge/seed" || exit 98
slurmctld -i -f "$D/slurm.conf" && slurmd -N n1 -f "$D/slurm.conf" && slurmd -N n2 -f "$D/slurm.conf" || exit 98
'''


def need():
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing or os.geteuid() != 0:
        raise Skip('Slurm is not installed, or this is not root')
    if subprocess.run(
        ['unshare', '-npf', '--mount-proc', 'ip', 'link', 'set', 'lo', 'up'],
        capture_output=True,
        check=False,
    ).returncode:
        raise Skip('no network of its own can be had here')


def cluster(script):
    """Runs the script in a cluster of its own."""
    d = os.path.join(os.getcwd(), 'slurm')
    for part in ('munge', 'state', 'spool.n1', 'spool.n2'):
        os.makedirs(os.path.join(d, part), mode=0o755)
    write(os.path.join(d, 'munge', 'key'), os.urandom(1024))
    os.chmod(os.path.join(d, 'munge', 'key'), 0o600)
    os.chmod(os.path.join(d, 'munge'), 0o755)
    host = subprocess.run(['hostname'], capture_output=True, text=True, check=True).stdout.strip()
    write(os.path.join(d, 'slurm.conf'), CONF.format(d=d, host=host).encode())
    env = {
        **environment(),
        'D': d,
        'SLURM_CONF': os.path.join(d, 'slurm.conf'),
        'RECIPES': RECIPES,
        'PATH': os.path.dirname(NPROF) + ':' + os.environ['PATH'],
        'NPROF_SRUN': '-N 2 -n 4',
    }
    done = subprocess.run(
        [
            'timeout',
            '-k',
            '5',
            '120',
            'unshare',
            '-npf',
            '--mount-proc',
            'sh',
            '-c',
            CLUSTER + script,
        ],
        env=env,
        text=True,
        capture_output=True,
        check=False,
    )
    if done.returncode == 98:
        raise Skip('Slurm does not start here')
    return done


def states(job):
    folder = os.path.join(job, 'states')
    return {
        name: read(os.path.join(folder, name))
        for name in sorted(os.listdir(folder))
        if not name.startswith('.')
    }


@test
def two_nodes_a_killed_task_and_a_rerun(_folder):
    need()
    ranks.make('traces', ranks.Job(steps=1, layers=2))
    run('map', '-o', 'whole', 'traces').expect(0)
    done = cluster(
        '''
sh "$RECIPES/slurm-srun.sh" traces srun >srun.txt || exit 1
sbatch --wait --array=0-2 -o array.txt "$RECIPES/slurm-array.sh" traces array || exit 2
srun -N 2 -n 4 sh -c 'test "$SLURM_PROCID" = 2 && kill -KILL $$; exec nprof map --shard auto -o killed traces'
test $? != 0 || exit 3
nprof reduce killed >missing.txt 2>&1; test $? = 2 || exit 4
srun -N 2 -n 4 nprof map --shard auto -o killed traces || exit 5
'''
    )
    check_same(done.returncode, 0, done.stdout + done.stderr)
    for job in ('srun', 'array', 'killed'):
        check(states(job) == states('whole'), f'states of {job} differ')
    check(b'missing: 2, 6 (of 8 ranks)' in read('missing.txt'), read('missing.txt'))
    check(b'Ranks' in read('srun.txt'), 'no report')


main()
