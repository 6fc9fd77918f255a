-- SPDX-License-Identifier: Apache-2.0
-- screen_late_ranks: the rank for which the others of a job waited longest, by logs of collectives
-- line: 3 verdict
-- of: late_ranks
-- needs: late_ranks (input rank host pid collectives last caused_ps reason)
-- word: nobody nobody: nobody was late
-- say: [LATE: rank {nth:count} ({name}, pid {pid:count}) came last to {count:count} of {all:count} collectives; the others waited {time_ps:time} for it, summed over them][who was late is not known: {because}][{none:nobody}]
select input, case when reason is null and caused_ps > 0 then 'straggler' else 'undetermined.not_recorded' end as code,
  case when reason is null and caused_ps > 0 then rank end as nth, coalesce(host, 'unknown host') as name,
  pid, last as count, collectives as "all", caused_ps as time_ps, reason as because,
  case when reason is null and caused_ps <= 0 then 'nobody' end as none
from late_ranks
order by rowid
limit 1
