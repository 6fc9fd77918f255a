-- SPDX-License-Identifier: Apache-2.0
-- shapes: what operators cost by the shapes that they work on
-- ability: 95 shapes time by shape
-- of: operator_shapes operator_flops
-- needs: abilities (question able code)
-- needs: inputs (properties)
-- needs: operator_shapes? ()
-- needs: operator_flops? ()
-- needs: step_flops? ()
-- word: why no_shapes: no shapes of matrix products, convolutions, attention in the file
-- word: why no_hlo: no shapes of operators in the file: it has no text and no proto of HLO for what ran
-- word: why no_operands: no shapes of operators in the file
-- word: why no_launches: no launches in the file
-- word: why no_work: no work of devices in the file
-- word: why no_product: no product whose shapes are known lies in a step
-- word: how torch.launches: record with ProfilerActivity.CPU
-- word: how torch: record with record_shapes=True
-- say: [{reason:why}]
-- record: {how:how}
with told as (
  select exists (select 1 from operator_shapes) as some, exists (select 1 from operator_flops) as counted,
    exists (select 1 from step_flops) as stepped,
    exists (select 1 from inputs where properties glob '*"record_shapes":"[1t]*') as asked,
    exists (select 1 from abilities where question = 'launches' and code = 'no_launches') as unlaunched,
    not exists (select 1 from abilities where question = 'device_time' and able = 'no') as devices,
    (select code from abilities where question = 'recorder') as who),
why as (
  select *, case when who <> 'torch' then case when some then null when who in ('xla', 'tensorflow') then 'no_hlo' else 'no_operands' end
    when not some then case when not devices then 'no_work' when unlaunched then 'no_launches' else 'no_shapes' end
    when not stepped then 'no_product' end as reason
  from told)
select case when some then 'yes' when counted then 'partly' else 'no' end as able,
  case when not some then case reason when 'no_launches' then reason when 'no_work' then 'not_recorded' else 'no_shapes' end end as code, reason,
  case when reason = 'no_launches' then 'torch.launches' when reason = 'no_shapes' and not asked then who end as how,
  case when reason in ('no_hlo', 'no_operands') then 'operator_shapes' when reason = 'no_product' then 'step_flops'
    when reason in ('no_launches', 'no_shapes') then 'operator_shapes' || case when counted then '' else ' operator_flops' end
      || case when stepped then '' else ' step_flops' end end as empty,
  case when not some and counted then 'operator_flops' end as of_table
from why
order by 1
