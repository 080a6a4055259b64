/** Realms are indexed together, and what fails for one neither stops the others nor repeats them. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../../test/world.ts'
import { type Placeholder, query } from '../db/query.ts'
import { indexProgress } from '../search/follow.ts'
import { searchIndexWorker } from './search-index.ts'
import { textIndexWorker } from './text-index.ts'

const never = new AbortController().signal

const damage = query((db, p: Placeholder<{ realm: number; walked: string | null }>) =>
  db
    .updateTable('search_positions')
    .set({ walked: p('walked') })
    .where('realm', '=', p('realm')),
)
const textPosition = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('text_positions').select(['sequence', 'walked']).where('realm', '=', p('realm')),
)

onEveryWorld('Realms indexed together', (world) => {
  const warnings: string[] = []
  const run = () => {
    const log = { ...world.services.log, warn: (message: string) => void warnings.push(message) }
    return searchIndexWorker.run({ ...world.services, log }, 50, never)
  }
  const progress = ({ realms }: { realms: { live: number } }) =>
    indexProgress(world.services.store.reader('system'), realms.live)

  async function addTask(key: string, title: string): Promise<void> {
    const workspace = (await world.make('/v1/workspaces', { title }, { key })).id
    await world.make('/v1/tasks', { workspace, title }, { key })
  }

  before(async () => {
    for (const { key } of [world.acme, world.globex]) await addTask(key, 'zebra')
  })

  it('are all up to date after a run, and a search finds what each of them has', async () => {
    await run()
    for (const organization of [world.acme, world.globex]) {
      const { indexed, head } = await progress(organization)
      assert.deepEqual([indexed, head > 0], [head, true])
      const { body } = await world.get('/v1/search?query=zebra', { key: organization.key })
      assert.equal(body.data.length, 1)
    }
  })

  it('go on without the realm whose index fails, which is repeated by itself until it works again', async () => {
    const { store } = world.services
    const realm = world.acme.realms.live
    await store.write('system', async (tx) => tx.write(damage, { realm, walked: 'no JSON' }))
    for (const title of ['first', 'second']) {
      await addTask(world.acme.key, title)
      await addTask(world.globex.key, title)
      await assert.rejects(run(), /JSON/)
      const { indexed, head } = await progress(world.globex)
      assert.equal(indexed, head)
    }
    // Only the first run tried them in one transaction. On SQLite each realm has its own, and on Citus each node.
    const [acme, globex] = [world.acme, world.globex].map(({ id, realms }) =>
      store.serverOf({ organization: id, realms: [realms.live] }),
    )
    assert.deepEqual(warnings, acme !== null && acme === globex ? ['realms could not be indexed together'] : [])
    await store.write('system', async (tx) => tx.write(damage, { realm, walked: null }))
    await run()
    const { indexed, head } = await progress(world.acme)
    assert.equal(indexed, head)
  })

  it('have their texts indexed, too', async () => {
    await textIndexWorker.run(world.services, 50, never)
    for (const organization of [world.acme, world.globex]) {
      const { head } = await progress(organization)
      const position = await world.services.store
        .reader('system')
        .first(textPosition, { realm: organization.realms.live })
      assert.deepEqual(position, { sequence: head, walked: null })
    }
  })
})
