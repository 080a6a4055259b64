/**
 * The objects that calls name. Creates them through the API, or finds the kinds that the API cannot create; a missing object
 * skips the rules that need it. Invariant: everything created here is recorded, so that the run can delete it.
 */
import type { Operation } from '../api/declare/operation.ts'
import { type Call, pathParameters, special, urlOf } from './calls.ts'
import { at, type Client, codeOf, items, type Reply, skip } from './client.ts'
import { flow_things, makeFlowThing } from './flows.ts'

/** A created object, and the path that deletes it if the API can. */
interface Created {
  readonly object: string
  readonly id: string
  readonly path: string | null
}

interface Options {
  /** The workspace to work in, instead of a new one. */
  readonly workspace: string | undefined
  /** A URL that answers webhooks with 2xx. */
  readonly receiver: string | undefined
}

/** The constant `object` of a shape. */
function objectOf(schema: unknown): string | undefined {
  return at(schema, 'properties', 'object', 'const') as string | undefined
}

/** They change only unread entries of the inbox. */
const marking_read: ReadonlySet<string> = new Set(['notifications.read', 'notifications.read_all'])
/** Objects whose operation answers something else than one new object. */
const made_things: ReadonlySet<string> = new Set([
  ...['running_time_entry', 'board_item', 'resolved_thread', 'other_change'],
])

export class Stock {
  readonly created: Created[] = []
  private readonly catalogue: readonly Operation[]
  private readonly client: Client
  private readonly options: Options
  private readonly standing = new Map<string, Promise<unknown>>()
  private readonly keys = new Map<string, Promise<string>>()

  constructor(catalogue: readonly Operation[], client: Client, options: Options) {
    this.catalogue = catalogue
    this.client = client
    this.options = options
  }

  /** A valid call. With `fresh`, the target of a write is created for it; otherwise it is the shared one. */
  async call(operation: Operation, fresh: boolean): Promise<Call> {
    const { needs, ...completed } = special[operation.id] ?? {}
    if (needs !== undefined) await this.thing(needs)
    if (operation.id === 'time_entries.start' && fresh) await this.stopTimers()
    if (fresh && marking_read.has(operation.id)) await this.markUnread()
    const { params, query, body } = { ...operation.example, ...completed }
    const isFresh = fresh && operation.kind === 'write'
    const filled: Record<string, string> = {}
    for (const [i, name] of pathParameters(operation).entries()) {
      const template = params?.[name]
      if (template === undefined) skip(`its example has no value for {${name}} of the path`)
      const isTarget = operation.target !== null && i === (operation.parent === null ? 0 : 1)
      filled[name] = await this.fill(template, isFresh && isTarget ? 'all' : 'none')
    }
    return {
      operation,
      params: filled,
      query: JSON.parse(await this.fill(JSON.stringify(query ?? {}), 'none')) as Record<string, string>,
      body:
        body === undefined ? undefined : JSON.parse(await this.fill(JSON.stringify(body), isFresh ? 'other' : 'none')),
    }
  }

  /** Replaces each `{name}`: by a new thing for all names, for those that begin with `other_`, or for none. */
  private async fill(template: string, fresh: 'all' | 'other' | 'none'): Promise<string> {
    let text = template
    for (const [braced, name = '', field] of template.matchAll(/\{([a-z]\w*)(?:\.(\w+))?\}/g)) {
      const isFresh = this.makes(name) && (fresh === 'all' || (fresh === 'other' && name.startsWith('other_')))
      const found = isFresh ? await this.make(name) : await this.thing(name)
      text = text.replace(braced, String(at(found, field ?? referenceField(name))))
    }
    return text
  }

  /** The shared object of a name: created or found once. */
  thing(name: string): Promise<unknown> {
    let found = this.standing.get(name)
    if (found === undefined) {
      const isGiven = name === 'workspace' && this.options.workspace !== undefined
      found = this.makes(name) && !isGiven ? this.make(name) : this.find(name)
      this.standing.set(name, found)
    }
    return found
  }

  /** Binds the name to this object. */
  replace(name: string, object: unknown): void {
    this.standing.set(name, Promise.resolve(object))
  }

  /** Binds the name to this object unless it is bound. */
  keep(name: string, object: unknown): void {
    if (!this.standing.has(name)) this.replace(name, object)
  }

