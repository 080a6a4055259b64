/**
 * Ids, keys and cursors of another organization, of the other realm, and of another person of the own organization, each with a
 * twin that never existed.
 */
import { catalogue } from '../server/src/catalogue.ts'
import { populate, sendCall, type Things, urlOf } from '../server/test/things.ts'
import type { World } from '../server/test/world.ts'

export interface ForeignValue {
  /** For violations: `another organization's deleted`. */
  readonly what: string
  readonly value: string
  /** The same form and time, but nonexistent. */
  readonly twin: string
}

export interface Neighbours {
  readonly own: Things
  /** By kind: the prefix of an id, `key` of a task, `prv` for a preview token, `cursor` with an operation. */
  readonly foreign: ReadonlyMap<string, readonly ForeignValue[]>
  /** Every id of others. */
  readonly ids: ReadonlySet<string>
}

/** Prefixes of objects that both realms of an organization share. */
const shared = new Set(['org', 'usr', 'mbr', 'team'])

/** Populates two organizations with one object of every kind, and the test realm of the first. */
export async function openNeighbours(world: World): Promise<Neighbours> {
  const own = await populate(world)
  const foreign = new Map<string, ForeignValue[]>()
  const add = (kind: string, what: string, value: string): void => {
    foreign.set(kind, [...(foreign.get(kind) ?? []), { what, value, twin: twinOf(value) }])
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
  for (const id of await personalIds(world, own)) add(prefixOf(id), "another person's", id)
  const ids = [...foreign].filter(([kind]) => /^[a-z]{2,4}$/.test(kind)).flatMap(([, found]) => found)
  return { own, foreign, ids: new Set(ids.map(({ value }) => value)) }
}

/** Objects that exist for one person of the own organization: a private filter and an entry of the inbox. */
async function personalIds(world: World, own: Things): Promise<string[]> {
  const { secret } = await world.key({ owner: { type: 'user', id: world.acme.user } })
  const filter = { workspace: own.id('workspace'), name: 'Only mine', filter: 'priority = high', visibility: 'private' }
  const { id } = await world.make('/v1/saved_filters', filter, { key: secret })
  own.person = world.acme.user
  const entry = await own.fresh('notification')
  own.person = null
  return [id, entry]
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
      // Cursors that are ids are already added by their prefix.
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

/** Differs in one character of the random part; the last characters of ids are a counter. */
function twinOf(value: string): string {
  if (/^[A-Z]+-\d+$/.test(value)) return value.replace(/\d+$/, '9')
  const at = /_[0-9A-Z]{26}$/.test(value) ? value.length - 8 : Math.floor(value.length / 2)
  const put = value.charAt(at) === 'A' ? 'B' : 'A'
  return value.slice(0, at) + put + value.slice(at + 1)
}
