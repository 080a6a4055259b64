/** What others have: another organization, and the other realm. For each a twin that never existed and stands where it stands. */
import { catalogue } from '../server/src/catalogue.ts'
import { populate, sendCall, type Things, urlOf } from '../server/test/things.ts'
import type { World } from '../server/test/world.ts'

export interface Stranger {
  /** For the reader of a violation: `another organization's deleted`. */
  readonly what: string
  readonly value: string
  /** Of the same form and the same moment, and nobody's. */
  readonly twin: string
}

export interface Neighbours {
  readonly own: Things
  /** By what they are: the prefix of an id, `key` (of a task), `prv` (a token of a preview), `cursor` and an operation. */
  readonly strangers: ReadonlyMap<string, readonly Stranger[]>
  /** Every id of others. */
  readonly ids: ReadonlySet<string>
}

/** What both realms of an organization share. */
const shared = new Set(['org', 'usr', 'mbr', 'team'])

/** Two organizations with one of everything, the first of them with a test realm besides. */
export async function settle(world: World): Promise<Neighbours> {
  const own = await populate(world)
  const strangers = new Map<string, Stranger[]>()
  const add = (kind: string, what: string, value: string): void => {
    const stranger = { what, value, twin: twinOf(value) }
    strangers.set(kind, [...(strangers.get(kind) ?? []), stranger])
  }
  for (const others of [await populate(world, world.globex), await populate(world, world.acme, 'test')]) {
    const whose = others.mode === 'test' ? "the other realm's" : "another organization's"
    const addId = (what: string, id: string): void => {
      const kind = prefixOf(id)
      if (others.mode === 'live' || !shared.has(kind)) add(kind, what, id)
    }
    for (const id of new Set(Object.values(others.ids))) if (/^[a-z]+_/.test(id)) addId(whose, id)
    await collect(others, whose, add, addId)
  }
  const ids = [...strangers].filter(([kind]) => /^[a-z]{2,4}$/.test(kind)).flatMap(([, found]) => found)
  return { own, strangers, ids: new Set(ids.map(({ value }) => value)) }
}

type Add = (kind: string, what: string, value: string) => void

async function collect(others: Things, whose: string, add: Add, addId: (what: string, id: string) => void) {
  const { id: workspace } = await others.make('/v1/workspaces', { title: 'Zebra Quagga' })
  const { key } = await others.make('/v1/tasks', { workspace, title: 'Striped' })
  add('key', whose, key)
  for (const operation of catalogue.filter(({ kind }) => kind === 'list')) {
    const call = await others.call(operation)
    const sorts: Record<string, string>[] = operation.query.sort === undefined ? [{}] : [{}, { sort: 'title' }]
    for (const sort of sorts) {
      const page = await others.send('GET', urlOf({ ...call, query: { ...call.query, ...sort, limit: '1' } }))
      const cursor = page.body.next_cursor
      // An id is a stranger of its own kind.
      if (typeof cursor === 'string' && !/_[0-9A-Z]{26}$/.test(cursor)) add(`cursor ${operation.id}`, whose, cursor)
    }
  }
  for (const operation of catalogue) {
    const removes = operation.method === 'DELETE'
    if (!removes && !operation.id.endsWith('.archive')) continue
    const call = await others.call(operation)
    const { status, text } = await sendCall(others, call)
    if (status !== 200) throw new Error(`${operation.id}: ${text}`)
    addId(`${whose} ${removes ? 'deleted' : 'archived'}`, Object.values(call.params).at(-1) as string)
  }
  const token = others.ids.preview_token
  if (token !== undefined) add('prv', whose, token)
}

export function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('_'))
}

/** The same text but for one character, in the middle of what is random: ids of one moment count on at their end. */
function twinOf(value: string): string {
  if (/^[A-Z]+-\d+$/.test(value)) return value.replace(/\d+$/, '9')
  const at = /_[0-9A-Z]{26}$/.test(value) ? value.length - 8 : Math.floor(value.length / 2)
  const put = value.charAt(at) === 'A' ? 'B' : 'A'
  return value.slice(0, at) + put + value.slice(at + 1)
}
