-- SPDX-License-Identifier: Apache-2.0
-- roofline: whether computing or memory bounds operators
-- ability: 75 roofline the roofline
-- of: mfu
-- needs: abilities (question able code)
-- needs: inputs (properties)
-- needs: mfu? (operator flops bytes)
-- needs: operator_shapes? ()
-- word: why not_recorded: no work of devices in the file
-- word: why no_launches: no launches in the file: work has no operator whose flops are known
-- word: why no_bytes: no operator has flops and bytes
-- word: how torch.launches: record with ProfilerActivity.CPU
-- word: how torch: record with record_shapes=True
-- word: how xla: an XSpace that holds the HLO programs of the device: XLA states flops and bytes of their operators
-- word: how neuron: the JSON that neuron-profile view --output-format json writes of it: that has flops and bytes of instructions
-- word: how nsys: a trace of torch.profiler of the same steps, with record_shapes=True
-- word: how other: rows with attributes flops and bytes_accessed, as nprof-model(7) has them
-- note: Shapes of XLA's operators are those of the programs, which then are in the file.
-- say: [{code:why}]
-- record: {how:how}
with told as (
  select exists (select 1 from mfu where flops > 0 and bytes > 0 and operator not like '(%') as some,
    not exists (select 1 from abilities where question = 'device_time' and able = 'no') as devices,
    exists (select 1 from abilities where question = 'launches' and code = 'no_launches') as unlaunched,
    exists (select 1 from inputs where properties glob '*"record_shapes":"[1t]*' or properties glob '*"format":"neuron-profile json"*') as asked,
    exists (select 1 from operator_shapes) as shapes,
    (select code from abilities where question = 'recorder') as who),
why as (
  select *, case when some then null when not devices then 'not_recorded' when who = 'torch' and unlaunched then 'no_launches'
    else 'no_bytes' end as code
  from told)
select case when some then 'yes' else 'no' end as able, code,
  case when code = 'no_launches' then 'torch.launches' when code = 'no_bytes' and not asked
    and not (who = 'xla' and shapes) then who end as how
from why
order by 1
