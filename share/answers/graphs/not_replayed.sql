-- SPDX-License-Identifier: Apache-2.0
-- not_replayed: replays of graphs lack kernels that their capture launches
-- when: any
-- stake: none: what they took is in no row, only the gap at their place
-- of: graph_lost
-- shown: summary
-- each: input graph
-- needs: graph_lost (input graph capture launch kernel operator replays gap_most_ps)
-- note: The recorder lost them, or their nodes were left out of the graph.
-- advice: larger buffers of the recorder; else nothing: these kernels are left out of the graph
-- say: {replays:count} replays lack {name}, which {other} launches[; the gap at its place is {gap_ps:time} at most]
select l.input, l.graph, l.kernel as name, l.capture as other, l.replays, l.gap_most_ps as gap_ps, null as stake
from graph_lost l
order by l.replays desc, l.rowid
