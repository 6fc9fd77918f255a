-- What values does each counter take?
-- nprof sql FILE -f share/sql/counters.sql
select process, name, count(*) as samples, min(value) as least, avg(value) as mean,
       max(value) as greatest, arg_max(value, start_ps) as last
from events
where kind = 'counter' and value is not null
group by process, name
order by process, name;
