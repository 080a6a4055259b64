/** The index of labels and custom fields is exact after any writes, and the migration indexes older tasks. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newDatabase } from '../../../../test/engines.ts'
import { onEveryWorld } from '../../../../test/world.ts'
import { applyMigrations, migrate, migrations } from '../../../db/migrate.ts'
import { openStore } from '../../../db/open.ts'
import { query } from '../../../db/query.ts'
import type { TaskRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { insertTasks, workspaceOf } from '../rows.test.ts'
import { termsOf } from '../terms.ts'

let seed = 20_261_121
function below(bound: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * bound)
}
const one = <T>(of: readonly T[]): T => of[below(of.length)] as T

const allTasks = query((db) => db.selectFrom('tasks').selectAll())
const allTerms = query((db) => db.selectFrom('task_terms').selectAll())

/** The stored and the expected terms of all tasks. */
async function compareTerms(reader: Reader): Promise<{ stored: string[]; expected: string[] }> {
  const rows = await reader.all(allTasks)
  const stored = (await reader.all(allTerms)).map(({ realm, term, task }) => `${realm} ${task} ${term}`)
  const expected = rows.flatMap((row) => termsOf(row).map((term) => `${row.realm} ${row.id} ${term}`))
  return { stored: stored.sort(), expected: expected.sort() }
}

const labels = [
  'backend',
  'Ünïcode',
  '\u{1F600}'.repeat(80),
  'a=b',
  ':',
  ...Array.from({ length: 20 }, (_, i) => `l${i}`),
]
const values = [
  1,
  2.5,
  -1.5e-7,
  1e21,
  1e20,
  true,
  false,
  null,
  '',
  'text',
  '3',
  'long '.repeat(300),
  '\u{1F600}'.repeat(200),
]
const fields = () => ({
  labels: [...new Set(Array.from({ length: below(12) }, () => one(labels)))],
  custom_fields: { [one(['x', 'y', 'z'])]: one([...values, ['a', 'b']]), [one(['points', 'team'])]: one(values) },
})

onEveryWorld('The terms of tasks', (world, engine) => {
  it('match their labels and custom fields after 2,000 random writes', async () => {
    const workspace = (await workspaceOf(world)).id
    const projects: string[] = []
    for (let i = 0; i < 3; i++) projects.push((await world.make('/v1/projects', { workspace, name: `P${i}` })).id)
    const tasks: string[] = []
    const draft = () => ({ title: 'Task', project: one([null, ...projects]), ...fields() })
    async function step(): Promise<void> {
      const choice = below(20)
      if (tasks.length < 5 || choice < 4) {
        const made = await world.post('/v1/tasks', { workspace, ...draft() })
        if (made.status === 200) tasks.push(made.body.id)
      } else if (choice < 6) {
        const made = await world.post('/v1/tasks/batch', { workspace, data: [draft(), draft(), draft()] })
        if (made.status === 200) for (const { id } of made.body.data) tasks.push(id)
      } else if (choice < 16) {
        const whole = fields()
        await world.patch(
          `/v1/tasks/${one(tasks)}`,
          one([whole, { labels: whole.labels }, { custom_fields: whole.custom_fields }]),
        )
      } else if (choice < 18) await world.delete(`/v1/tasks/${one(tasks)}`)
      else if (choice < 19) await world.post(`/v1/projects/${one(projects)}/duplicate`, {})
      else await world.post(`/v1/projects/${one(projects)}/${one(['archive', 'archive'])}`, {})
    }
    for (let i = 0; i < 2000; i += 8) await Promise.all(Array.from({ length: 8 }, step))
    const { stored, expected } = await compareTerms(world.services.store.reader('system'))
    assert.ok(expected.length > 1000, `only ${expected.length} terms`)
    assert.deepEqual(stored, expected)
  })

  it('are written by the migration for existing tasks', async () => {
    const database = await newDatabase(engine)
    const store = await openStore(database.url)
    const names = migrations.map(({ name }) => name)
    await applyMigrations(store, names.slice(0, names.indexOf('0009_task_terms')), 1)
    const rows = await insertTasks(
      world,
      await workspaceOf(world, 'Before'),
      Array.from({ length: 200 }, () => {
        const { labels, custom_fields } = fields()
        const kept = Object.fromEntries(Object.entries(custom_fields).filter(([, value]) => value !== null))
        return { labels: JSON.stringify(labels), custom_fields: JSON.stringify(kept) }
      }),
    )
    await store.write('system', async (tx) => {
      // The columns of that version.
      for (const {
        start_at: _,
        parent: __,
        subtask_count: ___,
        subtask_done_count: ____,
        mentions: _____,
        attachments: ______,
        ...row
      } of rows) {
        tx.insert('tasks', row as TaskRow)
      }
    })
    await migrate(store, 2)
    const { stored, expected } = await compareTerms(store.reader('system'))
    assert.ok(expected.length > 500, `only ${expected.length} terms`)
    assert.deepEqual(stored, expected)
    await store.close()
    await database.remove()
  })
})
