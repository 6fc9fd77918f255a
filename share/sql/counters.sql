-- What values does each counter take?
-- duckdb < share/sql/counters.sql, where out/ is what nprof run -s parquet -o out wrote.
select process, name, count(*) as samples, min(value) as least, avg(value) as mean,
       max(value) as greatest, arg_max(value, start_ps) as last
from 'out/events.parquet'
where kind = 'counter' and value is not null
group by process, name
order by process, name;
