-- SPDX-License-Identifier: Apache-2.0
-- screen_copies: how fast the copies are that bound the device, and what share of their link that is
-- line: 24 copies
-- of: moved
-- needs: verdict (input device place code)
-- needs: moved? (input device name kind duration_ps bytes rate link share)
-- needs: operators? (input device level category self_ps bytes)
-- note: The copies of the whole recording with most time. A verdict without copies has no such line.
-- note: Rows copy-done of XLA are waits for copies, several of which are under way at a time: what all of them
-- note: moved, of all that waiting, is the rate at most, as they may be under way before anything waits.
-- word: link memory: the memory
-- word: link host: the link to the host
-- word: link devices: the links to other devices
-- word: most waits: of waiting
-- word: why none: rate unknown: the file has no bytes of them
-- word: bound waits: at most
-- say: [{name}: {size_bytes:bytes} in {time_ps:time}][ {most:most}][, {speed:rate}][ {bound:bound}][, {ratio:share} of {link:link}][{why:why}]
with subject as (
  select input, device from verdict
  where place = 1 and (code = 'copy' or (code like 'mixed:%' and code || '+' like '%copy+%'))),
copied as (
  select m.input, m.device, m.name, m.bytes, m.duration_ps, m.rate, m.share, m.link
  from moved m join subject s on s.input is m.input and s.device is m.device
  where m.kind = 'copy'
  order by m.duration_ps desc, m.name
  limit 1),
-- Instructions by their text, or by name; what all of them moved is unknown where it is of one.
waited as (
  select o.input, o.device, case when count(o.bytes) = count(*) then sum(o.bytes) end as bytes, sum(o.self_ps) as self_ps
  from operators o join subject s on s.input is o.input and s.device is o.device
  where o.category = 'copy-done' and not exists (select 1 from copied) and o.level = (
    select min(l.level) from operators l where l.input is o.input and l.device is o.device and l.level in ('hlo', 'name'))
  group by o.input, o.device),
told as (
  select input, device, name, bytes, duration_ps, rate, share, link, null as waits from copied
  union all
  select input, device, 'copy-done', bytes, self_ps, bytes * 1.0 / self_ps * 1000000000000, null, null, 'waits'
  from waited where bytes > 0 and self_ps > 0)
select s.input, s.device, t.name, t.bytes as size_bytes, t.duration_ps as time_ps, t.rate as speed, t.waits as most, t.waits as bound,
  t.share as ratio, case when t.share is not null then t.link end as link, case when t.rate is null then 'none' end as why
from subject s left join told t on 1
order by s.input, s.device
