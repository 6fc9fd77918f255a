-- SPDX-License-Identifier: Apache-2.0
-- screen_layers: which layers take the time, where the file says how long and not when
-- line: 35 layers
-- of: layer_times
-- needs: layer_times (input layer share)
-- say: {count:count} layers or kernels, without a timeline; most time: {name} {first:share}[, {other} {next:share}]
with named as (
  select input, layer, sum(share) as share, min(rowid) as at from layer_times
  where share is not null group by input, layer),
ordered as (
  select input, layer, share, row_number() over (partition by input order by share desc, at) as nth,
    count(*) over (partition by input) as n
  from named)
select a.input, a.n as count, a.layer as name, a.share as first, b.layer as other, b.share as next
from ordered a left join ordered b on b.input is a.input and b.nth = 2
where a.nth = 1
order by a.input
