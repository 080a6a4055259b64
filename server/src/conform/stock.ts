/**
 * The things that calls need, by name. What the API can create is created, through the operation that creates it; what only
 * an operator can make is looked for; where there is none, the rule is skipped and says so. Invariant: everything that
 * was created here is remembered and removed in the end, as far as the API can remove it.
 */
import type { Operation } from '../api/operation.ts'
import { type Call, placesOf, special, urlOf } from './calls.ts'
import { at, type Client, codeOf, items, type Reply, Skip } from './client.ts'
import { flow_things, makeFlowThing } from './flows.ts'

/** Something that was created, and where it is removed. */
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
export function objectOf(schema: unknown): string | undefined {
  return at(schema, 'properties', 'object', 'const') as string | undefined
}

export class Stock {
  readonly created: Created[] = []
  private readonly catalogue: readonly Operation[]
  private readonly client: Client
  private readonly options: Options
  private readonly standing = new Map<string, Promise<unknown>>()

  constructor(catalogue: readonly Operation[], client: Client, options: Options) {
    this.catalogue = catalogue
    this.client = client
    this.options = options
  }

  /** A valid call. The target of a write is made for it when `fresh`, else the standing one. */
  async call(operation: Operation, fresh: boolean): Promise<Call> {
    const { needs, ...said } = special[operation.id] ?? {}
    if (needs !== undefined) await this.thing(needs)
    if (operation.id === 'time_entries.start' && fresh) await this.stopTimers()
    const { params, query, body } = { ...operation.example, ...said }
    const filled: Record<string, string> = {}
    for (const [i, name] of placesOf(operation).entries()) {
      const template = params?.[name]
      if (template === undefined) throw new Skip('its example names no object for the path')
      const isTarget = operation.target !== null && i === (operation.parent === null ? 0 : 1)
      filled[name] = await this.fill(template, fresh && isTarget && operation.kind === 'write' ? 'all' : 'none')
    }
    const others = fresh && operation.kind === 'write' ? 'other' : 'none'
    return {
      operation,
      params: filled,
      query: JSON.parse(await this.fill(JSON.stringify(query ?? {}), 'none')) as Record<string, string>,
      body: body === undefined ? undefined : JSON.parse(await this.fill(JSON.stringify(body), others)),
    }
  }

  private async fill(template: string, fresh: 'all' | 'other' | 'none'): Promise<string> {
    let text = template
    for (const [braced, name, field] of template.matchAll(/\{([a-z]\w*)(?:\.(\w+))?\}/g)) {
      const isFresh =
        this.makes(name as string) && (fresh === 'all' || (fresh === 'other' && name?.startsWith('other_')))
      const found = isFresh ? await this.make(name as string) : await this.thing(name as string)
      text = text.replace(braced, String(at(found, field ?? reference(name as string))))
    }
    return text
  }

  /** The standing thing of a name: made or found once. */
  thing(name: string): Promise<unknown> {
    let found = this.standing.get(name)
    if (found === undefined) {
      const isGiven = name === 'workspace' && this.options.workspace !== undefined
      found = this.makes(name) && !isGiven ? this.make(name) : this.find(name)
      this.standing.set(name, found)
    }
    return found
  }

  /** From now on the name stands for this. */
  replace(name: string, object: unknown): void {
    this.standing.set(name, Promise.resolve(object))
  }

  /** Makes as many things of a kind as are asked for; none where the API cannot make them. */
  async more(object: string, count: number): Promise<void> {
    for (let i = 0; i < count && this.makerOf(object) !== undefined; i++) await this.make(object)
  }

  /** Something that a rule's own call has made may stand for its name. */
  keep(name: string, object: unknown): void {
    if (!this.standing.has(name)) this.standing.set(name, Promise.resolve(object))
  }

  private makes(name: string): boolean {
    return name === 'running_time_entry' || flow_things.has(name) || this.makerOf(name) !== undefined
  }

  private makerOf(name: string): Operation | undefined {
    const object = name.replace(/^other_/, '')
    return this.catalogue.find(
      ({ id, kind, returns }) => kind === 'write' && id.endsWith('.create') && objectOf(returns) === object,
    )
  }

  /** Another thing of this name, of which nobody else knows. */
  async make(name: string): Promise<unknown> {
    if (name === 'running_time_entry') return await this.startTimer()
    if (flow_things.has(name)) return await makeFlowThing(this, this.client, name)
    const operation = this.makerOf(name) as Operation
    const call = await this.call(operation, true)
    const reply = await this.client.send('POST', urlOf(call), { body: call.body })
    if (reply.status !== 200) throw new Skip(`a ${name} could not be made: ${reply.status} ${codeOf(reply)}`)
    this.remember(call, reply)
    return reply.body
  }

  /** Notes what a call has created, so that it is removed in the end. */
  remember(call: Call, reply: Reply): void {
    const objects = at(reply.body, 'object') === 'list' ? items(reply) : [reply.body]
    for (const made of objects) {
      if (at(made, 'id') === undefined || Object.values(call.params).includes(String(at(made, 'id')))) continue
      const object = String(at(made, 'object'))
      const id = String(at(made, reference(object)))
      const remove = this.catalogue.find((each) => each.method === 'DELETE' && each.target?.object === object)
      const params = remove === undefined ? {} : pathOf(remove, call, made, id)
      this.note(object, id, remove === undefined ? null : urlOf({ operation: remove, params, query: {} }))
    }
  }