  /** Creates this number of objects of a kind, if the API can create them. */
  async more(object: string, count: number): Promise<void> {
    for (let i = 0; i < count && this.makes(object); i++) await this.make(object)
  }

  /** Whether the API can create objects of this name. */
  makes(name: string): boolean {
    return made_things.has(name) || flow_things.has(name) || this.creatorOf(name) !== undefined
  }

  private creatorOf(name: string): Operation | undefined {
    const object = name.replace(/^other_/, '')
    return this.catalogue.find(
      ({ id, kind, returns }) => kind === 'write' && id.endsWith('.create') && objectOf(returns) === object,
    )
  }

  /** Creates an object of this name. */
  async make(name: string): Promise<unknown> {
    if (name === 'running_time_entry') return await this.startTimer()
    if (name === 'board_item') return await this.drawItem()
    if (name === 'resolved_thread') return await this.resolveThread()
    if (name === 'other_change') return await this.makeChange()
    if (flow_things.has(name)) return await makeFlowThing(this, this.client, name)
    return await this.carryOut(this.creatorOf(name) as Operation, true, name)
  }

  private async carryOut(operation: Operation, fresh: boolean, name: string): Promise<unknown> {
    return (await this.createWith(operation, fresh, name)).body
  }

  /** The answer of a call that creates an object. */
  private async createWith(operation: Operation, fresh: boolean, name: string): Promise<Reply> {
    const call = await this.call(operation, fresh)
    const reply = await this.client.send('POST', urlOf(call), { body: call.body })
    if (reply.status !== 200) skip(`no ${name} could be created: ${reply.status} ${codeOf(reply)}`)
    this.remember(call, reply)
    return reply
  }

  /** The id of a request that created a task. */
  private async makeChange(): Promise<unknown> {
    const reply = await this.createWith(this.creatorOf('task') as Operation, true, 'task')
    return { id: reply.headers['x-request-id'] }
  }

  /** Records the object that a call has created. */
  remember(call: Call, reply: Reply): void {
    const objects = at(reply.body, 'object') === 'list' ? items(reply) : [reply.body]
    for (const created of objects.map(taskOfImport)) {
      if (at(created, 'id') === undefined || Object.values(call.params).includes(String(at(created, 'id')))) continue
      const object = String(at(created, 'object'))
      const id = String(at(created, referenceField(object)))
      const remove = this.catalogue.find((each) => each.method === 'DELETE' && each.target?.object === object)
      const params = remove === undefined ? {} : deletePath(remove, call, created, id)
      this.note(object, id, remove === undefined ? null : urlOf({ operation: remove, params, query: {} }))
    }
  }

  note(object: string, id: string, path: string | null): void {
    if (!this.created.some((each) => each.object === object && each.path === path && each.id === id)) {
      this.created.push({ object, id, path })
    }
  }

  /** The secret of a key with exactly these scopes; created once. */
  keyWith(scopes: readonly string[]): Promise<string> {
    const name = scopes.join()
    let key = this.keys.get(name)
    if (key === undefined) {
      key = this.createKey(scopes)
      this.keys.set(name, key)
    }
    return key
  }

  private async createKey(scopes: readonly string[]): Promise<string> {
    const create = this.creatorOf('api_key') as Operation
    const reply = await this.client.send('POST', create.path, { body: { name: 'Conformance', scopes } })
    const secret = at(reply.body, 'secret')
    if (typeof secret !== 'string') skip(`no limited key could be created: ${reply.status} ${codeOf(reply)}`)
    this.remember({ operation: create, params: {}, query: {}, body: undefined }, reply)
    return secret
  }

  /** A thread on a board, resolved. */
  private async resolveThread(): Promise<unknown> {
    const comment = await this.make('board_comment')
    const path = `/v1/boards/${at(comment, 'board')}/comments/${at(comment, 'id')}/resolve`
    const reply = await this.client.send('POST', path)
    if (reply.status !== 200) skip(`no thread could be resolved: ${reply.status} ${codeOf(reply)}`)
    return reply.body
  }

  private async startTimer(): Promise<unknown> {
    await this.stopTimers()
    const start = this.catalogue.find(({ id }) => id === 'time_entries.start') as Operation
    return await this.carryOut(start, false, 'running timer')
  }

