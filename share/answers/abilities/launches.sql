-- SPDX-License-Identifier: Apache-2.0
-- launches: what launches cost, and how long work waits for its device
-- ability: 60 launches what launches cost
-- of: launches
-- needs: abilities (question able code)
-- needs: launches? (launches)
-- word: why not_recorded: no work of devices in the file
-- word: why no_launches: no launches in the file
-- word: how torch: record with ProfilerActivity.CPU
-- word: how rocprof: record with rocprofv3 --sys-trace
-- word: how xla: record the host as well
-- word: how tensorflow: record the host as well
-- word: how other: record the host as well
-- say: [{code:why}]
-- record: {how:how}
with told as (
  select exists (select 1 from launches where launches > 0) as some, exists (select 1 from launches) as rows,
    not exists (select 1 from abilities where question = 'device_time' and able = 'no') as devices, (select code from abilities where question = 'recorder') as who)
select case when some then 'yes' else 'no' end as able,
  case when not some then case when devices then 'no_launches' else 'not_recorded' end end as code,
  devices and not rows and who <> 'snapshot' as missed, case when devices and not some then who end as how,
  case when devices and not some then case when rows then '' else 'launches queue_length' end
    || case who when 'torch' then ' source step_flops operator_shapes' else '' end end as empty
from told
order by 1
