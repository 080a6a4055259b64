/** Filters of the event list: what they select, and that each reads an index. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { planRecorder } from '../../../test/plan-recorder.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { eventTypes } from '../../api/declare/event.ts'
import { definition } from '../../db/query.ts'
import { idTime, newId, smallestId } from '../../lib/ids.ts'
import { type EventCriteria, readEvents } from './queries.ts'

interface Shown {
  readonly id: string
  readonly type: string
  readonly sequence: number
  readonly created: number
  readonly data: { readonly object: { readonly id: string } }
}

onEveryWorld('the filters of the event list', (world, engine) => {
  let workspace: string
  before(async () => {
    // Ids never go back within a process, and the lists look for times in them.
    world.clock.set(Math.ceil(idTime(newId('evt', world.clock.now())) / 1000) * 1000)
    workspace = (await world.make('/v1/workspaces', { title: 'Events' })).id
  })

  const list = async (query: string): Promise<Shown[]> => (await world.get(`/v1/events?limit=100&${query}`)).body.data
  const task = (title: string) => world.make('/v1/tasks', { workspace, title })
  const types = (events: readonly Shown[]) => events.map(({ type }) => type)

  it('`types[]` takes exact types and patterns, several mean or; the order stays the latest first', async () => {
    const { id } = await task('Types')
    await world.make(`/v1/tasks/${id}/comments`, { workspace, body: 'Look' })
    await world.make(`/v1/tasks/${id}/complete`)
    const kinds = ['workflow.task.completed', 'workflow.comment.created', 'workflow.task.created']
    assert.deepEqual(types(await list('types[]=workflow.task.*&types[]=workflow.comment.created')).slice(0, 3), kinds)
    assert.deepEqual(new Set(types(await list('types[]=workflow.task.created'))), new Set(['workflow.task.created']))
    const all = await list('')
    assert.deepEqual(await list('types[]=*'), all)
    assert.deepEqual(await list('types[]=workflow.*'), all)
    assert.deepEqual(await list('types[]=automation.*'), [])
  })

  it('`object` selects the events of one object, of a deleted one too, together with the other filters', async () => {
    const { id, key } = await task('Object')
    await world.patch(`/v1/tasks/${id}`, { title: 'Changed' })
    await task('Another')
    await world.delete(`/v1/tasks/${id}`)
    const events = await list(`object=${id}`)
    assert.deepEqual(types(events), ['workflow.task.deleted', 'workflow.task.updated', 'workflow.task.created'])
    assert.ok(events.every(({ data }) => data.object.id === id))
    assert.deepEqual(await list(`object=${key}`), events)
    assertRefused(
      await world.get(`/v1/events?object=${key}`, { key: world.globex.key }),
      'invalid_query_parameter',
      'object',
    )
    const some = await list(`object=${id}&types[]=workflow.task.deleted&types[]=workflow.task.created`)
    assert.deepEqual(types(some), ['workflow.task.deleted', 'workflow.task.created'])
    assert.deepEqual(await list(`object=${newId('tsk', world.clock.now())}`), [])
    assert.deepEqual((await world.get(`/v1/events?object=${id}`, { key: world.globex.key })).body.data, [])
  })

  it('the times are exclusive, in whole seconds, and combine with types', async () => {
    const second = () => Math.floor(world.clock.now() / 1000)
    const made: { id: string; at: number }[] = []
    for (const title of ['first', 'second', 'third']) {
      world.clock.advance(1_800_000)
      made.push({ id: (await task(title)).id, at: second() })
    }
    const [first, middle, last] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]]
    const ids = async (query: string) => (await list(query)).map(({ data }) => data.object.id)
    assert.deepEqual(await ids(`created_after=${first.at}`), [last.id, middle.id])
    assert.deepEqual(await ids(`created_after=${first.at}&created_before=${last.at}`), [middle.id])
    assert.deepEqual(await ids(`created_after=${first.at - 1}&created_before=${first.at + 1}`), [first.id])
    assert.equal((await ids(`created_before=${last.at}`))[0], middle.id)
    const query = `types[]=workflow.task.created&created_after=${first.at - 1}&created_before=${last.at}`
    assert.deepEqual(await ids(query), [middle.id, first.id])
    assert.deepEqual(await ids(`created_after=${last.at}`), [])
  })

  it('pages of a filtered list hold each event once while others are written; another filter does not take the cursor', async () => {
    for (let i = 0; i < 5; i++) await task(`page ${i}`)
    const whole = (await list('types[]=workflow.task.*')).map(({ id }) => id)
    const walked: string[] = []
    for (let next = ''; ; ) {
      const { body } = await world.get(`/v1/events?limit=2&types[]=workflow.task.*${next}`)
      walked.push(...body.data.map(({ id }: Shown) => id))
      if (body.next_cursor === null) break
      next = `&cursor=${body.next_cursor}`
      await task('meanwhile')
      const other = await world.get(`/v1/events?types[]=workflow.comment.*${next}`)
      assertRefused(other, 'cursor_filter_mismatch')
    }
    assert.deepEqual(walked, whole)
  })

  it('an unknown type and a text that is no id are refused and quoted', async () => {
    for (const [query, param, quoted] of [
      ['types[]=task.created', 'types', '"task.created"'],
      ['object=a%20b', 'object', '"a b"'],
      ['created_after=yesterday', 'created_after', '"yesterday"'],
    ] as const) {
      const reply = await world.get(`/v1/events?${query}`)
      assertRefused(reply, 'invalid_query_parameter', param)
      assert.ok(reply.body.error.message.includes(quoted), reply.text)
    }
  })

  const start = Date.parse('2026-08-10T00:00:00Z')
  const wide: EventCriteria = { from: 0 }
  const plans: Readonly<Record<string, { criteria: EventCriteria; by: readonly string[]; found: number }>> = {
    'by nothing': { criteria: wide, by: ['events'], found: 21 },
    'by a rare type': { criteria: { ...wide, types: ['workflow.task.deleted'] }, by: ['events_type'], found: 10 },
    'by all types': { criteria: { ...wide, types: [...eventTypes.keys()] }, by: ['events_type'], found: 21 },
    'by an object': { criteria: { ...wide, object: 'tsk_5' }, by: ['events_object'], found: 21 },
    'by a time': { criteria: { from: start + 60_000_000, until: start + 66_000_000 }, by: ['events_id'], found: 21 },
  }
  for (const [name, { criteria, by, found }] of Object.entries(plans)) {
    it(`${name}, a page reads ${by.join(' and ')} without a table scan`, async () => {
      const realm = world.acme.realms.test
      if (name === 'by nothing') await fill(realm)
      const read: string[] = []
      const reader = planRecorder(world.services.store.reader('system'), read)
      const rows = await readEvents(reader, realm, criteria, 21)
      const plan = read.join('\n--\n')
      assert.equal(rows.length, found, plan)
      for (const index of by) assert.match(plan, new RegExp(`\\b(?:sqlite_autoindex_)?${index}`), plan)
      assert.doesNotMatch(plan, /Seq Scan|SCAN events/)
    })
  }

  /** 4,000 events of 100 tasks, one a minute; few are deletions. */
  async function fill(realm: number): Promise<void> {
    await world.services.store.write('system', async (tx) => {
      for (let i = 1; i <= 4000; i++) {
        const created = start + i * 60_000
        tx.insert('events', {
          ...{ realm, sequence: i, id: smallestId('evt', created), created },
          type: i % 400 === 0 ? 'workflow.task.deleted' : 'workflow.task.updated',
          ...{ organization: world.acme.id, workspace: null, object: 'task', object_id: `tsk_${i % 100}` },
          ...{ actor_type: 'system', actor_id: 'system', credential: null, request: null, idempotency_key: null },
          ...{ commit_id: 'txn_1', commit_index: 0, commit_size: 1, causes: null, data: '{}', checksum: null },
        })
      }
    })
    if (engine === 'postgres') {
      await world.services.store.migrate(async (tx) => tx.write(definition('analyze events')))
    }
  }
})