  /** Draws an element of its own on the shared board. */
  private async drawItem(): Promise<unknown> {
    const draw = this.catalogue.find(({ id }) => id === 'board_items.create') as Operation
    const call = { ...(await this.call(draw, false)), body: { items: [{ type: 'shape', text: 'Drawn by the run' }] } }
    const reply = await this.client.send('POST', urlOf(call), { body: call.body })
    if (reply.status !== 200) skip(`no item could be drawn: ${reply.status} ${codeOf(reply)}`)
    this.remember(call, reply)
    return items(reply)[0]
  }

  /** Stops the timers that the run has started. */
  private async stopTimers(): Promise<void> {
    const workspace = at(await this.thing('workspace'), 'id')
    const own = new Set(this.created.map(({ id }) => id))
    for (const entry of items(await this.client.send('GET', `/v1/time_entries?limit=100&workspace=${workspace}`))) {
      const id = String(at(entry, 'id'))
      if (at(entry, 'status') === 'running' && own.has(id)) {
        await this.client.send('POST', `/v1/time_entries/${id}/stop`)
      }
    }
  }

  /** Makes the shared entry of the inbox one that can be marked read. */
  private async markUnread(): Promise<void> {
    const path = `/v1/notifications/${at(await this.thing('notification'), 'id')}`
    await this.client.send('POST', `${path}/snooze`, { body: { until: null } })
    await this.client.send('POST', `${path}/unread`)
  }

  /** Finds an object of a kind that the API shows but cannot create. */
  private async find(name: string): Promise<unknown> {
    const { receiver, workspace } = this.options
    if (name === 'workspace') return await this.get(`/v1/workspaces/${workspace}`)
    if (name === 'receiver') return receiver === undefined ? skip('no --receiver was given') : { id: receiver }
    if (name === 'organization') return at(await this.get('/v1/me'), 'organization')
    if (name === 'request') return { id: (await this.client.send('GET', '/v1')).headers['x-request-id'] }
    if (name === 'event') return await this.findEvent()
    if (name === 'user' || name === 'other_user') return await this.findMember(name === 'user' ? 0 : 1)
    return await this.first(name)
  }

  private async get(path: string): Promise<unknown> {
    const reply = await this.client.send('GET', path)
    if (reply.status !== 200) skip(`GET ${path} answered ${reply.status} ${codeOf(reply)}`)
    return reply.body
  }

  private async first(name: string): Promise<unknown> {
    const list = this.catalogue.find(({ lists, parent }) => lists?.object === name && parent === null)
    if (list === undefined) skip(`no operation creates or lists a ${name}`)
    const [found] = items(await this.client.send('GET', `${list.path}?limit=1`))
    return found ?? skip(`no ${name} exists, and the API cannot create one`)
  }

  /** The newest event. It is sent to an endpoint once, if there is one, so that it can be sent again. */
  private async findEvent(): Promise<unknown> {
    await this.thing('workspace')
    const endpoint = await this.thing('webhook_endpoint').catch(() => null)
    await this.make('task')
    const event = await this.first('event')
    if (endpoint !== null) await this.client.send('POST', `/v1/events/${at(event, 'id')}/replay`)
    return event
  }

  private async findMember(index: number): Promise<unknown> {
    const members = items(await this.client.send('GET', '/v1/members?limit=100'))
    const active = members.filter((member) => at(member, 'status') === 'active')
    return active[index] ?? skip(`the organization has fewer than ${index + 1} active members`)
  }
}

/** The task that an entry of an import's answer names; any other object unchanged. */
function taskOfImport(object: unknown): unknown {
  return at(object, 'object') === 'imported_task' ? { object: 'task', id: at(object, 'task') } : object
}

const named_by_user: ReadonlySet<string> = new Set(['user', 'other_user', 'board_member', 'team_member'])

/** The field of an object that requests name it by. */
function referenceField(name: string): string {
  return named_by_user.has(name) ? 'user' : 'id'
}

/** The path parameters for deleting what a call has created. */
function deletePath(remove: Operation, call: Call, created: unknown, id: string): Record<string, string> {
  const names = pathParameters(remove)
  return Object.fromEntries(
    names.map((name, i) => {
      const outer =
        call.params[name] ??
        at(created, name.replace(/_id$/, '')) ??
        at(created, 'from') ??
        Object.values(call.params)[0]
      return [name, i === names.length - 1 ? id : String(outer)]
    }),
  )
}
