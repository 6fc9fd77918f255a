-- SPDX-License-Identifier: Apache-2.0
-- exposed: communication and copies that nothing hides
-- when: > 5 % of the span
-- stake: exposed_ns of table devices
-- of: devices
-- shown: summary
-- each: input device
-- needs: devices (input device span_ps exposed_ps)
-- say: Exposed transfers take {share:share} of the span of {device:device} ({stake:time})
select input, device, exposed_ps as stake, exposed_ps * 1.0 / span_ps as share
from devices
where span_ps > 0 and exposed_ps * 100.0 > span_ps * 5.0
order by stake desc, rowid
