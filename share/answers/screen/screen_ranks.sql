-- SPDX-License-Identifier: Apache-2.0
-- screen_ranks: what the ranks of a job differ by, and for whom the others wait
-- line: 3 job
-- of: ranks
-- needs: job (input ranks code collectives)
-- needs: ranks (input rank last waited_ps)
-- needs: rank_spread (input time min_ps min_rank max_ps max_rank)
-- needs: stragglers? (share)
-- word: is straggler: STRAGGLERS
-- word: is imbalance: IMBALANCE
-- note: Times are of all steps. A job whose ranks wait for less than a tenth of their steps has no
-- note: code, and of one with stragglers the line of screen_job says for whom.
-- say: [{is:is}: ][most is waited for rank {nth:count}, {time_ps:time} in all, last at {count:count} of {all:count} collectives; ]compute {least:time} to {most:time} a rank[, exposed communication {one_ps:time} (rank {one:count}) to {two_ps:time} (rank {two:count})]
with waits as (
  select input, ranks, collectives, not exists (select 1 from stragglers where share >= 0.01) as told, code
  from job),
most as (
  select input, rank, last, waited_ps from ranks where waited_ps > 0 order by waited_ps desc, rank limit 1)
select j.input, case when j.told then j.code end as "is", case when j.told then j.code end as code,
  case when j.told then m.rank end as nth, case when j.told then m.waited_ps end as time_ps, m.last as count, j.collectives as "all",
  c.min_ps as least, c.max_ps as most, e.min_rank as one, e.min_ps as one_ps, e.max_rank as two, e.max_ps as two_ps
from waits j
join rank_spread c on c.input is j.input and c.time = 'compute'
left join rank_spread e on e.input is j.input and e.time = 'exposed' and e.max_ps > 0
left join most m on m.input is j.input
where j.ranks > 1 and (select count(distinct rank) from ranks) > 1
limit 1
