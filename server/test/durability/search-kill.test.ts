/**
 * Processes that index for search, or start a rebuild, kill themselves at many points while objects change, and others take their
 * place. At every death the index keeps its promises, and at the end it equals one that is built from nothing
 * (contract/06#search). ATRIUM_TEST_CYCLES sets the number of deaths on each engine.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { scopes } from '../../src/api/declare/scopes.ts'
import { readConfig } from '../../src/config.ts'
import { rawQuery } from '../../src/db/query.ts'
import { type RunningServer, startServer } from '../../src/main.ts'
import { issueCredential } from '../../src/resources/api_keys/issue.ts'
import { indexProgress, indexStatus, rebuildAll } from '../../src/search/follow.ts'
import { call, type Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'
import { indexForSearch } from '../search-index.ts'
import { type Installation, install } from './installation.ts'
import { assertPromised, contentsOf } from './search-index.ts'
import type { Orders, Point } from './search-worker.ts'

const deaths = Number(process.env.ATRIUM_TEST_CYCLES ?? 7)
const batch = 7
const tasks_at_first = 200
const changes_a_life = 12
const compile_cache = join(import.meta.dirname, '../../../node_modules/.cache/compile')

/** In turns. A rebuild passes a point once for each of two data sets; a walk over all objects has dozens of transactions. */
const lives: readonly (readonly [does: Orders['does'], point: Point, times_max: number])[] = [
  ['index', 'write', 120],
  ['index', 'inside', 25],
  ['rebuild', 'behind', 1],
  ['index', 'behind', 25],
  ['index', 'write', 30],
  ['index', 'before', 25],
  ['rebuild', 'inside', 2],
]

let seed = 20_261_124
function below(bound: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * bound)
}

const vocabulary = ['durable', 'Straße', 'naïve', 'Привет', '日本語', 'שלום', 'ガス', 'kubernetes', '🚀', 'v1.2']
const text = () => Array.from({ length: 1 + below(8) }, () => vocabulary[below(vocabulary.length)]).join(' ')

const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

function begin(orders: Orders): { child: ChildProcess; ended: Promise<readonly [number | null, string | null]> } {
  const program = join(import.meta.dirname, 'search-worker.ts')
  const env = { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? compile_cache }
  const child = spawn(process.execPath, [program, JSON.stringify(orders)], {
    env,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  running.add(child)
  const ended = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    return [code, signal] as const
  })
  return { child, ended }
}

/** The objects of one data set, which change through the API. */
class Objects {
  /** Their paths. */
  readonly paths: string[] = []
  private readonly discussed = new Set<string>()
  private readonly url: string
  private readonly key: string
  private workspace = ''

  constructor(url: string, key: string) {
    this.url = url
    this.key = key
  }

  async fill(tasks: number): Promise<void> {
    this.workspace = (await this.send('POST', '/v1/workspaces', { title: 'Texts' })).body.id
    for (let made = 0; made < tasks; made += 50) {
      const data = Array.from({ length: 50 }, () => ({ title: text(), description: `durable ${text()}` }))
      const reply = await this.send('POST', '/v1/tasks/batch', { workspace: this.workspace, data })
      this.paths.push(...reply.body.data.map(({ id }: { id: string }) => `tasks/${id}`))
    }
  }

  /** Creates, changes or deletes an object. A task with comments stays. */
  async change(): Promise<void> {
    const { workspace } = this
    const at = below(this.paths.length)
    const path = `/v1/${this.paths[at]}`
    const choice = below(10)
    if (choice < 2) {
      const fields = { workspace, name: text(), description: `durable ${text()}` }
      const made = await this.send('POST', '/v1/projects', fields)
      this.paths.push(`projects/${made.body.id}`)
    } else if (choice < 4 && path.startsWith('/v1/tasks/') && !path.includes('/comments/')) {
      const made = await this.send('POST', `${path}/comments`, { workspace, body: `durable ${text()}` })
      this.paths.push(`${path.slice('/v1/'.length)}/comments/${made.body.id}`)
      this.discussed.add(path)
    } else if (choice < 6 && !this.discussed.has(path)) {
      await this.send('DELETE', path)
      this.paths.splice(at, 1)
    } else {
      const field = path.includes('/comments/') ? 'body' : 'description'
      await this.send('PATCH', path, { [field]: `durable ${text()}` })
    }
  }

