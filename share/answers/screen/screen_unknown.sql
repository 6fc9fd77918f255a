-- SPDX-License-Identifier: Apache-2.0
-- screen_unknown: what is unknown of this file, and what to record so that it is known
-- line: 50 unknown
-- needs: inputs (input)
-- needs: abilities (question able code record)
-- word: what mfu: MFU
-- word: what memory: memory
-- word: what verdict: what the device waits for
-- word: what warm_up: later steps
-- word: what device: what a device did
-- say: {what:what}: {record:ours}
with things as (
  select case when question = 'verdict' and code = 'cpu_only' then 'device'
      when question = 'verdict' and code in ('capture', 'first_use') then 'warm_up' else question end as what, code, record, rowid as nth
  from abilities
  where record is not null and (question in ('verdict', 'mfu')
    or question = 'memory' and exists (select 1 from abilities where question = 'recorder' and code = 'torch')
      and exists (select 1 from abilities where question = 'device_time' and able <> 'no')))
select f.input, t.what, t.code, t.record
from things t join (select input from inputs order by rowid limit 1) f
order by t.nth
limit 3
