-- How long does each operator take: median, 90th, 99th percentile and the longest?
-- nprof sql FILE -f share/sql/percentiles.sql
select name, count(*) as spans,
       quantile_cont(duration_ps, 0.5) / 1e6 as median_us,
       quantile_cont(duration_ps, 0.9) / 1e6 as p90_us,
       quantile_cont(duration_ps, 0.99) / 1e6 as p99_us,
       max(duration_ps) / 1e6 as max_us
from events
where kind = 'span' and duration_ps is not null
group by name
order by sum(duration_ps) desc
limit 20;
