/**
 * One operation under trial. Its valid call is played once for all rules: as a dry run, for real, then repeated, with a read
 * of the credits in between; each rule judges its part of the replies. Every reply to the operation is also checked for its
 * headers, for its error envelope and, later, for having written nothing where it must not.
 */
import type { Operation } from '../api/declare/operation.ts'
import { type Call, pathParameters, urlOf } from './calls.ts'
import { at, type Client, codeOf, items, newKey, type Reply, type SendOptions, Skip, skip } from './client.ts'
import { conformLimits } from './conform-limits.ts'
import { faultsOfError } from './envelope.ts'
import { faultsOfHeaders } from './headers.ts'
import type { Logs } from './logs.ts'
import type { Stock } from './stock.ts'

/** What the trials of a run share. */
export interface Kit {
  readonly client: Client
  readonly stock: Stock
  readonly catalogue: readonly Operation[]
  /** `GET /v1/me` of the key. */
  readonly identity: Identity
  /** A key of another organization or realm. */
  readonly otherKey: string | null
  /** Every `X-Request-Id` seen. */
  readonly requestIds: Set<string>
  /** Paths whose methods were tried. */
  readonly triedPaths: Set<string>
  /** How often each list of values was sampled. */
  readonly samples: Map<string, number>
  readonly logs: Logs
}

export interface Identity {
  readonly organization: string
  readonly mode: string
  readonly credential: string
  readonly owner: unknown
  /** The version that the key speaks. */
  readonly version: string
}

/** The replies to an operation's valid call. */
export interface Script {
  readonly call: Call
  /** Of a write: its dry run, before everything else. */
  readonly dryRun: Reply | null
  readonly first: Reply
  /** Of a write its two replays, of a read the 304, of a stream nothing. */
  readonly repeated: readonly Reply[]
  /** Of a write: its key with other input. Of a read: an unknown parameter. */
  readonly refused: Reply
  readonly charged: {
    readonly dryRun: Cost
    readonly first: Cost
    /** Of the first repetition. */
    readonly repeated: Cost
    readonly refused: Cost
  }
  /** Of a write: its target as read before and after, if an operation reads it. */
  readonly before: Reply | null
  readonly after: Reply | null
  /** Of a write: the events that name the request as their cause, latest first. */
  readonly events: readonly unknown[]
}

/** Credits; `null` if a window ended in between. */
type Cost = number | null

/** The valid call is refused. */
class Refused extends Error {}

export class Trial {
  readonly kit: Kit
  readonly operation: Operation
  /** Of all replies to the operation. */
  readonly errorFaults = new Set<string>()
  readonly headerFaults = new Set<string>()
  /** The ids of requests that must write nothing. */
  readonly idle = new Set<string>()
  private faults: string[] = []
  private played: Promise<Script> | null = null
  private shared: Promise<Call> | null = null

  constructor(kit: Kit, operation: Operation) {
    this.kit = kit
    this.operation = operation
  }

  /** Reports a fault of the rule that runs. */
  fail(message: string, reply?: Reply): void {
    if (this.faults.length < conformLimits.messages_max) this.faults.push(message + quoteReply(reply))
  }

  expect(holds: boolean, message: string, reply?: Reply): void {
    if (!holds) this.fail(message, reply)
  }

  expectEqual(found: unknown, expected: unknown, what: string, reply?: Reply): void {
    this.expect(found === expected, `${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`, reply)
  }

  /** Expects a refusal with this code and, if given, this `param`; `null` expects none. */
  expectRefused(reply: Reply, code: string, param?: string | null): void {
    this.expect(codeOf(reply) === code, `not refused with ${code}`, reply)
    if (param === undefined || codeOf(reply) !== code) return
    this.expectEqual(at(reply.body, 'error', 'param') ?? null, param, 'error.param', reply)
  }

  /** The faults reported since the last call. */
  takeFaults(): string[] {
    const taken = this.faults
    this.faults = []
    return taken
  }

