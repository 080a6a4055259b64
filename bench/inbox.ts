/**
 * How long after a commit the entries of inboxes are there, with 1,000 people who watch 10,000 tasks: comments at a steady rate, one of
 * which tells ten people. An entry is there when `told_sequence` of the count has reached its event: `npm run bench:inbox`.
 */
import { readConfig } from '../server/src/config.ts'
import { query } from '../server/src/db/query.ts'
import { openServices } from '../server/src/main.ts'
import { addMember } from '../server/src/resources/members/write.ts'
import { call } from '../server/test/call.ts'
import { benchmark, say } from './command.ts'
import { productEnvironment } from './product.ts'
import type { Seeded } from './seed-product.ts'

const there_ms_max = 2_000
const watchers_a_task = 10
const rows_a_commit = 5_000
const look_ms = 25
const wait_ms = 120_000
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))

/** Adds people, each of whom watches as many tasks as everyone else. Returns the tasks. */
async function watched(environment: Record<string, string>, { frame }: Seeded, people: number): Promise<string[]> {
  const services = await openServices(readConfig(environment))
  try {
    const { organization, realm } = frame.caller
    const users: string[] = []
    for (let n = 0; n < people; n++)
      users.push((await addMember(services, organization, { email: `watcher${n}@example.com` })).user)
    const tasks = (await services.store.reader('system').all(tasksOf, { realm })).map(({ id }) => id)
    const rows = tasks.flatMap((subject, i) =>
      Array.from({ length: watchers_a_task }, (_, n) => {
        const user = users[(i * watchers_a_task + n) % users.length] as string
        return { realm, subject, user, since: 0, level: 'watching', reason: 'hand' }
      }),
    )
    for (let at = 0; at < rows.length; at += rows_a_commit)
      await services.store.write('system', async (tx) => {
        for (const row of rows.slice(at, at + rows_a_commit)) tx.insert('watches', row)
      })
    return tasks
  } finally {
    await services.close()
  }
}

const tasksOf = query<{ id: string }, { realm: number }>((db, p) =>
  db.selectFrom('tasks').select('id').where('realm', '=', p('realm')).orderBy('id'),
)

interface Said {
  readonly comment: string
  /** When the answer came, after its commit. */
  readonly at: number
}

await benchmark({
  name: 'inbox',
  does: 'Entries of inboxes after comments on watched tasks.',
  engines: ['sqlite', 'postgres'],
  sizes: {
    tasks: { full: 10_000, quick: 1_000, means: 'tasks, each watched by ten people' },
    people: { full: 1_000, quick: 200, means: 'people' },
    comments: { full: 600, quick: 100, means: 'comments' },
    rate: { full: 20, quick: 20, means: 'comments per second' },
  },
  async run(stage, { tasks, people, comments, rate }) {
    const url = await stage.newDatabase('inbox')
    say(`seeding ${tasks} tasks that ${people} people watch`)
    const seeded = await stage.product.seed(url, { tasks })
    const ids = await watched(productEnvironment(url, stage.folder), seeded, people)
    await stage.settle(url)
    const server = await stage.start(url)
    const { key, frame } = seeded
    const ask = async (method: string, path: string, body?: object) => {
      const reply = await call(server.url, method, path, { key, ...(body === undefined ? {} : { body }) })
      if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${reply.text}`)
      return reply.body
    }
    const told = async (): Promise<number> => (await ask('GET', '/v1/notifications/count')).told_sequence
    const looks: { readonly at: number; readonly sequence: number }[] = []
    let isOver = false
    const looking = (async () => {
      while (!isOver) {
        looks.push({ sequence: await told(), at: performance.now() })
        await pause(look_ms)
      }
    })()
    const said: Said[] = []
    await stage.measured(async () => {
      const from = performance.now()
      for (let n = 0; n < comments; n++) {
        await pause(from + (n * 1000) / rate - performance.now())
        const task = ids[(n * 7919) % ids.length] as string
        const { id } = await ask('POST', `/v1/tasks/${task}/comments`, {
          workspace: frame.workspace,
          body: `Comment ${n}`,
        })
        said.push({ comment: id, at: performance.now() })
      }
    })
    const sequences = new Map<string, number>()
    for (const { comment } of said) {
      const [event] = (await ask('GET', `/v1/events?object=${comment}`)).data
      sequences.set(comment, event.sequence)
    }
    const last = Math.max(...sequences.values())
    const until = performance.now() + wait_ms
    while ((looks.at(-1)?.sequence ?? 0) < last && performance.now() < until) await pause(look_ms)
    isOver = true
    await looking
    const waits = said.map(({ comment, at }) => {
      const sequence = sequences.get(comment) as number
      return Math.max(0, (looks.find((look) => look.sequence >= sequence)?.at ?? Number.POSITIVE_INFINITY) - at)
    })
    waits.sort((a, b) => a - b)
    const p = (share: number) => waits[Math.min(waits.length - 1, Math.floor(share * waits.length))] as number
    say(`p50 ${p(0.5).toFixed(0)} ms, p95 ${p(0.95).toFixed(0)} ms, at most ${p(1).toFixed(0)} ms`)
    return [
      { name: 'entry after the commit, p95', value: p(0.95), unit: 'ms', goal: { at_most: there_ms_max } },
      { name: 'entry after the commit, median', value: p(0.5), unit: 'ms' },
    ]
  },
})
