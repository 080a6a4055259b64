/** A server's answers to everything that a key may read: recorded over a sound database, compared over a damaged one. */
import { catalogue } from '../../server/src/catalogue.ts'
import { readConfig } from '../../server/src/config.ts'
import type { Log } from '../../server/src/lib/log.ts'
import { startServer } from '../../server/src/main.ts'
import { call } from '../../server/test/call.ts'

/** Path → answer. */
export type Answers = ReadonlyMap<string, string>

export type Environment = Readonly<Record<string, string>>

/** Damaged databases cause errors on purpose; they are judged here, not logged. */
const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Lists whose answers change with time or with being read. */
const changing = new Set(['/v1/usage', '/v1/api_keys', '/v1/tasks/count'])
const pages_max = 20

const readable = catalogue.filter(({ method, path }) => method === 'GET' && !path.endsWith('/stream'))
const single = new Set(readable.map(({ path }) => path))
const lists = readable.filter(({ path }) => !path.includes('{') && !changing.has(path))

/** Orders and filters of tasks that use other indexes. */
const task_queries = [
  ...['title', '-priority', 'due_at', '-updated', 'position', 'created'].map((order) => `sort=${order}`),
  ...['todo', 'in_progress', 'done'].map((status) => `status=${status}`),
].map((query) => `/v1/tasks?limit=100&${query}`)

/** Reads all lists, their objects and the objects' sub-lists. Rejects unless each is answered with success. */
export async function crawl(environment: Environment, key: string): Promise<Answers> {
  return await withServer(environment, async (url) => {
    const found = new Map<string, string>()
    const ask = async (path: string) => {
      const { status, text, body } = await call(url, 'GET', path, { key })
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
      found.set(path, `${status} ${text}`)
      return body
    }
    const readList = async (list: string, query: object): Promise<void> => {
      const parameters = [
        ...('limit' in query ? ['limit=100'] : []),
        ...('workspace' in query ? [`workspace=${workspace}`] : []),
      ]
      const first = parameters.length === 0 ? list : `${list}?${parameters.join('&')}`
      let path = first
      for (let page = 0; page < pages_max; page++) {
        const { data, has_more, next_cursor } = await ask(path)
        for (const { id } of data ?? []) await readObject(list, id)
        if (has_more !== true) return
        path = `${first}&${next_cursor ? `cursor=${next_cursor}` : `starting_after=${data.at(-1).id}`}`
      }
    }
    const readObject = async (list: string, id: string): Promise<void> => {
      if (single.has(`${list}/{id}`)) await ask(`${list}/${id}`)
      for (const inner of list === '/v1/tasks' ? ['comments', 'dependencies'] : []) await ask(`${list}/${id}/${inner}`)
      for (const inner of list === '/v1/boards' ? ['items', 'members'] : [])
        await ask(`${list}/${id}/${inner}?limit=100`)
    }
    const workspace = (await ask('/v1/workspaces')).data[0].id
    for (const { path, query } of lists) await readList(path, query)
    for (const path of task_queries) await ask(path)
    return found
  })
}

export interface Differences {
  /** How many requests were refused or failed. */
  readonly errors: number
  /** Paths with another successful answer, or "not found". */
  readonly wrong: readonly string[]
}

/** Repeats the requests over another database. Rejects if no server starts over it. */
export async function askAgain(environment: Environment, key: string, sound: Answers): Promise<Differences> {
  return await withServer(environment, async (url) => {
    const wrong: string[] = []
    let errors = 0
    for (const [path, before] of sound) {
      // An answer that is not JSON counts as wrong.
      const answer = await call(url, 'GET', path, { key }).catch(() => null)
      if (answer !== null && `${answer.status} ${answer.text}` === before) continue
      if (answer === null || [200, 404, 410].includes(answer.status)) wrong.push(path)
      else errors++
    }
    return { errors, wrong }
  })
}

/** Starts a server for the duration of `use`. */
export async function withServer<T>(environment: Environment, use: (url: string) => Promise<T>): Promise<T> {
  const server = await startServer(readConfig(environment), { log: silent })
  try {
    return await use(server.url)
  } finally {
    await server.close()
  }
}
