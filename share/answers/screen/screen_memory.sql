-- SPDX-License-Identifier: Apache-2.0
-- screen_memory: the peak of the memory, and who held it
-- line: 41 memory
-- of: memory
-- needs: memory (input allocator peak_bytes capacity_bytes reserved_bytes)
-- note: A recorder that counts no reserved memory writes 0, and a holder without a name says nothing
-- note: where it holds all.
-- needs: memory_holders? (input allocator bytes operator source module region)
-- word: held yes: of the peak
-- say: peak {bytes:bytes}[ of {capacity_bytes:bytes}][, {reserved_bytes:bytes} reserved][; {name} {first:share}][, {other} {next:share}][ {held:held}]
with most as (
  select m.input, m.allocator, m.peak_bytes, m.capacity_bytes, nullif(m.reserved_bytes, 0) as reserved_bytes from memory m
  where m.peak_bytes is not null
  order by m.allocator like 'CPU%', m.peak_bytes desc, m.rowid limit 1),
held as (
  select coalesce(nullif(h.operator, '(no operator)'), h.source, h.module, h.region, '(unknown operator)') as name, sum(h.bytes) as sum_bytes, min(h.rowid) as at
  from memory_holders h join most m on m.allocator is h.allocator and m.input is h.input
  group by 1),
ordered as (select *, row_number() over (order by sum_bytes desc, at) as nth from held)
select m.input, m.allocator as track, m.peak_bytes as bytes, m.capacity_bytes, m.reserved_bytes,
  a.name, a.sum_bytes * 1.0 / m.peak_bytes as first, b.name as other, b.sum_bytes * 1.0 / m.peak_bytes as next,
  case when a.name is not null then 'yes' end as held
from most m
left join ordered a on a.nth = 1 and a.sum_bytes * 200 > m.peak_bytes
left join ordered b on b.nth = 2 and b.sum_bytes * 200 > m.peak_bytes
order by m.input
