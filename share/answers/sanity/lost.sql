-- SPDX-License-Identifier: Apache-2.0
-- lost: rows of a device are missing
-- when: any time of a device
-- stake: lost_ns of table devices
-- of: devices
-- shown: problems
-- each: input device
-- needs: devices (input device span_ps lost_ps)
-- advice: a shorter recording, or larger buffers of the recorder
-- say: Rows of {device:device} are missing for {stake:time} ({share:share} of its span), in which it may be busy or idle
select input, device, lost_ps as stake,
  case when span_ps > 0 then lost_ps * 1.0 / span_ps else 0.0 end as share
from devices
where lost_ps > 0
order by stake desc, rowid
