/**
 * One object of every noun, and a valid call of every operation, for the conformance tests. A call comes from the operation's
 * `example`, completed by `special` below. The target of a write is created for each call, so calls can be repeated in any
 * order.
 */
import assert from 'node:assert/strict'
import type { Mode } from '../src/api/declare/caller.ts'
import type { Operation } from '../src/api/declare/operation.ts'
import { catalogue } from '../src/catalogue.ts'
import type { CallOptions, Reply } from './call.ts'
import { makers } from './makers.ts'
import { indexForSearch } from './search-index.ts'
import type { Organization, World } from './world.ts'

/** A request to which its operation responds with 200. */
export interface ValidCall {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

/** What the example of an operation leaves out, by operation id. Names in braces as in examples. */
const special: Readonly<Record<string, Partial<Special>>> = {
  // A second rate of the same scope and target is a conflict.
  'billing_rates.create': {
    body: {
      workspace: '{workspace}',
      scope: 'project',
      target: '{other_project}',
      currency: 'EUR',
      amount_minor: 9500,
    },
  },
  // A second field with the same key is a conflict.
  'custom_fields.create': {
    body: { workspace: '{other_workspace}', key: 'stage', name: 'Stage', type: 'select', options: [{ name: 'Alpha' }] },
  },
  // A task that was imported before is found.
  'tasks.import': {
    body: { workspace: '{workspace}', source: 'jira', data: [{ external_id: '{other_task}', title: 'Rotate' }] },
  },
  // A new entry is unread already.
  'notifications.unread': { params: { id: '{read_notification}' } },
  // New tasks are already in the shared project and column.
  'tasks.move': { body: { project: '{other_project}', column: null } },
  'webhook_endpoints.create': { body: { url: '{receiver}', event_types: ['workflow.task.*'] } },
  // The worker that indexes does not run in tests.
  'search.list': { before: (things) => indexForSearch(things.world.services, things.realm) },
  'time_entries.start': { before: (things) => things.stopRunning() },
}

interface Special {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly before: (things: Things) => Promise<void>
}

/** What to do about an operation without a valid call. */
export const instructions =
  'Give the operation an `example` whose placeholders ({workspace}, {task}, …) are names in server/test/makers.ts. ' +
  'Add a maker there for a new noun, and to `special` in server/test/things.ts what an example cannot express.'

export class Things {
  readonly world: World
  readonly organization: Organization
  readonly mode: Mode
  /** The id of the shared object of each name. */
  readonly ids: Record<string, string> = {}
  /** The key of the caller: objects that only their creator may use are created with it. */
  sender: string

  constructor(world: World, organization: Organization, mode: Mode) {
    this.world = world
    this.organization = organization
    this.mode = mode
    this.sender = this.key
  }

  get key(): string {
    return this.mode === 'live' ? this.organization.key : this.organization.testKey
  }

  get realm(): number {
    return this.organization.realms[this.mode]
  }

  send(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    return this.world.call(method, path, { key: this.key, ...options })
  }

  /** A POST that must succeed. */
  make(path: string, body: unknown): Promise<Reply['body']> {
    return this.world.make(path, body, { key: this.key })
  }

  /** The id of the shared object of this name. */
  id(name: string): string {
    const id = this.ids[name]
    if (id === undefined) throw new Error(`Unknown object "${name}". ${instructions}`)
    return id
  }

  /** Creates an object of this name. Returns its id, which no other test uses. */
  async fresh(name: string): Promise<string> {
    const maker = makers[name]
    if (maker === undefined) throw new Error(`No maker for "${name}". ${instructions}`)
    return await maker.make(this)
  }

  /** A valid call of an operation for the sender's key. The target of a write is created for it. */
  /** In whose inbox entries are made; null for the service user, as which a key acts. */
  person: string | null = null

