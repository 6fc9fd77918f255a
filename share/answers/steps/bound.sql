-- SPDX-License-Identifier: Apache-2.0
-- bound: what bounds the steps of a process, by the verdict that most time is at stake of
-- when: half of a step, else mixed
-- stake: share of table bound, of the window of each step
-- of: bound
-- shown: verdict
-- each: verdict track input
-- needs: bound (input step process verdict share evidence of_steps of_ps share_of)
-- needs: critical? (input step process start_ps duration_ps)
-- note: Steps of one process with one verdict are one thing. The window of a step is that of its row
-- note: in table critical. Of many steps some are walked, and stand for the others.
-- word: subject compute: Computing bounds
-- word: subject memory-bandwidth: The bandwidth of memory bounds
-- word: subject communication: Communication bounds
-- word: subject copy: Copying bounds
-- word: subject host: The host bounds
-- word: subject launch: Launching short work bounds
-- word: subject queue: Waiting in queues bounds
-- word: subject input: Loading input bounds
-- word: subject mixed: No single part bounds
-- word: subject unrecorded: unrecorded bounds
-- word: subject *: Another part bounds
-- word: recording all: the recording
-- word: part mixed: , the largest
-- word: whole its_path: its critical path
-- word: whole its_time: its time
-- word: whole their_path: their critical paths
-- word: whole their_time: their time
-- say: {verdict:subject} [{some:count} of {walked:count} walked steps (of {of_steps:count})][{several:count} steps][step {step}][{recording:recording}] of {track:process}[{mixed:part}][ for up to {most:share} of {whole:whole}][ for {part:share} of {whole:whole} ({time_ps:time}; {all_ps:time}, if all are like these)][ for {alone:share} of {whole:whole} ({time_ps:time})]
with walked as (
  select rowid as at, input, process, step, verdict, share, share_of, evidence, of_steps, of_ps,
    row_number() over (partition by input, process, step order by rowid) as nth
  from bound),
windows as (
  select input, process, step, start_ps, duration_ps,
    row_number() over (partition by input, process, step order by rowid) as nth
  from critical),
timed as (
  select w.*, c.start_ps, c.duration_ps,
    cast(round(w.share * c.duration_ps) as integer) as at_stake
  from walked w
  left join windows c on c.nth = w.nth and c.step is w.step and c.process is w.process
    and c.input is w.input and c.start_ps is not null and c.duration_ps is not null),
processes as (
  select input, process, count(*) as walked, sum(duration_ps) as windows_ps
  from timed group by input, process),
verdicts as (
  select input, process, verdict, count(*) as n, count(at_stake) as n_timed, max(share) as most,
    count(case when share_of = 'critical path' then 1 end) as on_path,
    coalesce(sum(at_stake), 0) as time_ps, min(at) as first,
    sum(case when at_stake is not null then duration_ps end) as windows_ps
  from timed
  where verdict <> 'unknown'
  group by input, process, verdict),
told as (
  select *, row_number() over (partition by input, process, verdict
    order by coalesce(at_stake, 0) desc, at) as place
  from timed),
counted as (
  select v.*, t.step, t.evidence, t.start_ps, t.duration_ps, t.at_stake, t.of_steps, p.walked,
    v.n_timed = v.n as whole_time, coalesce(t.of_steps > p.walked, 0) as stands_for,
    case when t.of_steps > p.walked and t.of_ps is not null and p.windows_ps > 0
      then cast(round(v.time_ps * 1.0 * t.of_ps / p.windows_ps) as integer)
      else v.time_ps end as all_ps
  from verdicts v
  join told t on t.place = 1 and t.verdict is v.verdict and t.process is v.process
    and t.input is v.input
  join processes p on p.process is v.process and p.input is v.input)
select input, process as track, verdict, walked, of_steps,
  case when whole_time then all_ps end as stake,
  case when not whole_time then 'the window of a step is not known'
    when stands_for then 'share of table bound in the steps that were walked, of the windows of all steps'
    end as source,
  case when stands_for then n end as some,
  case when not stands_for and n > 1 then n end as several,
  case when not stands_for and n = 1 then step end as step,
  case when not stands_for and n = 1 and step is null then 'all' end as recording,
  case when whole_time or most is not null then verdict end as mixed,
  case when not whole_time then most end as most,
  case when stands_for or n > 1 then 'their' else 'its' end
    || case when on_path = n then '_path' else '_time' end as whole,
  case when whole_time then time_ps end as time_ps,
  case when whole_time and stands_for then all_ps end as all_ps,
  case when stands_for then coalesce(time_ps * 1.0 / windows_ps, 0.0) end as part,
  case when not stands_for then coalesce(time_ps * 1.0 / windows_ps, 0.0) end as alone,
  case when whole_time then coalesce(time_ps * 1.0 / windows_ps, 0.0) end as share,
  case when n > 1 and step is not null then 'step ' || step || ': ' || evidence
    else evidence end as detail,
  case when at_stake is not null then start_ps end as start_ps,
  case when at_stake is not null then start_ps + duration_ps end as end_ps
from counted
order by counted.all_ps desc, first
