-- SPDX-License-Identifier: Apache-2.0
-- screen_job: ranks that hold the others of their job up
-- line: 4 late job
-- of: stragglers
-- needs: stragglers (input who cause share held_ps last collectives)
-- note: A straggler is a rank or a group of ranks; share is of the time of all steps.
-- say: {name} holds the others up for {share:share} of all steps ({time_ps:time}), last at {count:count} of {all:count} collectives[: {other}]
select input, 'straggler' as code, who as name, cause as other, share, share as ratio, held_ps as time_ps,
  last as count, collectives as "all", 'steps' as whole
from stragglers
where share >= 0.01
order by share desc, rowid
limit 2
