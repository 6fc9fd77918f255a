-- SPDX-License-Identifier: Apache-2.0
-- critical_path: what the length of a step hangs on
-- ability: 65 critical_path the critical path
-- of: critical_path what_if
-- needs: abilities (question able code record)
-- needs: inputs (properties)
-- needs: critical_path? ()
-- needs: what_if? ()
-- word: why no_waits: the file does not say what instructions wait for; NTFF of versions 4 to 6 and the JSON of neuron-profile do
-- word: why no_semaphores: no instruction in the file says which semaphore it waits for; predecessors are the compiler's plan
-- word: why no_launches: no launches in the file
-- word: why not_recorded: no work of devices in the file
-- say: [{reason:why}]
-- record: {record:ours}
with told as (
  select exists (select 1 from critical_path) or exists (select 1 from what_if) as some,
    not exists (select 1 from abilities where question = 'device_time' and able = 'no') as devices,
    exists (select 1 from abilities where question = 'launches' and able = 'no') as unlaunched,
    exists (select 1 from inputs where properties glob '*"format":"neuron-profile json"*') as listed,
    (select code from abilities where question = 'recorder') as who),
why as (
  select *, case when some then null when not devices then 'not_recorded' when who = 'neuron' then 'no_waits'
    when unlaunched then 'no_launches' end as code
  from told)
select case when some then 'yes' when code is null then 'partly' else 'no' end as able, code,
  case when code = 'no_waits' and listed then 'no_semaphores' else code end as reason,
  case code when 'no_launches' then (select record from abilities where question = 'launches') end as record,
  case when code is not null then 'what_if critical_path' end as empty
from why
order by 1
