-- SPDX-License-Identifier: Apache-2.0
-- communication: what collectives cost, and what of it nothing hides
-- ability: 100 communication collectives
-- of: communication collectives
-- needs: abilities (question able)
-- needs: communication? (device)
-- needs: collectives? (device)
-- word: why none: none: no collective ran on a device
-- word: why not_recorded: no work of devices in the file
-- say: [{reason:why}]
with told as (
  select exists (select 1 from communication) as summed, exists (select 1 from communication) or exists (select 1 from collectives) as some,
    not exists (select 1 from abilities where question = 'device_time' and able = 'no') as devices)
select case when some or devices then 'yes' else 'no' end as able,
  case when not some and not devices then 'not_recorded' end as code,
  case when not some then case when devices then 'none' else 'not_recorded' end end as reason,
  case when not some then '' when not summed then 'collectives' end as of_table,
  case when not some then 'collectives communication' end as empty
from told
order by 1
