-- SPDX-License-Identifier: Apache-2.0
-- screen_busy: when a device works is unknown
-- line: 51 unknown
-- of: devices
-- needs: devices (input device span_ps busy_ps busy_reason)
-- say: when {device:device} is busy[: {because}]
select input, device, 'device_time' as code, busy_reason as because
from devices
where span_ps > 0 and busy_ps is null
order by rowid
limit 1
