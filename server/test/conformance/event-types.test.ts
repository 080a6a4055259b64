/** Event types that follow from the state of an object, or from a worker (contract/10#event-types). */
import assert from 'node:assert/strict'
import test, { before, it } from 'node:test'
import { eventTypes, readScopeOf } from '../../src/api/declare/event.ts'
import { catalogue } from '../../src/catalogue.ts'
import { query } from '../../src/db/query.ts'
import { exportsWorker } from '../../src/workers/exports.ts'
import { worker_limits } from '../../src/workers/limits.ts'
import { activate, begin, openOffice } from '../automations/served.ts'
import { onEveryWorld } from '../world.ts'
import { change } from './stored.ts'

/** Uses up the tries of an export job. */
const exhaustTries = query<unknown, { realm: number; id: string; tries: number }>((db, p) =>
  db
    .updateTable('export_jobs')
    .set({ tries: p('tries') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

test('reading the noun of an event takes the scope of the operation that shows it', () => {
  for (const { type, noun } of eventTypes.values()) {
    const operation =
      catalogue.find(({ kind, target }) => kind === 'read' && target?.object === noun.object) ??
      catalogue.find(({ lists }) => lists?.object === noun.object)
    assert.ok(operation, `No operation shows the objects of ${type}.`)
    assert.equal(readScopeOf(noun.object), operation.scope, `${type}: give its noun the readScope of ${operation.id}.`)
  }
  assert.equal(readScopeOf('unknown'), undefined)
})

onEveryWorld('the type of an event', (world) => {
  let workspace: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Events' })).id
  })

  it('is reopened when a task leaves done', async () => {
    const { id } = await world.make('/v1/tasks', { workspace, title: 'Done', status: 'done' })
    await world.markWritten()
    await world.patch(`/v1/tasks/${id}`, { status: 'todo' })
    await world.assertWritten({ events: ['workflow.task.reopened'], audit: ['tasks.update'] })
  })

  it('is created, updated and deleted for billing rates and invoice drafts', async () => {
    const { id: project } = await world.make('/v1/projects', { workspace, name: 'Billed' })
    const amounts = { currency: 'EUR', net_amount_minor: 100, tax_amount_minor: 19, gross_amount_minor: 119 }
    const rate = { workspace, scope: 'workspace', currency: 'EUR', amount_minor: 9000 }
    for (const [path, noun, body, update] of [
      ['/v1/billing_rates', 'billing_rate', rate, { amount_minor: 9500 }],
      ['/v1/invoice_drafts', 'invoice_draft', { workspace, project, ...amounts }, { status: 'ready' }],
    ] as const) {
      await world.markWritten()
      const { id } = await world.make(path, body)
      await world.patch(`${path}/${id}`, update)
      await world.delete(`${path}/${id}`)
      const types = {
        billing_rate: [
          'workflow.billing_rate.created',
          'workflow.billing_rate.updated',
          'workflow.billing_rate.deleted',
        ],
        invoice_draft: [
          'workflow.invoice_draft.created',
          'workflow.invoice_draft.updated',
          'workflow.invoice_draft.deleted',
        ],
      }
      const actions = ['create', 'update', 'delete'].map((verb) => `${noun}s.${verb}`)
      await world.assertWritten({ events: types[noun], audit: actions })
    }
  })

  it('is failed for an export whose tries are used up', async () => {
    const { id } = await world.make('/v1/exports', { resource: 'tasks', workspace })
    const tries = worker_limits.export_tries_max
    await change(world, exhaustTries, { realm: world.acme.realms.live, id, tries })
    await world.markWritten()
    assert.equal(await exportsWorker.run(world.services, 1, new AbortController().signal), 1)
    await world.assertWritten({ events: ['workflow.export_job.failed'], audit: ['exports.fail'] })
    assert.equal((await world.get(`/v1/jobs/${id}`)).body.status, 'failed')
  })

  it('is skipped for a run that may not start', async () => {
    const office = await openOffice(world)
    const graph = {
      schema_version: 1,
      settings: { max_runs_per_hour: 1 },
      nodes: [
        { id: 'created', type: 'trigger.event', config: { event_types: ['workflow.task.created'] } },
        { id: 'comment', type: 'task.comment', config: { body: 'Seen' } },
      ],
      edges: [{ source: 'created', target: 'comment' }],
    }
    await activate(world, office, graph)
    await world.make('/v1/tasks', { workspace: office.workspace, title: 'First' })
    await begin(world.services)
    await world.make('/v1/tasks', { workspace: office.workspace, title: 'Second' })
    await world.markWritten()
    await begin(world.services)
    await world.assertWritten({ events: ['automation.run.skipped'], audit: ['automation_runs.start'] })
  })
})
