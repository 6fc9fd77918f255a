-- SPDX-License-Identifier: Apache-2.0
-- screen_copies: how fast the copies are that bound the device, and what share of their link that is
-- line: 24 copies
-- of: moved
-- needs: verdict (input device place code)
-- needs: moved (input device name kind duration_ps bytes rate link share)
-- note: The copies of the whole recording with most time. A verdict without copies has no such line.
-- word: link memory: the memory
-- word: link host: the link to the host
-- word: link devices: the links to other devices
-- say: {name}: {size_bytes:bytes} in {time_ps:time}, {speed:rate}[, {ratio:share} of {link:link}]
select m.input, m.device, m.name, m.bytes as size_bytes, m.duration_ps as time_ps, m.rate as speed,
  m.share as ratio, case when m.share is not null then m.link end as link
from moved m
join verdict v on v.place = 1 and v.device is m.device and v.input is m.input
where m.kind = 'copy' and (v.code = 'copy' or (v.code like 'mixed:%' and v.code || '+' like '%copy+%'))
order by m.duration_ps desc, m.name
limit 1
