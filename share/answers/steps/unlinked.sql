-- SPDX-License-Identifier: Apache-2.0
-- unlinked: a device idles before work whose launch is not in the file, and what its CPU does then
-- when: > 5 % of the windows that count, more than half of it beside one operator or call
-- stake: duration_ns of table verdict_parts
-- of: verdict_parts
-- shown: gaps
-- about: idle/unlinked
-- each: input device
-- needs: verdict (input device place base window_ps)
-- needs: verdict_parts (input device part duration_ps share place place_time_ps)
-- note: It has no gain, as it is unknown when that work was launched: what the CPU does meanwhile is where to
-- note: look, and no cause. From a fifth of the window on it stands where a gain of as much would. The thread is that of the launch before. Where more is beside no one operator,
-- note: idle_causes and the line of idle time have it.
-- words: whole idle
-- say: {device:device} idles {share:share} of {base:whole} ({stake:time}) before work whose launch was not recorded, most of it while the CPU is in {name}
-- word: do copies: fewer and larger copies, data that stays on the device
-- word: do *: record the calls of the runtime that launch that work
-- advice: {do:do}
select p.input, p.device, p.duration_ps as stake, p.share, v.base, p.place as name,
  case when p.place like 'aten::%copy%' then 'copies' end as "do"
from verdict_parts p join verdict v on v.device is p.device and v.input is p.input
where p.part = 'unlinked' and p.share > 0.05 and 2 * p.place_time_ps > p.duration_ps
order by v.place = 1 desc, p.duration_ps desc, p.rowid
