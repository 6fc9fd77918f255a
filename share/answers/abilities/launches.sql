-- SPDX-License-Identifier: Apache-2.0
-- launches: what launches cost, and how long work waits for its device
-- ability: 60 launches what launches cost
-- of: launches
-- needs: abilities (question able code)
-- needs: launches? (launches)
-- word: why not_recorded: no work of devices in the file
-- word: why no_launches: no launches in the file
-- word: why needless: work of this device needs no launches
-- word: how torch: record with ProfilerActivity.CPU
-- word: how rocprof: record with rocprofv3 --sys-trace
-- word: how xla: record the host as well
-- word: how tensorflow: record the host as well
-- word: how other: record the host as well
-- say: [{reason:why}]
-- record: {how:how}
with told as (
  select exists (select 1 from launches where launches > 0) as some, exists (select 1 from launches) as rows,
    not exists (select 1 from abilities where question = 'device_time' and able = 'no') as devices,
    exists (select 1 from abilities where question = 'idle_causes' and able = 'yes') as caused,
    (select code from abilities where question = 'recorder') as who),
why as (
  select *, case when some then null when not devices then 'not_recorded' else 'no_launches' end as code
  from told)
select case when some then 'yes' else 'no' end as able, code,
  case when code = 'no_launches' and caused then 'needless' else code end as reason,
  devices and not rows and who <> 'snapshot' as missed, case when devices and not some and not caused then who end as how,
  case when devices and not some then case when rows then '' else 'launches queue_length' end
    || case who when 'torch' then ' source step_flops operator_shapes' else '' end end as empty
from why
order by 1
