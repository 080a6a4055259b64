/**
 * One operation under trial. Its valid call is sent once for all rules: rehearsed, then in earnest, then repeated, with a look at the
 * credits in between; each rule reads in these replies what concerns it. What is found wrong is told to the rule that runs.
 */
import type { Operation } from '../api/operation.ts'
import { type Call, placesOf, urlOf } from './calls.ts'
import { at, type Client, codeOf, items, newKey, type Reply, type Sent, Skip } from './client.ts'
import { conformLimits } from './conform-limits.ts'
import { faultsOfError } from './envelope.ts'
import type { Stock } from './stock.ts'

/** What the run knows beside the operation. */
export interface Kit {
  readonly client: Client
  readonly stock: Stock
  readonly catalogue: readonly Operation[]
  /** A key of another organization or realm. */
  readonly otherKey: string | null
  /** A key with a scope that no operation asks for; made once. */
  limited(): Promise<string>
}

/** The replies to an operation's valid call. */
export interface Script {
  readonly call: Call
  /** Of a write: the same as a dry run, before. */
  readonly rehearsed: Reply | null
  readonly first: Reply
  /** Of a write the replay, of a read the 304, of a stream nothing. */
  readonly again: Reply | null
  /** Of a write: its key with other input. Of a read: with a parameter that there is not. */
  readonly refused: Reply
  /** Credits used by each of them, in this order; `null` where they could not be told. */
  readonly charged: { readonly rehearsed: Cost; readonly first: Cost; readonly again: Cost; readonly refused: Cost }
  /** Of a write: the target's read before and after, where there is one. */
  readonly before: Reply | null
  readonly after: Reply | null
  /** Of a write: the events that name the request as their cause. */
  readonly events: readonly unknown[]
}

type Cost = number | null

/** The server does not grant what it must. */
class Refused extends Error {}

export class Trial {
  readonly kit: Kit
  readonly operation: Operation
  /** What is wrong with the error answers of all rules. */
  readonly errorFaults = new Set<string>()
  errors = 0
  private faults: string[] = []
  private played: Promise<Script> | null = null
  private standing: Promise<Call> | null = null

  constructor(kit: Kit, operation: Operation) {
    this.kit = kit
    this.operation = operation
  }

  /** The rule that runs has found this wrong. */
  fail(message: string, reply?: Reply): void {
    const quoted =
      reply === undefined ? '' : ` (${reply.method} ${quote(reply.path)}: ${reply.status} ${quote(reply.text)})`
    if (this.faults.length < conformLimits.messages_max) this.faults.push(message + quoted)
  }

  expect(holds: boolean, message: string, reply?: Reply): void {
    if (!holds) this.fail(message, reply)
  }

  expectEqual(found: unknown, expected: unknown, what: string, reply?: Reply): void {
    this.expect(found === expected, `${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`, reply)
  }

  /** Refused with this code, about this parameter where one is given. */
  expectRefused(reply: Reply, code: string, param?: string): void {
    this.expect(codeOf(reply) === code, `not refused with ${code}`, reply)
    if (param === undefined || codeOf(reply) !== code) return
    this.expectEqual(at(reply.body, 'error', 'param'), param, 'error.param', reply)
  }

  /** The faults found since the last time. */
  take(): string[] {
    const taken = this.faults
    this.faults = []
    return taken
  }

  /** The valid call on standing things: for requests that change nothing. */
  call(): Promise<Call> {
    this.standing ??= this.kit.stock.call(this.operation, false)
    return this.standing
  }

  /** Sends a call of this operation; its error answers are looked at by the rule of errors. */
  async send(call: Call, sent: Sent = {}): Promise<Reply> {
    const { method, streams } = this.operation
    const body = call.body === undefined ? {} : { body: call.body }
    return this.noted(await this.kit.client.send(method, urlOf(call), { ...body, streams, ...sent }))
  }

  /** The same with another method or path. */
  async sendTo(method: string, path: string, sent: Sent = {}): Promise<Reply> {
    return await this.kit.client.send(method, path, sent)
  }

  private noted(reply: Reply): Reply {
    if (reply.status < 400) return reply
    this.errors++
    for (const fault of faultsOfError(reply, this.operation)) {
      this.errorFaults.add(`${fault} (${reply.method} ${quote(reply.path)}: ${reply.status} ${quote(reply.text)})`)
    }
    return reply
  }

