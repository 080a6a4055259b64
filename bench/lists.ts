/**
 * Whether a list takes as long among a million tasks as among ten thousand, and whether page 10,000 is as fast as page 1. Each
 * case is measured on two servers in alternation; cases above the goal show the database's plan: `npm run bench:lists`.
 */

import { call } from '../server/test/call.ts'
import { benchmark, say } from './command.ts'
import type { Figure } from './figures.ts'
import { type ListCase, listCases, planOf } from './list-cases.ts'
import { listTask } from './list-tasks.ts'
import { type ListRequest, pairedTimes } from './paired.ts'
import type { Seeded } from './seed-product.ts'
import type { ServerProcess } from './server-process.ts'
import { ask, type Stage } from './stage.ts'

const growth_max = 1.1
const page_rows = 20

interface Sizes {
  readonly tasks: number
  readonly few: number
  readonly page: number
  readonly pairs: number
  readonly seconds: number
}

interface Side {
  readonly url: string
  readonly seeded: Seeded
  readonly server: ServerProcess
}

async function openSide(stage: Stage, name: string, tasks: number): Promise<Side> {
  say(`seeding ${tasks} tasks`)
  const url = await stage.newDatabase(name)
  const seeded = await stage.product.seed(url, { tasks, task: listTask })
  await stage.settle(url)
  return { url, seeded, server: await stage.start(url) }
}

function pathOf(query: Readonly<Record<string, string>>): string {
  return `/v1/tasks?${new URLSearchParams({ ...query, limit: String(page_rows) })}`
}

function requestOf({ server, seeded }: Side, path: string): ListRequest {
  return { url: server.url, key: seeded.key, path }
}

/** A case's growth from few tasks to many, with its plan if the growth exceeds the goal. */
async function growth(stage: Stage, one: ListCase, [few, many]: readonly [Side, Side], sizes: Sizes): Promise<Figure> {
  const other = listCases(few.seeded.frame).find(({ name }) => name === one.name) as ListCase
  const times = await stage.measured(() =>
    pairedTimes(requestOf(few, pathOf(other.query)), requestOf(many, pathOf(one.query)), sizes.pairs, sizes.seconds),
  )
  const value = times.second_ms / times.first_ms
  const measured = `${times.first_ms.toFixed(2)} → ${times.second_ms.toFixed(2)} ms, ${times.found} found`
  const plan = value > growth_max ? `. ${await planOf(stage.engine, many.url, many.seeded.frame, one)}` : ''
  const why = one.unserved === undefined ? '' : `. No index serves it: ${one.unserved}`
  say(`${one.name}: × ${value.toFixed(2)}, ${measured}`)
  return { name: one.name, value, unit: 'times', goal: { at_most: growth_max }, note: `${measured}${why}${plan}` }
}

/** Orders whose pages are compared, with the columns that the database sorts by. */
const walked = [
  { sort: undefined, order: 'id desc' },
  { sort: '-updated', order: 'updated desc, id desc' },
  { sort: 'due_at', order: 'due_at, id' },
  { sort: '-priority', order: 'priority_rank desc, id desc' },
  { sort: 'title', order: 'title, id' },
  { sort: 'position', order: 'position, id' },
  { sort: '-priority,due_at', order: 'priority_rank desc, due_at, id' },
] as const

/** A far page of a list against its first, among many tasks. */
async function depth(stage: Stage, many: Side, walk: (typeof walked)[number], sizes: Sizes): Promise<Figure> {
  const { frame } = many.seeded
  const query = { workspace: frame.workspace, ...(walk.sort === undefined ? {} : { sort: walk.sort }) }
  const before = (sizes.page - 1) * page_rows
  const previous = await idAt(stage, many, walk.order, before - page_rows - 1)
  const after = await nextCursor(many, pathOf({ ...query, starting_after: previous }))
  const times = await stage.measured(() =>
    pairedTimes(
      requestOf(many, pathOf(query)),
      requestOf(many, pathOf({ ...query, starting_after: after })),
      sizes.pairs,
      sizes.seconds,
    ),
  )
  return {
    name: `page ${sizes.page} : page 1${walk.sort === undefined ? '' : `, sort ${walk.sort}`}`,
    value: times.second_ms / times.first_ms,
    unit: 'times',
    goal: { at_most: growth_max },
    note: `${times.first_ms.toFixed(2)} → ${times.second_ms.toFixed(2)} ms, ${times.found} found`,
  }
}

/** The cursor for the next page, as a client gets it. */
async function nextCursor({ server, seeded }: Side, path: string): Promise<string> {
  const reply = await call(server.url, 'GET', path, { key: seeded.key })
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${reply.text}`)
  return reply.body.next_cursor
}

async function idAt({ engine }: Stage, { url, seeded }: Side, order: string, offset: number): Promise<string> {
  const text = `select id from tasks where realm = ${seeded.frame.caller.realm} order by ${order} limit 1 offset ${offset}`
  if (engine === 'postgres') return String((await ask(url, text))[0]?.id)
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(url.replace(/^file:/, ''), { readOnly: true })
  try {
    return String(database.prepare(text).get()?.id)
  } finally {
    database.close()
  }
}

await benchmark({
  name: 'lists',
  does: 'Lists and filters among many tasks compared with few, and a far page with the first.',
  engines: ['sqlite', 'postgres'],
  sizes: {
    tasks: { full: 1_000_000, quick: 50_000, means: 'many' },
    few: { full: 10_000, quick: 5_000, means: 'few' },
    page: { full: 10_000, quick: 500, means: 'the far page, of 20 tasks' },
    pairs: { full: 200, quick: 30, means: 'most pairs of requests per case' },
    seconds: { full: 4, quick: 1, means: 'most seconds per case' },
  },
  async run(stage, sizes) {
    if (sizes.page * page_rows > sizes.tasks) throw new Error(`page ${sizes.page} is beyond the end`)
    const few = await openSide(stage, 'few', sizes.few)
    const many = await openSide(stage, 'many', sizes.tasks)
    const figures: Figure[] = []
    for (const one of listCases(many.seeded.frame)) figures.push(await growth(stage, one, [few, many], sizes))
    for (const walk of walked) figures.push(await depth(stage, many, walk, sizes))
    return figures
  },
})
