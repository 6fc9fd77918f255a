-- SPDX-License-Identifier: Apache-2.0
-- device_time: what devices did, and when
-- ability: 20 device_time what devices did
-- of: devices kernels
-- needs: abilities (question code)
-- needs: devices? (device)
-- needs: verdict? (code)
-- needs: sanity? (rule)
-- word: why not_recorded: no work of devices in the file
-- word: why cpu_only: no device activity recorded
-- word: why no_kernels: launches, and no work of devices in the file: its records are missing
-- word: why device_not_labelled: no row says that it ran on a device
-- word: why empty: no time of the device is in the file
-- word: why graphs_opaque: graphs are recorded as one
-- word: why clocks: the clocks of host and device differ
-- word: why lost_kernels: launches have no kernel: busy time is a lower bound
-- word: why lost_rows: rows of devices may be missing
-- word: why waits: what the device waits for is unknown
-- word: how torch: record with ProfilerActivity.CUDA
-- word: how rocprof: record with rocprofv3 --sys-trace
-- word: how nsys.node: record with --cuda-graph-trace=node
-- word: how node: graph trace by node
-- say: [{reason:why}]
-- record: {how:how}
with told as (
  select (select substr(code, 14) from verdict where code glob 'undetermined.*' order by rowid limit 1) as code,
    exists (select 1 from devices) as some,
    exists (select 1 from sanity where rule = 'lost_kernels') as lost,
    (select code from abilities where question = 'recorder') as who),
why as (
  select some, who, coalesce(nullif(code, 'no_launches'), case when not some then 'not_recorded' when lost then 'lost_kernels' end) as reason,
    code is not null and code <> 'no_launches' as missed
  from told)
select case when not some then 'no' when reason is null then 'yes' else 'partly' end as able,
  reason as code, missed,
  case when reason is null or reason in ('not_recorded', 'cpu_only', 'no_kernels', 'device_not_labelled', 'empty', 'graphs_opaque', 'clocks', 'lost_kernels', 'lost_rows')
    then reason else 'waits' end as reason,
  case when reason = 'graphs_opaque' then case who when 'nsys' then 'nsys.node' else 'node' end
    when not some and reason in ('not_recorded', 'cpu_only') then who end as how,
  case when not some then 'devices kernels gaps queue_idle idle_causes step_breakdown bound critical mfu collectives communication'
    || ' launches queue_length what_if critical_path module_classes source step_flops operator_shapes phases server_steps' end as empty
from why
order by 1
