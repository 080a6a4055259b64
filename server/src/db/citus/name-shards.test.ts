/** Statements name shards exactly where they name tables, and what is not understood is refused. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nameShards } from './name-shards.ts'

const shards: Readonly<Record<string, number>> = { tasks: 7, events: 8, event_heads: 9, realms: 3, credentials: 4 }
const named = (text: string) => nameShards(text, (table) => shards[table] ?? null)

const changed: Readonly<Record<string, string>> = {
  'select * from "tasks" where "realm" = $1 and "id" = $2':
    'select * from "tasks_7" as "tasks" where "realm" = $1 and "id" = $2',
  'select t.id from tasks t, lateral (select 1 from events as e where e.realm = t.realm) x':
    'select t.id from "tasks_7" t, lateral (select 1 from "events_8" as e where e.realm = t.realm) x',
  'select 1 from tasks, events where tasks.id = events.object':
    'select 1 from "tasks_7" as "tasks", "events_8" as "events" where tasks.id = events.object',
  'select "tasks"."id" from "realms" inner join "tasks" on "tasks"."realm" = "realms"."realm" order by "tasks"."id"':
    'select "tasks"."id" from "realms_3" as "realms" inner join "tasks_7" as "tasks" on "tasks"."realm" = "realms"."realm" order by "tasks"."id"',
  'insert into "tasks" ("realm") values ($1) on conflict ("realm") do update set "realm" = excluded."realm"':
    'insert into "tasks_7" as "tasks" ("realm") values ($1) on conflict ("realm") do update set "realm" = excluded."realm"',
  'insert into "tasks" ("realm") select "realm" from json_populate_recordset(null::"tasks", $1)':
    'insert into "tasks_7" as "tasks" ("realm") select "realm" from json_populate_recordset(null::"tasks", $1)',
  'update "tasks" as "own" set a = one.a from json_to_recordset($1) as one(a bigint) where own.realm = $2':
    'update "tasks_7" as "own" set a = one.a from json_to_recordset($1) as one(a bigint) where own.realm = $2',
  'update "tasks" set "a" = (select max(sequence) from events), "b" = $1 where "realm" = $2 returning "id"':
    'update "tasks_7" as "tasks" set "a" = (select max(sequence) from "events_8" as "events"), "b" = $1 where "realm" = $2 returning "id"',
  'delete from "tasks" using events where tasks.realm = events.realm':
    'delete from "tasks_7" as "tasks" using "events_8" as "events" where tasks.realm = events.realm',
  'with due as (select id from tasks where realm = $1 for update of tasks skip locked) update tasks set a = 1 from due where tasks.id = due.id':
    'with due as (select id from "tasks_7" as "tasks" where realm = $1 for update of tasks skip locked) update "tasks_7" as "tasks" set a = 1 from due where tasks.id = due.id',
  "select 'from tasks' as text, extract(epoch from at) from events where kind is distinct from $1": `select 'from tasks' as text, extract(epoch from at) from "events_8" as "events" where kind is distinct from $1`,
  'select "events" from "tasks" where "events" = $1': 'select "events" from "tasks_7" as "tasks" where "events" = $1',
  "select pg_notify('atrium_events', $1)": "select pg_notify('atrium_events', $1)",
}

const refused = {
  'a table without a shard': 'select * from workers',
  'a table that another column places': 'select * from credit_windows where organization = $1',
  'a changed copy': 'update credentials set name = $1 where id = $2',
  'a locked copy': 'select * from realms join tasks on tasks.realm = realms.realm for update of tasks',
  'a common table expression named as a table': 'with events as (select 1) select * from events',
  'a table in parentheses': 'select 1 from (tasks join events on true)',
}

describe('Shards in statements', () => {
  for (const [text, expected] of Object.entries(changed))
    it(`are named in: ${text}`, () => assert.equal(named(text), expected))
  for (const [what, text] of Object.entries(refused))
    it(`are refused for ${what}`, () => assert.equal(named(text), null))
})
