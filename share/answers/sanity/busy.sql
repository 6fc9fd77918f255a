-- SPDX-License-Identifier: Apache-2.0
-- busy: when a device is busy is unknown
-- when: known
-- stake: what is not known has no time
-- of: devices
-- shown: problems
-- each: input device
-- needs: devices (input device span_ps busy_ps busy_reason)
-- word: silence none: the file does not say it
-- advice: nothing is known to help: record it again, with all of its rows
-- say: It is not known when {device:device} is busy: [{because}][{silent:silence}]
select input, device, busy_reason as because,
  case when busy_reason is null then 'none' end as silent
from devices
where span_ps > 0 and busy_ps is null
order by rowid
