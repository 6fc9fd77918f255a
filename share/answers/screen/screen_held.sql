-- SPDX-License-Identifier: Apache-2.0
-- screen_held: what is held of a core's memory, where the file does not say when
-- line: 41 memory
-- of: neuron_memory
-- needs: neuron_memory (input device use bytes)
-- needs: memory? (peak_bytes)
-- word: uses named: of it
-- word: uses unnamed: for what, the file does not name
-- say: held {bytes:bytes}[; {name} {first:share}][, {other} {next:share}][ {known:uses}][; {unknown:uses}]
with summed as (
  select input, device, sum(bytes) as all_bytes, min(rowid) as at from neuron_memory group by input, device),
most as (select input, device, all_bytes from summed order by all_bytes desc, at limit 1),
ordered as (
  select n.use, n.bytes, row_number() over (order by n.bytes desc, n.rowid) as nth
  from neuron_memory n join most m on m.device is n.device and m.input is n.input)
select m.input, m.device, m.all_bytes as bytes, a.use as name, a.bytes * 1.0 / m.all_bytes as first,
  b.use as other, b.bytes * 1.0 / m.all_bytes as next,
  iif(a.use is null, null, 'named') as known, iif(a.use is null, 'unnamed', null) as unknown
from most m
join ordered a on a.nth = 1
left join ordered b on b.nth = 2 and b.bytes * 200 > m.all_bytes and a.use is not null
where m.all_bytes > 0 and not exists (select 1 from memory where peak_bytes is not null)
order by m.input
