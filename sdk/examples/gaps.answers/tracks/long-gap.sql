-- SPDX-License-Identifier: Apache-2.0
-- long-gap: a track waits in long gaps
-- when: gaps of 1 ms and more
-- stake: gap_ns of table acme.gaps
-- of: acme.gaps
-- each: input track
-- needs: "acme.gaps" (input track start_ps gap_ps)
-- say: {track} has {gaps:count} long gaps, {stake:time} together
select input, track, count(*) as gaps, sum(gap_ps) as stake
from "acme.gaps"
group by input, track
order by stake desc, input, track
