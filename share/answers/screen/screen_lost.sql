-- SPDX-License-Identifier: Apache-2.0
-- screen_lost: rows of a device are missing
-- line: 43 lost not recorded
-- of: devices
-- needs: devices (input device span_ps lost_ps)
-- needs: skipped? (input what count)
-- whole: span
-- note: Where a file of a NeuronCore says that notifications are missing before a record it does not say how many: places
-- note: are counted.
-- say: [{ratio:share} of the span of {device:device} ({time_ps:time}), in which it may be busy or idle][places where notifications are lost: {places:count}, one or more at each]
with lost as (
  select input, device, lost_ps as time_ps, lost_ps * 1.0 / span_ps as ratio, null as places
  from devices
  where lost_ps > 0 and span_ps > 0
  order by lost_ps desc, rowid
  limit 1)
select input, device, time_ps, ratio, places, null as count from lost
union all
select case when count(*) = 1 then input end, null, null, null, sum(count), sum(count)
from skipped
where what = 'place where notifications were lost'
having count(*) > 0
order by 5, 1
