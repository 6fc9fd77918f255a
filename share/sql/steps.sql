-- How long is each step, and how much do devices differ in it?
-- nprof sql FILE -f share/sql/steps.sql
select step, count(distinct process) as devices,
       min(start_ps) / 1e9 as start_ms,
       (max(start_ps + duration_ps) - min(start_ps)) / 1e9 as length_ms,
       (max(last) - min(last)) / 1e6 as skew_us
from (select step, process, start_ps, duration_ps,
             max(start_ps + duration_ps) over (partition by step, process) as last
      from events
      where kind = 'span' and step is not null and duration_ps is not null)
group by step
order by step;
