/**
 * A day of a team with three active ready-made flows: exactly one journal entry explains each change by an automation. Uses
 * the real board if its folder is beside the repository, otherwise a generated one. 1,000 edits; ATRIUM_TEST_EDITS=5000
 * changes the number.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, it } from 'node:test'
import { type Placeholder, query } from '../server/src/db/query.ts'
import { addMember } from '../server/src/resources/members/write.ts'
import { activate, runsOf, settle } from '../server/test/automations/served.ts'
import { onEveryWorld } from '../server/test/world.ts'
import { Api, type Json } from './load-board/api.ts'
import { loadBoard } from './load-board/load.ts'
import { Progress } from './load-board/progress.ts'

const folder = join(import.meta.dirname, '../../shared/data/kubernetes-enhancements')
const edits = Number(process.env.ATRIUM_TEST_EDITS ?? 1000)
const names = ['triage-by-label', 'hand-over-on-review', 'tell-unblocked'] as const

/** The same numbers in every run: a linear congruential generator. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return Math.floor((state / 2 ** 32) * sides)
  }
}

const automated = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('events')
    .select(['id', 'type', 'object_id', 'actor_id', 'data'])
    .where('realm', '=', p('realm'))
    .where('actor_type', '=', 'automation')
    .orderBy('sequence'),
)

/** One change as events and journals record it: type, object, flow, and the fields with their earlier values. */
function entryText(type: string, id: string, flow: string, before: Readonly<Record<string, unknown>> | null): string {
  const fields = Object.entries(before ?? {}).filter(([name]) => name !== 'updated' && name !== 'revision')
  return JSON.stringify([type, id, flow, fields.sort(([a], [b]) => (a < b ? -1 : 1))])
}

onEveryWorld('a day of a team with automations', (world) => {
  let workspace: string
  let tasks: Json[]
  const people: string[] = []

  before(async () => {
    for (const name of ['Ada', 'Grace', 'Alan']) {
      const person = { email: `${name}@acme.example`, first_name: name, role: 'engineer' }
      people.push((await addMember(world.services, world.acme.id, person)).user)
    }
    if (existsSync(folder)) {
      const api = new Api({ url: world.server.url, key: world.acme.key })
      await loadBoard(api, new Progress(null), { folder, kind: 'blocks' })
    } else await makeBoard()
    workspace = (await world.get('/v1/workspaces')).body.data[0].id
    tasks = []
    const api = new Api({ url: world.server.url, key: world.acme.key })
    for await (const task of api.list(`/v1/tasks?workspace=${workspace}`)) tasks.push(task)
  })

  async function makeBoard(): Promise<void> {
    const { id } = await world.make('/v1/workspaces', { title: 'Board' })
    for (let p = 0; p < 3; p++) {
      const project = (await world.make('/v1/projects', { workspace: id, name: `Project ${p}` })).id
      const data = Array.from({ length: 30 }, (_, n) => ({ title: `Task ${n}`, project }))
      const made = (await world.make('/v1/tasks/batch', { workspace: id, data })).data
      for (let n = 0; n + 1 < made.length; n += 2) {
        await world.make(`/v1/tasks/${made[n].id}/dependencies`, { workspace: id, to: made[n + 1].id, kind: 'blocks' })
      }
    }
  }

  /** One of a few typical edits by people. */
  async function edit(roll: (sides: number) => number): Promise<void> {
    const task = tasks[roll(tasks.length)]
    const pick = <T>(items: readonly T[]): T => items[roll(items.length)] as T
    const fields = pick([
      () => ({ status: pick(['todo', 'in_progress', 'in_review', 'done', 'done', 'blocked']) }),
      () => ({ labels: pick([['security'], ['bug'], ['question', 'docs'], ['docs'], []]) }),
      () => ({ priority: pick(['none', 'low', 'high']) }),
      () => ({ assignee: pick([...people, null]), custom_fields: { reviewer: pick([...people, null]) } }),
      () => ({ title: `Task after ${roll(1000)} meetings` }),
    ])()
    const reply = await world.patch(`/v1/tasks/${task.id}`, { workspace, ...fields })
    assert.equal(reply.status, 200, reply.text)
  }

  it('explains every change by an automation with exactly one journal entry', async () => {
    const flows: string[] = []
    const office = { workspace, project: '', task: tasks[0].id }
    for (const name of names) {
      const graph = JSON.parse(readFileSync(join(import.meta.dirname, 'flows', `${name}.json`), 'utf8'))
      flows.push((await activate(world, office, { ...graph, settings: { max_runs_per_hour: 3600 } }, { name })).id)
    }
    const roll = dice(655)
    for (let i = 0; i < edits; i++) {
      await edit(roll)
      world.clock.advance(Math.floor(86_400_000 / edits))
      if (i % 20 === 0) await settle(world.services)
    }
    await settle(world.services)

    const explained: string[] = []
    let succeeded = 0
    for (const flow of flows) {
      for (const run of await runsOf(world, office, flow)) {
        assert.notEqual(run.ended_at, null, `${run.id} is ${run.status}`)
        if (run.status === 'succeeded') succeeded++
        for (const step of run.steps) {
          for (const { type, id, fields } of step.changes) {
            const before = Object.entries(fields as Record<string, { from: unknown }>).map(([k, { from }]) => [k, from])
            explained.push(entryText(type, id, flow, type.endsWith('.created') ? null : Object.fromEntries(before)))
          }
        }
      }
    }
    const rows = await world.services.store.reader('system').all(automated, { realm: world.acme.realms.live })
    const changed = rows
      .filter((row) => row.type.startsWith('workflow.'))
      .map((row) => entryText(row.type, row.object_id, row.actor_id, JSON.parse(row.data).previous_attributes))
    assert.deepEqual(explained.sort(), changed.sort())
    assert.ok(succeeded > edits / 10 && changed.length > edits / 10, `${succeeded} runs made ${changed.length} changes`)
  })
})
