-- SPDX-License-Identifier: Apache-2.0
-- overlap: communication that nothing covers, next to compute that does not wait for it
-- when: > 1 % of the work of the device, and of its window
-- stake: gain_ns of table overlap_chances
-- of: overlap_chances
-- shown: collectives
-- about: exposed/comm
-- each: input device
-- needs: verdict? (input device window_ps)
-- needs: findings? (answer input device)
-- needs: overlap_chances (input device communication compute place gain_ps share)
-- note: Where the communication of the device waits for other ranks (answer waits) it would wait there, too.
-- note: Nothing in the file makes one wait for the other; whether the program needs that order the file does not say.
-- word: place before: before
-- word: place after: behind
-- advice: launch it on a stream of its own (async_op), in buckets as soon as its input is there
-- say: {stake:time} of {name} could run beside {other}, on another stream, {place:place} it ({share:share} of the work of {device:device})
select input, device, communication as name, compute as other, place, gain_ps as stake, share
from overlap_chances
where share > 0.01 and not exists (
  select 1 from verdict v where v.input is overlap_chances.input and v.device is overlap_chances.device and gain_ps * 100.0 < v.window_ps)
  and not exists (
  select 1 from findings f where f.answer = 'waits' and f.input is overlap_chances.input and f.device is overlap_chances.device)
order by gain_ps desc, rowid