  /** The replies to the valid call. When it is not granted, that is one fault, and no other rule can be tried with it. */
  async script(): Promise<Script> {
    const isFirst = this.played === null
    this.played ??= this.operation.kind === 'write' ? this.playWrite() : this.playRead()
    try {
      return await this.played
    } catch (error) {
      if (isFirst || error instanceof Skip || !(error instanceof Refused)) throw error
      skip('its valid call is not granted, as said above')
    }
  }

  private async playRead(): Promise<Script> {
    const call = await this.call()
    const { lists, streams } = this.operation
    // An empty list shows little; where nothing can be made, it is looked at all the same.
    if (lists !== null) await this.kit.stock.thing(lists.object).catch(ignoreSkip)
    const meter = new Meter(this.kit.client)
    const first = await meter.around(() => this.send(call))
    this.requireGranted(first.reply)
    const etag = first.reply.headers.etag ?? ''
    const again = streams ? null : await meter.around(() => this.send(call, { headers: { 'If-None-Match': etag } }))
    const wrong = { ...call, query: { ...call.query, no_such_parameter: '1' } }
    const refused = await meter.around(() => this.send(wrong))
    return {
      ...nothing,
      call,
      first: first.reply,
      again: again?.reply ?? null,
      refused: refused.reply,
      charged: { rehearsed: null, first: first.cost, again: again?.cost ?? null, refused: refused.cost },
    }
  }

  private async playWrite(): Promise<Script> {
    const { client, stock } = this.kit
    const call = await stock.call(this.operation, true)
    const idempotencyKey = newKey()
    const before = await this.readTarget(call)
    const meter = new Meter(client)
    const headers = { Prefer: 'dry-run' }
    const rehearsed = await meter.around(() => this.send(call, { idempotencyKey, headers }))
    const first = await meter.around(() => this.send(call, { idempotencyKey }))
    this.requireGranted(first.reply)
    if (this.operation.method === 'POST') stock.remember(call, first.reply)
    if (this.operation.id.endsWith('.create')) stock.keep(String(at(first.reply.body, 'object')), first.reply.body)
    const again = await meter.around(() => this.send(call, { idempotencyKey }))
    // If-Match is part of what makes a request the same.
    const refused = await meter.around(() => this.send(call, { idempotencyKey, headers: { 'If-Match': '"999999"' } }))
    return {
      call,
      rehearsed: rehearsed.reply,
      first: first.reply,
      again: again.reply,
      refused: refused.reply,
      charged: { rehearsed: rehearsed.cost, first: first.cost, again: again.cost, refused: refused.cost },
      before,
      after: before === null ? null : await this.readTarget(call),
      events: await this.eventsOf(first.reply),
    }
  }

  private requireGranted(reply: Reply): void {
    if (reply.status === 200) return
    throw new Refused(`its valid call is not granted: ${reply.status} ${quote(reply.text)}`)
  }

  /** The target as its own read shows it; `null` where it has none. */
  async readTarget(call: Call): Promise<Reply | null> {
    const { target } = this.operation
    const reads = this.kit.catalogue.find(
      (each) => each.kind === 'read' && target !== null && each.target?.object === target.object,
    )
    if (reads === undefined) return null
    const names = placesOf(reads)
    const values = Object.values(call.params).slice(-names.length)
    const params = Object.fromEntries(names.map((name, i) => [name, values[i] as string]))
    const isNeeded = reads.query.workspace?.required === true
    const query: Record<string, string> = isNeeded
      ? { workspace: String(at(await this.kit.stock.thing('workspace'), 'id')) }
      : {}
    return await this.kit.client.send('GET', urlOf({ operation: reads, params, query }))
  }

  private async eventsOf(reply: Reply): Promise<unknown[]> {
    const list = await this.kit.client.send('GET', `/v1/events?limit=${conformLimits.events_read_max}`)
    const id = reply.headers['x-request-id']
    return items(list).filter((event) => at(event, 'request', 'id') === id)
  }
}

const nothing = { rehearsed: null, before: null, after: null, events: [] }

function ignoreSkip(error: unknown): void {
  if (!(error instanceof Skip)) throw error
}

/** Looks at the credits used, which counts each look as one. */
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

/** Only what is needed: a rule that cannot be tried here. */
export function skip(reason: string): never {
  throw new Skip(reason)
}
