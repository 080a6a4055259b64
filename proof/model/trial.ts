/**
 * A run: commands out of numbers, carried out by the model and by a server of each engine, which must answer as the model
 * says. A command is a request or a move of the operator's; what cannot be made yet is replaced by what it needs.
 */
import type { Raw } from '../connection.ts'
import type { Asked, Expectation } from './asked.ts'
import { operations } from './catalogue.ts'
import { fits } from './credits.ts'
import { Needed, type Setting } from './kinds.ts'
import { Model } from './model.ts'
import type { Moved } from './moved.ts'
import { disabling, lapse, makersByMove, moves, nextDay } from './moves.ts'
import { Numbers } from './numbers.ts'
import type { OperationModel } from './operation.ts'
import type { Reached } from './reached.ts'
import { isKept, Unclear } from './refused.ts'
import { makeRequest, type Past } from './requests.ts'
import { answer, type Incident } from './rules.ts'
import type { Server } from './server.ts'
import { platformSetting } from './setting.ts'
import { answerTwin } from './writes.ts'

export type Command = readonly number[]

/** Operations as often as they are to be chosen. */
const weighted = operations.flatMap((operation) => Array.from({ length: operation.weight ?? 1 }, () => operation))

const makers: Readonly<Record<string, string>> = {
  workspace: 'workspaces.create',
  project: 'projects.create',
  portfolio: 'portfolios.create',
  column: 'columns.create',
  task: 'tasks.create',
  comment: 'task_comments.create',
  dependency: 'task_dependencies.create',
  time_entry: 'time_entries.create',
  expense: 'expenses.create',
  billing_rate: 'billing_rates.create',
  invoice_draft: 'invoice_drafts.create',
  export_job: 'exports.create',
  board: 'boards.create',
  board_member: 'board_members.create',
  api_key: 'api_keys.create',
  automation_flow: 'automation_flows.create',
  webhook_endpoint: 'webhook_endpoints.create',
  event: 'workspaces.create',
  request_log: 'api.retrieve',
}

const incidents = ['no store', 'no account', 'a fault'] as const

const byId = new Map(operations.map((operation) => [operation.id, operation]))

export interface Divergence {
  readonly engine: string
  readonly what: string
}

export class Run {
  readonly model: Model
  private readonly servers: readonly Server[]
  private readonly past: Past = { sent: [], keys: 0 }
  private readonly reached: Reached
  /** What was done, for the reader of a counterexample. */
  readonly told: string[] = []

  constructor(servers: readonly Server[], model: Model, reached: Reached) {
    this.servers = servers
    this.model = model
    this.reached = reached
  }

  /** Carries out a command. Resolves with how a server diverged from the model. */
  async step(command: Command): Promise<Divergence | null> {
    const n = new Numbers(command)
    const isMove = n.chance(9)
    try {
      if (isMove) return await this.move(n.pick(moves)(n, this.model))
      const operation = n.pick(weighted)
      return await this.ask(operation, n)
    } catch (error) {
      if (error instanceof Needed) return await this.make(error.kind, n)
      if (error instanceof Unclear) return null
      throw error
    }
  }

  /** What is needed first, and what that needs. */
  private async make(kind: string, n: Numbers, depth = 0): Promise<Divergence | null> {
    try {
      const move = makersByMove[kind]
      if (move !== undefined) return await this.move(move(n, this.model))
      const maker = byId.get(makers[kind] ?? '')
      return maker === undefined ? null : await this.ask(maker, n)
    } catch (error) {
      if (error instanceof Needed && depth < 6) return await this.make(error.kind, n, depth + 1)
      if (error instanceof Needed || error instanceof Unclear) return null
      throw error
    }
  }

