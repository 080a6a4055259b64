import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { builder } from '../../db/query.ts'
import { type ShownTaskRow, showTask, task_priorities, task_statuses } from './task.ts'
import { joinedText, type TaskTextRow, taskText, textColumns } from './task-text.ts'

const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9:_-]{0,159}$/)
const time = fc.integer({ min: 0, max: 8_640_000_000_000_000 })
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const values = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
)

const rows: fc.Arbitrary<ShownTaskRow> = fc.record({
  id,
  created: time,
  updated: time,
  revision: fc.integer({ min: 1 }),
  workspace: id,
  number: fc.integer({ min: 1 }),
  key: fc.stringMatching(/^[A-Z]{2,6}-[1-9]\d{0,15}$/),
  project: optional(id),
  column: optional(id),
  title: fc.string({ unit: 'binary' }),
  description: optional(fc.string({ unit: 'binary' })),
  mentions: fc.array(id).map((mentions) => JSON.stringify(mentions)),
  status: fc.constantFrom(...task_statuses),
  priority: fc.constantFrom(...task_priorities),
  priority_rank: fc.nat(),
  assignee: optional(id),
  creator_type: fc.constantFrom('organization', 'user', 'automation'),
  creator_id: id,
  start_at: optional(time),
  due_at: optional(time),
  completed_at: optional(time),
  is_archived: fc.constantFrom(0, 1),
  labels: fc.array(fc.string({ unit: 'binary' })).map((labels) => JSON.stringify(labels)),
  custom_fields: fc
    .dictionary(fc.stringMatching(/^[a-z][a-z0-9_]{0,39}$/), values)
    .map((fields) => JSON.stringify(fields)),
  attachments: fc.array(id).map((ids) => JSON.stringify(ids)),
  parent: optional(id),
  subtask_count: fc.nat(),
  subtask_done_count: fc.nat(),
  position: fc.double({ min: -1e15, max: 1e15, noNaN: true }),
  template: optional(id),
})

test('the text of a task equals its JSON byte for byte', () => {
  fc.assert(fc.property(rows, (row) => assert.equal(taskText(row), JSON.stringify(showTask(row)))))
})

/** Requests cannot send, and SQLite does not store, U+0000 and half surrogate pairs. */
function isStorable(row: ShownTaskRow): boolean {
  return Object.values(row).every(
    (value) => typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0')),
  )
}

/** The type as in the migration, because it decides how SQLite stores a number. */
function typeOf(column: string): string {
  if (column === 'position') return 'double precision'
  return /^(created|updated|revision|number|priority_rank|start_at|due_at|completed_at|is_archived|subtask_\w+)$/.test(
    column,
  )
    ? 'bigint'
    : 'text'
}

test('the text of a task from SQLite equals its JSON byte for byte', () => {
  const database = new DatabaseSync(':memory:')
  const columns = Object.keys(fc.sample(rows, 1)[0] as ShownTaskRow)
  const typed = columns.map((name) => `"${name}" ${typeOf(name)}`)
  database.exec(`create table tasks (${typed.join()})`)
  const insert = database.prepare(`insert into tasks values (${columns.map(() => '?').join()})`)
  const read = database.prepare(`select ${textColumns.compile(builder('sqlite')).sql} from tasks`)
  fc.assert(
    fc.property(rows.filter(isStorable), (row) => {
      database.exec('delete from tasks')
      insert.run(...(Object.values(row) as (string | number | null)[]))
      assert.equal(joinedText(read.get() as unknown as TaskTextRow), taskText(row))
    }),
  )
})
