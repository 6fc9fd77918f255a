-- SPDX-License-Identifier: Apache-2.0
-- mfu: how much of the peak the device reaches
-- ability: 70 mfu MFU
-- of: mfu operator_flops
-- needs: abilities (question able code)
-- needs: inputs (properties)
-- needs: devices? (mfu)
-- needs: mfu? (flops mfu operator peak_flops)
-- needs: operator_flops? (flops)
-- needs: operator_shapes? ()
-- word: why no_peak: the peak of the device is unknown
-- word: why no_formula: no formula for the flops of these operators
-- word: why no_shapes: no shapes of matrix products, convolutions, attention in the file
-- word: why no_launches: no launches in the file: work has no operator whose flops are known
-- word: why not_recorded: no work of devices in the file
-- word: why no_time: no work of a device that takes time is in the file
-- word: how torch: record with record_shapes=True
-- word: how torch.launches: record with ProfilerActivity.CPU
-- word: how peak: state the peak: -a device:peak_flops=N -a mfu:peak_flops=N
-- say: [{reason:why}]
-- record: {how:how}
with told as (
  select not exists (select 1 from abilities where question = 'device_time' and able = 'no') as some, exists (select 1 from devices where mfu is not null)
      or exists (select 1 from mfu where operator in ('(total)', '(busy)', '(steps)') and mfu is not null) as known,
    exists (select 1 from mfu where flops is not null) or exists (select 1 from operator_flops where flops is not null) as flops,
    exists (select 1 from mfu where operator = '(total)' and flops is not null) as total,
    exists (select 1 from mfu) as rated, exists (select 1 from mfu where peak_flops is not null) as peak,
    exists (select 1 from operator_shapes) as shapes,
    exists (select 1 from inputs where properties glob '*"record_shapes":"[1t]*') as asked,
    not exists (select 1 from abilities where question = 'launches' and able = 'no') as launches,
    (select code from abilities where question = 'recorder') as who),
why as (
  select *, case when known then null when not some then 'not_recorded' when total and not peak then 'no_peak'
    when flops and not total and who = 'torch' and not launches then 'no_launches'
    when flops or shapes then 'no_formula' else 'no_shapes' end as code
  from told)
select case when known then 'yes' when total then 'partly' else 'no' end as able, code,
  case when some and not known and not rated then 'no_time' else code end as reason,
  some and not known and who <> 'snapshot' as missed,
  case code when 'no_peak' then 'peak' when 'no_launches' then 'torch.launches'
    when 'no_shapes' then case when not asked then who end end as how,
  case when some and not rated then 'mfu' end as empty
from why
order by 1