  /** The whole log of events at last: it tells of every change, with the objects as they were then. */
  async close(): Promise<Divergence | null> {
    const { model } = this
    const [id] = model.data.disabled
    if (id !== undefined) await this.move(disabling(id)(model))
    if (model.data.plan === null) await this.move(lapse(model))
    await this.move(nextDay(model))
    const operation = byId.get('events.list') as OperationModel
    const is = model.data.credentials[0] ?? null
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: [string, string][] = [
        ['limit', '100'],
        ...(cursor === '' ? [] : [['cursor', cursor] as [string, string]]),
      ]
      const asked = {
        operation,
        presented: { secret: is?.secret ?? null, is },
        inUrl: false,
        params: {},
        query,
        body: undefined,
        raw: null,
        keys: [],
        headers: {},
      }
      const expected = answer(model, asked)
      const found = await this.compare(asked, expected, (server) => server.send(asked))
      if (found !== null) return found
      cursor = (expected.answer?.next_cursor as string | null | undefined) ?? null
    }
    return null
  }

  private async ask(operation: OperationModel, n: Numbers): Promise<Divergence | null> {
    const asked = makeRequest(operation, n, this.model, this.past)
    const incident = asked.operation.id !== 'events.stream' && n.chance(3) ? n.pick(incidents) : 'none'
    if (asked.operation.method !== 'GET' && asked.raw === null && asked.presented.is !== null)
      this.past.sent.push(asked)
    return await this.hold(asked, incident, n.chance(4))
  }

  /** Has a request answered by the model and by every server. */
  async hold(asked: Asked, incident: Incident = 'none', hasTwin = false): Promise<Divergence | null> {
    const expected = answer(this.model, asked, incident)
    this.told.push(tellAsked(asked, expected))
    if (incident !== 'none') return await this.compare(asked, expected, (server) => server.sendAmid(incident, asked))
    if (hasTwin && this.mayHaveTwin(asked, expected)) return await this.twins(asked, expected)
    const frames = expected.frames?.length ?? 0
    return await this.compare(asked, expected, (server) => server.send(asked, frames))
  }

  /** A write that reaches its key's look-up and takes the key, with credits for two of it. */
  private mayHaveTwin({ operation, headers, presented }: Asked, { code, replayOf }: Expectation): boolean {
    const isFirst = replayOf === null && (code === null || isKept(code))
    if (operation.method === 'GET' || !isFirst || headers.prefer !== undefined) return false
    const credential = this.model.credential(presented.is?.id ?? '')
    return credential !== undefined && !credential.isGone && fits(this.model, credential, 2 * operation.credits)
  }

  /** Twice at once: the second finds the first under way, or done. */
  private async twins(asked: Asked, expected: Expectation): Promise<Divergence | null> {
    const { late, replayed } = answerTwin(this.model, asked, expected)
    this.told.push('  and its twin')
    const sent = await Promise.all(this.servers.map((server) => server.sendTwins(asked)))
    const at = (place: number) => async (server: Server) => sent[this.servers.indexOf(server)]?.[place] as Raw
    const found = await this.compare(asked, { ...expected, remaining: 'unknown' }, at(0))
    const isLate = ({ text }: Raw) => text.includes('"idempotency_in_progress"')
    return (
      found ??
      (await this.compare(asked, (raw) => (isLate(raw) ? late : replayed), at(1))) ??
      (await this.move(nextDay(this.model)))
    )
  }

  /** Has every server answer, and compares. */
  private async compare(
    asked: Asked,
    expectation: Expectation | ((raw: Raw) => Expectation),
    send: (server: Server) => Promise<Raw>,
  ): Promise<Divergence | null> {
    const raws = await Promise.all(this.servers.map(send))
    for (const [i, raw] of raws.entries()) {
      const server = this.servers[i] as Server
      const expected = typeof expectation === 'function' ? expectation(raw) : expectation
      const found = server.judge(asked, expected, raw)
      if (found !== null) return { engine: server.engine, what: `${asked.operation.id} ${found}` }
      const [logged] = server.logged.splice(0)
      if (logged !== undefined) return { engine: server.engine, what: `${asked.operation.id} logged ${logged}` }
      this.reached.note(asked.operation.errorClass, raw)
    }
    return null
  }

  /** Has something done to the model and to every server. */
  async move({ what, carry, expected }: Moved): Promise<Divergence | null> {
    this.told.push(what)
    for (const server of this.servers) {
      const made = await carry(server)
      const found = expected === null ? null : server.names.differs(expected, made)
      if (found !== null) return { engine: server.engine, what: `${what}: ${found}` }
    }
    return null
  }
}

function tellAsked(
  { operation, params, query, body, raw, headers, keys, presented }: Asked,
  { status, code }: Expectation,
): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) => params[name] as string)
  const search = query.length === 0 ? '' : `?${query.map(([name, value]) => `${name}=${value}`).join('&')}`
  const more = { ...headers, ...(keys.length === 0 ? {} : { key: keys.join() }) }
  const by = presented.is?.id ?? presented.secret
  const sent = raw?.text ?? (body === undefined ? '' : JSON.stringify(body))
  return `${operation.method} ${path}${search} ${sent} ${JSON.stringify(more)} by ${by} → ${status} ${code ?? ''}`
}

/** Begins a run: a new organization on every server. */
export async function beginRun(
  servers: readonly Server[],
  setting: Pick<Setting, 'limits' | 'receivers' | 'foreign'>,
  reached: Reached,
): Promise<Run> {
  const beginnings = []
  for (const server of servers) beginnings.push(await server.begin())
  const [one] = beginnings
  if (one === undefined) throw new Error('there is no server')
  if (beginnings.some((each) => JSON.stringify(each) !== JSON.stringify(one)))
    throw new Error('organizations do not begin alike')
  const now = Math.floor((servers[0] as Server).world.clock.now() / 1000)
  const { data, rest } = platformSetting(one, now)
  const isKnown = (name: string) => !/^[a-z]+~\d{6}$/.test(name) || servers.every(({ names }) => names.knows(name))
  return new Run(servers, new Model(data, { ...setting, ...rest }, now, isKnown), reached)
}