  async call(operation: Operation, sender: string = this.key): Promise<ValidCall> {
    this.sender = sender
    const { before, params, query, body } = special[operation.id] ?? {}
    await before?.(this)
    const { example } = operation
    const writes = operation.kind === 'write'
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
    const filled: Record<string, string> = {}
    for (const [i, name] of names.entries()) {
      const template = params?.[name] ?? example.params?.[name]
      assert.ok(template !== undefined, `${operation.id} has no value for {${name}} of its path. ${instructions}`)
      const isTarget = operation.target !== null && i === (operation.parent === null ? 0 : 1)
      filled[name] = await this.fill(template, writes && isTarget ? 'all' : 'none')
    }
    return {
      operation,
      params: filled,
      query: JSON.parse(await this.fill(JSON.stringify(query ?? example.query ?? {}), 'none')) as ValidCall['query'],
      body: await this.body(body ?? example.body, writes),
    }
  }

  private async body(template: unknown, writes: boolean): Promise<unknown> {
    if (template === undefined) return undefined
    return JSON.parse(await this.fill(JSON.stringify(template), writes ? 'other' : 'none'))
  }

  /** Replaces every `{name}` by an id: of new objects for all names, for names that begin with `other_`, or for none. */
  private async fill(template: string, fresh: 'all' | 'other' | 'none'): Promise<string> {
    let text = template
    for (const [braced, name] of template.matchAll(/\{([a-z]\w*)\}/g)) {
      const isFresh = makers[name as string] !== undefined && (fresh === 'all' || isOther(fresh, name as string))
      const id = isFresh ? await this.fresh(name as string) : this.id(name as string)
      text = text.replace(braced, id)
    }
    return text
  }

  /** Stops all running time entries, because a user can run only one. */
  async stopRunning(): Promise<void> {
    let after = ''
    for (;;) {
      const { body } = await this.send('GET', `/v1/time_entries?limit=100${after}`)
      for (const entry of body.data) {
        if (entry.status === 'running') await this.make(`/v1/time_entries/${entry.id}/stop`, {})
      }
      if (!body.has_more) return
      after = `&starting_after=${body.data.at(-1).id}`
    }
  }
}

function isOther(fresh: string, name: string): boolean {
  return fresh === 'other' && name.startsWith('other_')
}

/** The path and query of a call. */
export function urlOf(call: Pick<ValidCall, 'operation' | 'params' | 'query'>): string {
  const path = call.operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) =>
    encodeURIComponent(call.params[name] as string),
  )
  const query = new URLSearchParams(call.query as Record<string, string>).toString()
  return query === '' ? path : `${path}?${query}`
}

/** Sends a call, by default with the key of `things`. Reads only the beginning of a stream. */
export function sendCall(things: Things, call: ValidCall, options: CallOptions = {}): Promise<Reply> {
  if (call.operation.streams) return peek(things, urlOf(call), options)
  const { uploads } = call.operation
  return things.send(call.operation.method, urlOf(call), {
    ...(call.body === undefined ? {} : uploads ? { raw: String(call.body) } : { body: call.body }),
    ...options,
    ...(uploads ? { headers: { 'content-type': 'application/octet-stream', ...options.headers } } : {}),
  })
}

/** Creates one object of every noun in an organization's realm. */
export async function populate(
  world: World,
  organization: Organization = world.acme,
  mode: Mode = 'live',
): Promise<Things> {
  const things = new Things(world, organization, mode)
  const built = new Set(catalogue.map((operation) => operation.id))
  for (const [name, maker] of Object.entries(makers)) {
    if (maker.shared && (maker.needs === null || built.has(maker.needs))) things.ids[name] = await maker.make(things)
  }
  return things
}

/** The head and the first bytes of a response without end. */
async function peek(things: Things, path: string, { key, headers }: CallOptions): Promise<Reply> {
  const secret = key === undefined ? things.key : key
  const ending = new AbortController()
  const answer = await fetch(things.world.server.url + path, {
    headers: {
      ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
      ...(headers as Record<string, string>),
    },
    signal: ending.signal,
  })
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  const first = isStream ? (await answer.body?.getReader().read())?.value : await answer.bytes()
  ending.abort()
  const text = Buffer.from(first ?? []).toString()
  // When this returns, the server has seen the end of the stream, and its slot is free for the next.
  await things.send('GET', '/healthz')
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    text,
    body: isStream ? null : JSON.parse(text),
  }
}
