-- SPDX-License-Identifier: Apache-2.0
-- p99: one call of a name in a hundred takes much longer than the others
-- when: > 3 x median, of 100 calls or more, 1 % of the longest window or more
-- stake: p99_ns less median_ns of table latency, of one call in a hundred
-- of: latency
-- shown: latency
-- each: name
-- needs: latency (input thread track name category calls median_ps p99_ps)
-- needs: tracks (track kind)
-- needs: devices? ()
-- needs: verdict? (window_ps)
-- needs: kernels? (input kernel shapes operators)
-- needs: hlo_instructions? (input instruction program_id)
-- note: At stake is what the slow calls take beyond the median. Of less than a hundred calls p99 is
-- note: but the longest, and one straggler is no tail. A kernel that is known to work on several
-- note: shapes takes as long as each needs, and what each takes is not known. Calls of a host wait for
-- note: whatever comes, and count where the profile has no device; so do waits of a device and parts of a
-- note: collective, which are no work.
-- word: doubt shapes: ; whether all are of one shape is not known
-- advice: compare a slow call with a median one: shapes, what runs beside it, clocks
-- say: One in a hundred of {calls:count} calls of {name} on {track:thread} takes {p99_ps:time} or more, the median call {median_ps:time}[; they are of {programs:count} programs][{unlike:doubt}]
with work as (
  select track from tracks where kind in ('queue', 'engine')),
launched as (
  select input, kernel, max(shapes) as shapes, max(operators) as operators
  from kernels group by input, kernel),
compiled as (
  select input, instruction, count(distinct program_id) as programs
  from hlo_instructions group by input, instruction),
slow as (
  select rowid as at, input, thread, track in (select track from work) as of_device, name, calls,
    median_ps, p99_ps
  from latency
  where calls >= 100 and median_ps > 0 and p99_ps > 3.0 * median_ps
    and coalesce(category, '') not in ('device_wait', 'device_control', 'hccl_part')),
known as (
  select s.*, coalesce(k.shapes, 0) as shapes, coalesce(k.operators, 0) as operators,
    coalesce(c.programs, 0) as programs_known
  from slow s
  left join launched k on k.kernel = s.name and k.input is s.input
  left join compiled c on c.instruction = s.name and c.input is s.input)
select input, name, thread as track, calls, median_ps, p99_ps,
  cast((p99_ps - median_ps) * 1.0 * calls / 100 as integer) as stake,
  case when of_device and not (shapes = 1 and operators = 1) and programs_known > 1
    then programs_known end as programs,
  case when of_device and not (shapes = 1 and operators = 1) and programs_known = 0
    then 'shapes' end as unlike
from known
where shapes <= 1 and (of_device or not exists (select 1 from devices))
  and (p99_ps - median_ps) * 1.0 * calls >= coalesce((select max(window_ps) from verdict), 0)
order by stake desc, at
