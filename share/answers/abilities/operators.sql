-- SPDX-License-Identifier: Apache-2.0
-- operators: which operators take the time
-- ability: 90 operators time by operator
-- of: operators
-- needs: operators? (operator)
-- word: why not_recorded: no operators in the file
-- say: [{code:why}]
with told as (
  select exists (select 1 from operators) as some)
select case when some then 'yes' else 'no' end as able, case when not some then 'not_recorded' end as code
from told
order by 1
