-- SPDX-License-Identifier: Apache-2.0
-- screen_empty: there is nothing to judge: no row has a duration, or it is unknown which are work
-- line: 5 verdict
-- of: tracks
-- needs: tracks (input rows)
-- needs: verdict? ()
-- needs: devices? ()
-- needs: memory? ()
-- needs: memory_timeline? ()
-- needs: sample_types? ()
-- needs: layer_times? ()
-- needs: late_ranks? ()
-- needs: hang? ()
-- word: what none: the file has no rows that nprof reads
-- word: what some: no row of the file has a duration
-- word: what unsure: it is unknown when the device was busy
-- say: UNDETERMINED: {what:what}[ ({count:count} rows)]
with counted as (select min(input) as input, total(rows) as n from tracks)
select input, 'undetermined.empty' as code,
  case when n = 0 then 'none' when exists (select 1 from devices) then 'unsure' else 'some' end as what,
  case when n > 0 and not exists (select 1 from devices) then cast(n as integer) end as count
from counted
where not exists (select 1 from verdict) and not exists (select 1 from memory)
  and not exists (select 1 from memory_timeline) and not exists (select 1 from sample_types)
  and not exists (select 1 from layer_times)
  and not exists (select 1 from late_ranks) and not exists (select 1 from hang)