  /** A valid call for requests that change nothing: all rules of the trial share it. */
  call(): Promise<Call> {
    this.shared ??= this.freshCall()
    return this.shared
  }

  /** A valid call; the target of a write is created for it. */
  freshCall(): Promise<Call> {
    return this.kit.stock.call(this.operation, true)
  }

  /** Sends a call of this operation; `search` replaces its query as it stands. */
  async send(call: Call, options: SendOptions & { readonly search?: string } = {}): Promise<Reply> {
    const { method, streams } = this.operation
    const { search, ...sent } = options
    const path = search === undefined ? urlOf(call) : `${urlOf({ ...call, query: {} })}?${search}`
    const body = call.body === undefined || sent.raw !== undefined ? {} : { body: call.body }
    return this.inspect(await this.kit.client.send(method, path, { ...body, streams, ...sent }))
  }

  /** Sends a call that must be granted; a write as a dry run. */
  async sendGranted(call: Call, about: string, options: SendOptions = {}): Promise<Reply> {
    const prefer: Record<string, string> = this.operation.kind === 'write' ? { Prefer: 'dry-run' } : {}
    const reply = await this.send(call, { ...options, headers: { ...options.headers, ...prefer } })
    this.expectEqual(reply.status, 200, `the status ${about}`, reply)
    return reply
  }

  /** Sends a request to another method or path. */
  async sendTo(method: string, path: string, options: SendOptions = {}): Promise<Reply> {
    return await this.kit.client.send(method, path, options)
  }

  private inspect(reply: Reply): Reply {
    const { status, headers } = reply
    for (const fault of faultsOfHeaders(reply, this.operation, this.kit.requestIds)) this.headerFaults.add(fault)
    if (status >= 400) {
      for (const fault of faultsOfError(reply, this.operation)) this.errorFaults.add(fault + quoteReply(reply))
    }
    const isDryRun = headers['preference-applied'] === 'dry-run'
    const isReplay = headers['idempotent-replayed'] === 'true'
    if (this.operation.kind !== 'write' || status >= 400 || isDryRun || isReplay) this.mustWriteNothing(reply)
    return reply
  }

  mustWriteNothing(reply: Reply): void {
    this.idle.add(reply.headers['x-request-id'] ?? '')
  }

  /** The replies to the valid call. If it is refused, the first rule reports that and the others are skipped. */
  async script(): Promise<Script> {
    const isFirst = this.played === null
    this.played ??= this.operation.kind === 'write' ? this.playWrite() : this.playRead()
    try {
      return await this.played
    } catch (error) {
      if (isFirst || error instanceof Skip || !(error instanceof Refused)) throw error
      return skip('its valid call is refused, as reported above')
    }
  }

  private async playRead(): Promise<Script> {
    const call = await this.call()
    const { lists, streams } = this.operation
    // An empty list shows little, but is tried where nothing can be created.
    if (lists !== null) await this.kit.stock.thing(lists.object).catch(ignoreSkip)
    const meter = new Meter(this.kit.client)
    const first = await meter.around(() => this.send(call))
    this.requireGranted(first.reply)
    const etag = first.reply.headers.etag ?? ''
    const again = streams ? null : await meter.around(() => this.send(call, { headers: { 'If-None-Match': etag } }))
    const refused = await meter.around(() => this.send({ ...call, query: { ...call.query, no_such_parameter: '1' } }))
    return {
      ...of_no_read,
      call,
      first: first.reply,
      repeated: again === null ? [] : [again.reply],
      refused: refused.reply,
      charged: { dryRun: null, first: first.cost, repeated: again?.cost ?? null, refused: refused.cost },
    }
  }

