-- SPDX-License-Identifier: Apache-2.0
-- clocks: the clocks of some ranks are joined with no others
-- code: clock
-- when: known
-- stake: what is not known has no time
-- of: clocks
-- each: other
-- needs: clocks (input clock ranks component)
-- needs: ranks? (rank)
-- note: Clocks of the first one's component are those that it is joined to.
-- advice: record a collective over all ranks
-- say: Times of ranks {name} cannot be compared with the others, since no collective joins their clock, {other}
select input, coalesce(ranks, 'some') as name, coalesce(clock, 'unknown') as other
from clocks
where component <> (select component from clocks order by rowid limit 1)
  and (select count(distinct rank) from ranks) is not 1
order by rowid
