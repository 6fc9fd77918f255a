-- SPDX-License-Identifier: Apache-2.0
-- screen_lost: rows of a device are missing
-- line: 43 lost not recorded
-- of: devices
-- needs: devices (input device span_ps lost_ps)
-- whole: span
-- say: {ratio:share} of the span of {device:device} ({time_ps:time}), in which it may be busy or idle
select input, device, lost_ps as time_ps, lost_ps * 1.0 / span_ps as ratio
from devices
where lost_ps > 0 and span_ps > 0
order by lost_ps desc, rowid
limit 1
