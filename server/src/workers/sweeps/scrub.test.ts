import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { inspect } from '../../db/backup/inspect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { runWorker } from '../worker.ts'
import { findingOfObjects } from './objects-and-events.ts'
import { scrubWorker } from './scrub.ts'

const setEntry = query((db, p: Placeholder<{ organization: string; sequence: number; entry: string }>) =>
  db
    .updateTable('audit_entries')
    .set({ entry: p('entry') })
    .where('organization', '=', p('organization'))
    .where('sequence', '=', p('sequence')),
)
const entryOf = query((db, p: Placeholder<{ organization: string; sequence: number }>) =>
  db
    .selectFrom('audit_entries')
    .select('entry')
    .where('organization', '=', p('organization'))
    .where('sequence', '=', p('sequence')),
)
const dataOf = query((db, p: Placeholder<{ realm: number; sequence: number }>) =>
  db.selectFrom('events').select('data').where('realm', '=', p('realm')).where('sequence', '=', p('sequence')),
)
const setData = query((db, p: Placeholder<{ realm: number; sequence: number; data: string }>) =>
  db
    .updateTable('events')
    .set({ data: p('data') })
    .where('realm', '=', p('realm'))
    .where('sequence', '=', p('sequence')),
)

const dropChecksum = query((db, p: Placeholder<{ realm: number; sequence: number }>) =>
  db
    .updateTable('events')
    .set({ checksum: null })
    .where('realm', '=', p('realm'))
    .where('sequence', '=', p('sequence')),
)
const setTitle = query((db, p: Placeholder<{ id: string; title: string }>) =>
  db
    .updateTable('tasks')
    .set({ title: p('title') })
    .where('id', '=', p('id')),
)
const rowOfTask = query((db, p: Placeholder<{ id: string }>) =>
  db.selectFrom('tasks').selectAll().where('id', '=', p('id')),
)
const newestOf = query((db, p: Placeholder<{ id: string }>) =>
  db
    .selectFrom('events')
    .select(['realm', 'sequence', 'data'])
    .where('object_id', '=', p('id'))
    .orderBy('sequence', 'desc')
    .limit(1),
)

onEveryWorld('the scrub', (world) => {
  let workspace: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Scrubbed' })).id
    for (let i = 0; i < 3; i++) {
      const data = Array.from({ length: 100 }, (_, n) => ({ title: `Task ${i} ${n}` }))
      await world.make('/v1/tasks/batch', { workspace, data })
    }
  })

  const signal = new AbortController().signal
  const run = (rows = 1_000_000) => scrubWorker.run(world.services, rows, signal)

  /** Changes a text, runs a whole pass, puts the text back, and runs another. */
  async function find(change: (isChanged: boolean) => Promise<void>, finding: RegExp): Promise<void> {
    await change(true)
    await assert.rejects(async () => await run(), finding)
    await runWorker(world.services, scrubWorker, 'a test')
    const { scrub } = await inspect(world.services.store)
    assert.match(String(scrub?.error), finding)
    await change(false)
    while (
      !(await run().then(
        () => true,
        () => false,
      ))
    );
    await runWorker(world.services, scrubWorker, 'a test')
    assert.equal((await inspect(world.services.store)).scrub?.error, null)
  }

  it('reads as many rows in a run as it may, page by page, and all of them in a pass', async () => {
    assert.equal(await run(150), 149)
    assert.ok((await run()) > 300)
    assert.ok((await run()) > 600)
  })

  it('finds an audit entry that was changed, until a pass finds nothing', async () => {
    const place = { organization: world.acme.id, sequence: 2 }
    const { store } = world.services
    const { entry } = (await store.reader('system').first(entryOf, place)) as { entry: string }
    const change = (isChanged: boolean) =>
      store.write('system', async (tx) => {
        tx.write(setEntry, { ...place, entry: isChanged ? entry.replace('mode', 'node') : entry })
      })
    await find(change, /^(Error: )?the audit entry 2 of org_\w+ does not have its hash$/)
  })

  /** Changes the data of the live realm's first event while a pass runs. */
  async function findInFirstEvent(change: (data: string) => string, finding: RegExp): Promise<void> {
    const place = { realm: world.acme.realms.live, sequence: 1 }
    const { store } = world.services
    const { data } = (await store.reader('system').first(dataOf, place)) as { data: string }
    const set = (isChanged: boolean) =>
      store.write('system', async (tx) => {
        tx.write(setData, { ...place, data: isChanged ? change(data) : data })
      })
    await find(set, finding)
  }

  it('finds an event with one changed bit, in a text that nothing else compares', async () => {
    await findInFirstEvent(
      (data) => data.replace('Scrubbed', 'Scrubbee'),
      /^(Error: )?the event 1 of realm \d+ does not have its checksum$/,
    )
  })

  it('finds an event from before checksums if its data is not its object', async () => {
    const { store } = world.services
    const place = { realm: world.acme.realms.live, sequence: 1 }
    await store.write('system', async (tx) => tx.write(dropChecksum, place))
    await run()
    await findInFirstEvent(
      (data) => data.replace('"id":"', '"id":"x'),
      /^(Error: )?the event 1 of realm \d+ does not have its checksum$/,
    )
  })

  it('finds an object that differs from its newest event, and names the fields', async () => {
    const { store } = world.services
    const { id } = await world.make('/v1/tasks', { workspace, title: 'Pay the invoice' })
    const set = (isChanged: boolean) =>
      store.write('system', async (tx) => {
        tx.write(setTitle, { id, title: isChanged ? 'Pay the invoicd' : 'Pay the invoice' })
      })
    await find(set, new RegExp(`^(Error: )?the task ${id} differs from its newest event in title$`))
  })

  it('finds nothing in objects that changed between the reads of a page, nor in those whose event lacks newer fields', async () => {
    const { store } = world.services
    const { id } = await world.make('/v1/tasks', { workspace, title: 'First' })
    const row = (await store.reader('system').first(rowOfTask, { id })) as object
    await world.patch(`/v1/tasks/${id}`, { title: 'Second' })
    assert.equal(await findingOfObjects(store, 'tasks', [row]), null)
    const newest = (await store.reader('system').first(newestOf, { id })) as {
      realm: number
      sequence: number
      data: string
    }
    const data = newest.data.replace('"start_at":null,', '')
    assert.notEqual(data, newest.data)
    await store.write('system', async (tx) =>
      tx.write(setData, { realm: newest.realm, sequence: newest.sequence, data }),
    )
    const changed = (await store.reader('system').first(rowOfTask, { id })) as object
    assert.equal(await findingOfObjects(store, 'tasks', [changed]), null)
  })
})
