-- SPDX-License-Identifier: Apache-2.0
-- operators: which operators take the time
-- ability: 90 operators time by operator
-- of: operators
-- needs: operators? ()
-- needs: layer_times? (layer)
-- word: why not_recorded: no operators in the file
-- word: why summed: the file says how long each layer took, not when; table layer_times
-- say: [{code:why}]
with told as (
  select exists (select 1 from operators) as some, exists (select 1 from layer_times) as summed)
select case when some then 'yes' when summed then 'partly' else 'no' end as able,
  case when some then null when summed then 'summed' else 'not_recorded' end as code,
  case when not some and summed then 'layer_times' end as of_table
from told
order by 1
