-- SPDX-License-Identifier: Apache-2.0
-- gaps_line: the track that waits longest in long gaps, on the first screen
-- line: 900 gaps
-- of: acme.gaps
-- needs: "acme.gaps" (input track start_ps gap_ps)
-- say: {track} waits in {gaps:count} gaps of 1 ms and more, {time_ps:time} together
select input, track, count(*) as gaps, sum(gap_ps) as time_ps
from "acme.gaps"
group by input, track
order by time_ps desc, input, track
limit 1
