import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { onEveryEngine } from '../../../test/engines.ts'
import { openWorld, type World } from '../../../test/world.ts'
import { inspect } from '../../db/backup/inspect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { runWorker } from '../worker.ts'
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

onEveryEngine('the scrub', (engine) => {
  let world: World
  let workspace: string
  before(async () => {
    world = await openWorld(engine)
    workspace = (await world.make('/v1/workspaces', { title: 'Scrubbed' })).id
    for (let i = 0; i < 3; i++) {
      const data = Array.from({ length: 100 }, (_, n) => ({ title: `Task ${i} ${n}` }))
      await world.make('/v1/tasks/batch', { workspace, data })
    }
  })
  after(() => world.close())

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

  it('finds an event whose data is not its object', async () => {
    const place = { realm: world.acme.realms.live, sequence: 1 }
    const { store } = world.services
    const { data } = (await store.reader('system').first(dataOf, place)) as { data: string }
    const change = (isChanged: boolean) =>
      store.write('system', async (tx) => {
        tx.write(setData, { ...place, data: isChanged ? data.replace('"id":"', '"id":"x') : data })
      })
    await find(change, /^(Error: )?the data of event 1 of realm \d+ is not the object that it names$/)
  })
})
