import type { Migration } from './migration.ts'

/**
 * Terms that tasks can be found by but that are inside a JSON text: one row per label and plain custom field, also of
 * tombstones, as in an index (`tasks/terms.ts`). And the indexes that some orders and the archive filter lacked.
 */
const indexes = `
create index tasks_archived on tasks (realm, id) where is_archived = 1;
create index tasks_title on tasks (realm, title, id);
create index tasks_position on tasks (realm, position, id);
`

const columns = 'realm bigint not null, term text not null, task text not null, primary key (realm, term, task)'

export const taskTerms: Migration = {
  name: '0009_task_terms',
  sql: {
    sqlite: `${indexes}
create table task_terms (${columns}) without rowid;
insert or ignore into task_terms
  select tasks.realm, ':' || substr(label.value, 1, 100), tasks.id from tasks, json_each(tasks.labels) label;
insert or ignore into task_terms
  select tasks.realm, substr(field.key || '=' || case field.type when 'text' then field.value
    else tasks.custom_fields -> field.fullkey end, 1, length(field.key) + 101), tasks.id
  from tasks, json_each(tasks.custom_fields) field where field.type in ('text', 'integer', 'real', 'true', 'false');
`,
    postgres: `${indexes}
create table task_terms (${columns});
insert into task_terms
  select tasks.realm, ':' || left(label, 100), tasks.id
  from tasks cross join json_array_elements_text(tasks.labels::json) label on conflict do nothing;
insert into task_terms
  select tasks.realm, field.key || '=' || left(tasks.custom_fields::json ->> field.key, 100), tasks.id
  from tasks cross join json_each(tasks.custom_fields::json) field
  where json_typeof(field.value) in ('string', 'number', 'boolean') on conflict do nothing;
`,
  },
}
