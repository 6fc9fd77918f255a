-- SPDX-License-Identifier: Apache-2.0
-- waits_within: a device waits within replays of a graph
-- when: > 1 % of their time, first start to last end
-- stake: within_ns of table graph_replays
-- of: graph_replays
-- shown: summary
-- each: input device graph number
-- needs: graph_replays (input device graph number span_ps within_ps)
-- note: None of the kernels of the replay runs then. A launch that has not returned may still submit them.
-- word: more yes: s
-- advice: fewer and longer kernels, or branches that run side by side
-- say: In {count:count} replay[{more:more}] of {name} on {device:device} no kernel runs for {share:share} of the time ({stake:time})
select input, device, graph as name, number, count(*) as count,
  case when count(*) <> 1 then 'yes' end as more, sum(within_ps) as stake,
  sum(within_ps) * 1.0 / sum(span_ps) as share
from graph_replays
group by input, device, graph, number
having sum(within_ps) * 100.0 > sum(span_ps) * 1.0
order by stake desc, min(rowid)