  private async send(method: string, path: string, body?: object): Promise<Reply> {
    const reply = await call(this.url, method, path, { key: this.key, ...(body === undefined ? {} : { body }) })
    assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`)
    return reply
  }

  /** What a search for a word of all texts finds, over all pages. */
  async found(): Promise<{ ids: string[]; sequence: number }> {
    const ids: string[] = []
    let cursor = ''
    for (;;) {
      const { body } = await this.send('GET', `/v1/search?query=durable&limit=100${cursor}`)
      ids.push(...body.data.map(({ id }: { id: string }) => id))
      if (!body.has_more) return { ids, sequence: body.indexed_sequence }
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
    }
  }
}

async function testKey({ services }: RunningServer, { organization, realms }: Installation): Promise<string> {
  const owner = { type: 'organization', id: organization } as const
  const issue = { kind: 'api_key', organization, realm: realms.test, mode: 'test', name: 'A key', owner } as const
  const { secret } = await services.store.write('system', async (tx) =>
    issueCredential(tx, services.sealer, { ...issue, scopes, expiresAt: null }, services.clock.now()),
  )
  return secret
}

const emptied = ['search_positions', 'search_documents', 'search_hashes']

/** Builds the index from nothing. */
async function buildFromNothing({ services }: RunningServer, realms: readonly number[]): Promise<void> {
  const { store } = services
  await store.write('system', async (tx) => {
    for (const table of emptied) {
      if (table !== 'search_hashes' || tx.dialect === 'postgres')
        tx.write(rawQuery(() => sql`delete from ${sql.table(table)}`))
    }
    if (tx.dialect === 'sqlite')
      tx.write(rawQuery(() => sql`insert into search_words (search_words) values ('delete-all')`))
  })
  for (const realm of realms) await indexForSearch(services, realm)
}

onEveryEngine('an index of search whose processes are killed', (engine) => {
  it(`has every object once, as in an index built from nothing, after ${deaths} deaths`, async () => {
    const database = await migratedDatabase(engine)
    const installation = await install(database.url, database.folder, { ATRIUM_CREDITS_PER_MINUTE: 'unlimited' })
    const { environment } = installation
    const realms = [installation.realms.live, installation.realms.test]
    const server = await startServer(readConfig(environment))
    const { store } = server.services
    const promised = () => store.snapshot('system', (reader) => assertPromised(reader, realms))
    try {
      const live = new Objects(server.url, installation.key)
      const test = new Objects(server.url, await testKey(server, installation))
      await live.fill(tasks_at_first)
      await test.fill(50)
      for (let died = 0; died < deaths; died++) {
        const [does, point, times_max] = lives[died % lives.length] as (typeof lives)[number]
        const { walking } = (await store.reader('system').first(indexStatus)) ?? { walking: 0 }
        // Otherwise a walk that was interrupted goes on, so that deaths are spread over all of it.
        if (does === 'index' && Number(walking) === 0) await rebuildAll(store)
        const { ended } = begin({ environment, does, batch, point, times: 1 + below(times_max) })
        for (let n = 0; n < changes_a_life; n++) await (n % 4 === 0 ? test : live).change()
        const [code, signal] = await ended
        assert.equal(signal, 'SIGKILL', `a process to die at ${point} of ${does} ended by itself with ${code}`)
        await promised()
      }
      const last = begin({ environment, does: 'index', batch, point: null, times: 0 })
      const behind = async () => {
        const status = await store.reader('system').first(indexStatus)
        return Number(status?.walking) + Number(status?.behind)
      }
      while ((await behind()) > 0) await Promise.race([sleep(20), last.ended])
      last.child.stdin?.end()
      assert.deepEqual(await last.ended, [0, null])
      await promised()
      for (const [objects, realm] of [
        [live, realms[0]],
        [test, realms[1]],
      ] as const) {
        const { head } = await indexProgress(store.reader('system'), realm as number)
        const { ids, sequence } = await objects.found()
        assert.deepEqual(ids.toSorted(), objects.paths.map((path) => path.split('/').at(-1)).toSorted())
        assert.equal(sequence, head)
      }
      const contents = () =>
        Promise.all(
          realms.map((realm) => store.snapshot('system', (reader) => contentsOf(database.url, reader, realm))),
        )
      const survived = await contents()
      await buildFromNothing(server, realms)
      assert.deepEqual(survived, await contents())
    } finally {
      await server.close()
      await database.remove()
    }
  })
})
