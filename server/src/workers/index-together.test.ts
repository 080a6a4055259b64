/** Realms are indexed together, and what fails for one neither stops the others nor repeats them. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../../test/world.ts'
import { type Placeholder, query } from '../db/query.ts'
import { foundOrganization } from '../resources/organizations/found.ts'
import { indexProgress } from '../search/follow.ts'
import { type Indexing, indexTogether } from './index-together.ts'
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

  it('share a transaction, many when little is missing of each, and few when much is', async () => {
    const { store } = world.services
    const others = await Promise.all(
      ['Initech', 'Umbrella', 'Hooli'].map((name) => {
        const owner = { ownerEmail: `owner@${name.toLowerCase()}.example`, plan: 'studio' as const }
        return foundOrganization(world.services, { name, ...owner, domains: [] })
      }),
    )
    const all = [world.acme, world.globex, ...others.map(({ organization: id, realms }) => ({ id, realms }))]
    const realms = all.flatMap(({ id: organization, realms: { live, test } }) =>
      [live, test].map((realm) => ({ organization, realm })),
    )
    const indexed = async (behind: number | null): Promise<string[]> => {
      const batches: string[] = []
      const index: Indexing['index'] = async (_, shares) => {
        batches.push(`${shares.length} of ${shares[0]?.count}`)
        return 0
      }
      const indexing = { worker: 'example', count: 2, index }
      const behindAll = realms.map((realm) => ({ ...realm, behind }))
      await indexTogether(world.services, behindAll, indexing, never)
      return batches
    }
    const servers = new Set(realms.map(({ organization, realm }) => store.serverOf({ organization, realms: [realm] })))
    // On SQLite each realm has its own transaction, and on Citus those of a node share one.
    if (servers.has(null)) assert.deepEqual(await indexed(1), Array(10).fill('1 of 1'))
    else if (servers.size > 1) assert.equal((await indexed(1)).length, servers.size)
    else {
      assert.deepEqual(await indexed(1), ['10 of 1'])
      assert.deepEqual(await indexed(9), ['8 of 2', '2 of 2'])
      assert.deepEqual(await indexed(null), ['8 of 2', '2 of 2'])
    }
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
