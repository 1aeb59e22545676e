-- What sql.c runs: a thousand jobs of eight tasks, with indices, joins, windows and a text index.
create table task (id integer primary key, name text unique, period integer, deadline integer);
insert into task
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 8)
  select i, 'task ' || i, 10 * i * (1 + i % 3), 8 * i * (1 + i % 3) from n;
create table job (task integer references task, release integer, response integer);
insert into job
  with recursive n(i, x) as (
    select 1, 17 union all select i + 1, (x * 1103515245 + 12345) % 2147483648 from n where i < 1000)
  select 1 + x / 65536 % 8, i * 3, x / 1024 % 120 from n;
create index by_task on job (task, response);
select count(*), min(response), max(response), round(avg(response), 4) from job;
select name, count(*), max(response), sum(response > deadline)
  from job join task on task.id = job.task group by task.id order by 4 desc, name;
select * from (
  select task, release, response, rank() over (partition by task order by response desc, release) as place
  from job) where place <= 2 order by task, place;
update job set response = response - 5 where response > 100;
delete from job where task = 3;
select task, total(response) from job group by task having count(*) > 100 order by task;
create virtual table note using fts5(body);
insert into note select name || ' has a period of ' || period from task;
select body from note where note match 'period AND "60"' order by body;
select upper(substr(name, 1, 2)), printf('%08.3f', period / 7.0), hex(zeroblob(2)) from task limit 3;
select json_extract('{"deadline": [1, 2, {"a": 5.5}]}', '$.deadline[2].a');
begin; insert into task values (99, 'gone', 1, 1); rollback;
select count(*) from task;
vacuum;
pragma integrity_check;