  note(object: string, id: string, path: string | null): void {
    if (!this.created.some((each) => each.object === object && each.path === path && each.id === id)) {
      this.created.push({ object, id, path })
    }
  }

  /** A key with these scopes; returns its secret. */
  async makeKey(scopes: readonly string[]): Promise<string> {
    const create = this.makerOf('api_key') as Operation
    const reply = await this.client.send('POST', create.path, { body: { name: 'Conformance', scopes } })
    const secret = at(reply.body, 'secret')
    if (typeof secret !== 'string') throw new Skip(`no limited key could be made: ${reply.status} ${codeOf(reply)}`)
    this.remember({ operation: create, params: {}, query: {}, body: undefined }, reply)
    return secret
  }

  private async startTimer(): Promise<unknown> {
    await this.stopTimers()
    const start = this.catalogue.find(({ id }) => id === 'time_entries.start') as Operation
    const call = await this.call(start, false)
    const reply = await this.client.send('POST', urlOf(call), { body: call.body })
    if (reply.status !== 200) throw new Skip(`no timer could be started: ${reply.status} ${codeOf(reply)}`)
    this.remember(call, reply)
    return reply.body
  }

  /** Stops the timers that were started here; other people's are left alone. */
  private async stopTimers(): Promise<void> {
    const workspace = at(await this.thing('workspace'), 'id')
    const own = new Set(this.created.map(({ id }) => id))
    for (const entry of items(await this.client.send('GET', `/v1/time_entries?limit=100&workspace=${workspace}`))) {
      const id = String(at(entry, 'id'))
      if (at(entry, 'status') === 'running' && own.has(id))
        await this.client.send('POST', `/v1/time_entries/${id}/stop`)
    }
  }

  /** What the API shows and cannot make. */
  private async find(name: string): Promise<unknown> {
    const { receiver, workspace } = this.options
    if (name === 'workspace') return await this.get(`/v1/workspaces/${workspace}`)
    if (name === 'receiver') {
      if (receiver === undefined) throw new Skip('no --receiver was given that could take webhooks')
      return { id: receiver }
    }
    if (name === 'organization') return at(await this.get('/v1/me'), 'organization')
    if (name === 'request') return { id: (await this.client.send('GET', '/v1')).headers['x-request-id'] }
    if (name === 'event') return await this.findEvent()
    if (name === 'board_item') return await this.findBoardItem()
    if (name === 'user' || name === 'other_user') return await this.findMember(name === 'user' ? 0 : 1)
    return await this.first(name)
  }

  private async get(path: string): Promise<unknown> {
    const reply = await this.client.send('GET', path)
    if (reply.status !== 200) throw new Skip(`GET ${path} answered ${reply.status} ${codeOf(reply)}`)
    return reply.body
  }

  private async first(name: string): Promise<unknown> {
    const list = this.catalogue.find(({ lists, parent }) => lists?.object === name && parent === null)
    if (list === undefined) throw new Skip(`nothing makes or lists a ${name}`)
    const [found] = items(await this.client.send('GET', `${list.path}?limit=1`))
    if (found === undefined) throw new Skip(`there is no ${name}, and the API cannot make one`)
    return found
  }

  /** The newest event, sent to an endpoint once where there is one, so that it can be sent again. */
  private async findEvent(): Promise<unknown> {
    await this.thing('workspace')
    const endpoint = await this.thing('webhook_endpoint').catch(() => null)
    await this.make('task')
    const event = await this.first('event')
    if (endpoint !== null) await this.client.send('POST', `/v1/events/${at(event, 'id')}/replay`)
    return event
  }

  private async findBoardItem(): Promise<unknown> {
    for (const board of items(await this.client.send('GET', '/v1/boards?limit=100'))) {
      if (Number(at(board, 'item_count')) === 0) continue
      const [found] = items(await this.client.send('GET', `/v1/boards/${at(board, 'id')}/items?limit=1`))
      if (found !== undefined) return found
    }
    throw new Skip('no board has items, and the API cannot make one')
  }

  private async findMember(place: number): Promise<unknown> {
    const members = items(await this.client.send('GET', '/v1/members?limit=100'))
    const found = members.filter((member) => at(member, 'status') === 'active')[place]
    if (found === undefined) throw new Skip(`the organization has fewer than ${place + 1} active members`)
    return found
  }
}

/** Which field of an object requests name it by. */
function reference(name: string): string {
  return name === 'user' || name === 'other_user' || name === 'board_member' ? 'user' : 'id'
}

/** The path's values for removing something that a call has made. */
function pathOf(remove: Operation, call: Call, made: unknown, id: string): Record<string, string> {
  const names = placesOf(remove)
  return Object.fromEntries(
    names.map((name, i) => {
      const outer =
        call.params[name] ?? at(made, name.replace(/_id$/, '')) ?? at(made, 'from') ?? Object.values(call.params)[0]
      return [name, i === names.length - 1 ? id : String(outer)]
    }),
  )
}
