-- Which operators take most time, each summed over all tracks?
-- nprof sql FILE -f share/sql/top-operators.sql
select name, category, count(*) as spans,
       sum(duration_ps) / 1e9 as total_ms,
       round(100.0 * sum(duration_ps) / sum(sum(duration_ps)) over (), 2) as percent
from events
where kind = 'span' and duration_ps is not null
group by name, category
order by total_ms desc
limit 20;
