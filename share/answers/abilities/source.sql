-- SPDX-License-Identifier: Apache-2.0
-- source: which lines of code take the time
-- ability: 130 source time by line of code
-- of: source
-- needs: abilities (question able code)
-- needs: inputs (properties)
-- needs: sample_places? (function)
-- needs: source? (source)
-- word: why no_devices: no work of devices in the file
-- word: why no_launches: no launches in the file
-- word: why no_frames: no frames of Python in the file
-- word: why no_lines: no lines of source in the file
-- word: why sampled: functions of sampled stacks, and no time of devices; table sample_places
-- word: how torch.launches: record with ProfilerActivity.CPU
-- word: how torch: record with with_stack=True
-- note: In PyTorch, work is of the line whose call launched it.
-- say: [{reason:why}]
-- record: {how:how}
with told as (
  select exists (select 1 from source) as some, exists (select 1 from sample_places) as sampled,
    exists (select 1 from inputs where properties glob '*"with_stack":"[1t]*') as asked,
    not exists (select 1 from abilities where question = 'device_time' and able = 'no') as devices,
    not exists (select 1 from abilities where question = 'launches' and able = 'no') as launches,
    (select code from abilities where question = 'recorder') as who),
why as (
  select *, case when some then null when sampled then 'sampled' when who <> 'torch' then 'no_lines' when not devices then 'no_devices'
    when not launches then 'no_launches' else 'no_frames' end as reason
  from told)
select case when some then 'yes' when sampled then 'partly' else 'no' end as able, case when not some then 'not_recorded' end as code,
  reason, case when reason = 'no_launches' then 'torch.launches' when reason in ('no_lines', 'no_frames') and not asked then who end as how,
  case when sampled and not some then 'sample_places' end as of_table, case when not some then 'source' end as empty
from why
order by 1