  private async playWrite(): Promise<Script> {
    const { client, stock } = this.kit
    const call = await this.freshCall()
    const idempotencyKey = newKey()
    const before = await this.readTarget(call)
    const meter = new Meter(client)
    const dryRun = await meter.around(() => this.send(call, { idempotencyKey, headers: { Prefer: 'dry-run' } }))
    const first = await meter.around(() => this.send(call, { idempotencyKey }))
    this.requireGranted(first.reply)
    if (this.operation.method === 'POST') stock.remember(call, first.reply)
    if (this.operation.id.endsWith('.create')) stock.keep(String(at(first.reply.body, 'object')), first.reply.body)
    const again = await meter.around(() => this.send(call, { idempotencyKey }))
    // If-Match is part of the fingerprint.
    const refused = await meter.around(() => this.send(call, { idempotencyKey, headers: { 'If-Match': '"999999"' } }))
    return {
      call,
      dryRun: dryRun.reply,
      first: first.reply,
      repeated: [again.reply, await this.send(call, { idempotencyKey })],
      refused: refused.reply,
      charged: { dryRun: dryRun.cost, first: first.cost, repeated: again.cost, refused: refused.cost },
      before,
      after: before === null ? null : await this.readTarget(call),
      events: await this.eventsOf(first.reply),
    }
  }

  private requireGranted(reply: Reply): void {
    if (reply.status !== 200) throw new Refused(`its valid call is refused: ${reply.status} ${quote(reply.text)}`)
  }

  /** The target of a write as its own operation reads it; `null` if none does. */
  async readTarget(call: Call): Promise<Reply | null> {
    const { target } = this.operation
    const reads = this.kit.catalogue.find(
      (each) => each.kind === 'read' && target !== null && each.target?.object === target.object,
    )
    if (reads === undefined) return null
    const names = pathParameters(reads)
    const values = Object.values(call.params).slice(-names.length)
    const params = Object.fromEntries(names.map((name, i) => [name, values[i] as string]))
    const needsWorkspace = reads.query.workspace?.required === true
    const query: Record<string, string> = needsWorkspace
      ? { workspace: String(at(await this.kit.stock.thing('workspace'), 'id')) }
      : {}
    return await this.kit.client.send('GET', urlOf({ operation: reads, params, query }))
  }

  private async eventsOf(reply: Reply): Promise<unknown[]> {
    const newest = await this.kit.client.send('GET', `/v1/events?limit=${conformLimits.events_read_max}`)
    const id = reply.headers['x-request-id']
    return items(newest).filter((event) => at(event, 'request', 'id') === id)
  }

  /** All of these values for the first operation that asks, two for every other: the server has one parser for all. */
  sample<T>(name: string, values: readonly T[]): readonly T[] {
    const turn = this.kit.samples.get(name) ?? 0
    this.kit.samples.set(name, turn + 1)
    if (turn === 0) return values
    return [values[turn % values.length], values[(3 * turn + 1) % values.length]] as T[]
  }
}

const of_no_read = { dryRun: null, before: null, after: null, events: [] }

function ignoreSkip(error: unknown): void {
  if (!(error instanceof Skip)) throw error
}

/** Measures what requests are charged by reading `/v1/usage` around them, which costs one credit itself. */
class Meter {
  private readonly client: Client
  private last: Promise<Reply> | null = null

  constructor(client: Client) {
    this.client = client
  }

  async around(send: () => Promise<Reply>): Promise<{ reply: Reply; cost: Cost }> {
    const before = await (this.last ?? this.client.send('GET', '/v1/usage'))
    const reply = await send()
    this.last = this.client.send('GET', '/v1/usage')
    return { reply, cost: costBetween(before, await this.last) }
  }
}

function costBetween(before: Reply, after: Reply): Cost {
  if (at(before.body, 'day', 'resets_at') !== at(after.body, 'day', 'resets_at')) return null
  const used = Number(at(after.body, 'day', 'used')) - Number(at(before.body, 'day', 'used')) - 1
  return Number.isInteger(used) ? used : null
}

export function quote(text: string): string {
  return text.length <= conformLimits.quoted_chars_max ? text : `${text.slice(0, conformLimits.quoted_chars_max)}…`
}

function quoteReply(reply: Reply | undefined): string {
  if (reply === undefined) return ''
  return ` (${reply.method} ${quote(reply.path)}: ${reply.status} ${quote(reply.text)})`
}
