/**
 * A run: commands drawn from numbers, carried out by the model and by one server per engine, which must answer as the model
 * predicts. A command is a request or a change without a request; a command whose objects do not exist yet creates them first.
 */
import type { Raw } from '../connection.ts'
import { operations } from './catalogue.ts'
import type { Change } from './change.ts'
import { changes, creators, disabling, lapse, nextDay } from './changes.ts'
import { fits } from './credits.ts'
import { MissingKind, type Setting } from './kinds.ts'
import { Model } from './model.ts'
import type { Expectation, ModelRequest } from './model-request.ts'
import { Numbers } from './numbers.ts'
import type { OperationModel } from './operation.ts'
import type { Reached } from './reached.ts'
import { AmbiguousRequest, isKept } from './refused.ts'
import { makeRequest, type Past } from './requests.ts'
import { answer, type Incident } from './rules.ts'
import type { Server } from './server.ts'
import { platformSetting } from './setting.ts'
import { answerTwin } from './writes.ts'

export type Command = readonly number[]

/** Operations by their weight. */
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
  /** The commands so far, for the description of a counterexample. */
  readonly history: string[] = []

  constructor(servers: readonly Server[], model: Model, reached: Reached) {
    this.servers = servers
    this.model = model
    this.reached = reached
  }

  /** Carries out a command. Resolves with a server's divergence from the model, or null. */
  async step(command: Command): Promise<Divergence | null> {
    const n = new Numbers(command)
    const isChange = n.chance(9)
    try {
      if (isChange) return await this.change(n.pick(changes)(n, this.model))
      const operation = n.pick(weighted)
      return await this.ask(operation, n)
    } catch (error) {
      if (error instanceof MissingKind) return await this.make(error.kind, n)
      if (error instanceof AmbiguousRequest) return null
      throw error
    }
  }

  /** Creates what is needed first, and what that needs. */
  private async make(kind: string, n: Numbers, depth = 0): Promise<Divergence | null> {
    try {
      const move = creators[kind]
      if (move !== undefined) return await this.change(move(n, this.model))
      const maker = byId.get(makers[kind] ?? '')
      return maker === undefined ? null : await this.ask(maker, n)
    } catch (error) {
      if (error instanceof MissingKind && depth < 6) return await this.make(error.kind, n, depth + 1)
      if (error instanceof MissingKind || error instanceof AmbiguousRequest) return null
      throw error
    }
  }

  /** Compares the whole event log at the end: it shows every change with its object. */
  async close(): Promise<Divergence | null> {
    const { model } = this
    const [id] = model.data.disabled
    if (id !== undefined) await this.change(disabling(id)(model))
    if (model.data.plan === null) await this.change(lapse(model))
    await this.change(nextDay(model))
    const operation = byId.get('events.list') as OperationModel
    const is = model.data.credentials[0] ?? null
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: [string, string][] = [
        ['limit', '100'],
        ...(cursor === '' ? [] : [['cursor', cursor] as [string, string]]),
      ]
      const incoming = {
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
      const expected = answer(model, incoming)
      const found = await this.compare(incoming, expected, (server) => server.send(incoming))
      if (found !== null) return found
      cursor = (expected.answer?.next_cursor as string | null | undefined) ?? null
    }
    return null
  }

  private async ask(operation: OperationModel, n: Numbers): Promise<Divergence | null> {
    const incoming = makeRequest(operation, n, this.model, this.past)
    const incident = incoming.operation.id !== 'events.stream' && n.chance(3) ? n.pick(incidents) : 'none'
    if (incoming.operation.method !== 'GET' && incoming.raw === null && incoming.presented.is !== null)
      this.past.sent.push(incoming)
    return await this.compareAnswers(incoming, incident, n.chance(4))
  }

  /** Has a request answered by the model and by every server. */
  async compareAnswers(
    incoming: ModelRequest,
    incident: Incident = 'none',
    hasTwin = false,
  ): Promise<Divergence | null> {
    const expected = answer(this.model, incoming, incident)
    this.history.push(describeRequest(incoming, expected))
    if (incident !== 'none')
      return await this.compare(incoming, expected, (server) => server.sendWithFailure(incident, incoming))
    if (hasTwin && this.mayHaveTwin(incoming, expected)) return await this.twins(incoming, expected)
    const frames = expected.frames?.length ?? 0
    return await this.compare(incoming, expected, (server) => server.send(incoming, frames))
  }

  /** A write that reaches the lookup of its key, claims the key, and has credits for two. */
  private mayHaveTwin({ operation, headers, presented }: ModelRequest, { code, replayOf }: Expectation): boolean {
    const isFirst = replayOf === null && (code === null || isKept(code))
    if (operation.method === 'GET' || !isFirst || headers.prefer !== undefined) return false
    const credential = this.model.credential(presented.is?.id ?? '')
    return credential !== undefined && !credential.isGone && fits(this.model, credential, 2 * operation.credits)
  }

  /** Sends a request twice concurrently: the second finds the first in progress or done. */
  private async twins(incoming: ModelRequest, expected: Expectation): Promise<Divergence | null> {
    const { late, replayed } = answerTwin(this.model, incoming, expected)
    this.history.push('  and its twin')
    const sent = await Promise.all(this.servers.map((server) => server.sendTwice(incoming)))
    const at = (place: number) => async (server: Server) => sent[this.servers.indexOf(server)]?.[place] as Raw
    const found = await this.compare(incoming, { ...expected, remaining: 'unknown' }, at(0))
    const isLate = ({ text }: Raw) => text.includes('"idempotency_in_progress"')
    return (
      found ??
      (await this.compare(incoming, (raw) => (isLate(raw) ? late : replayed), at(1))) ??
      (await this.change(nextDay(this.model)))
    )
  }

  /** Compares the answers of all servers. */
  private async compare(
    incoming: ModelRequest,
    expectation: Expectation | ((raw: Raw) => Expectation),
    send: (server: Server) => Promise<Raw>,
  ): Promise<Divergence | null> {
    const raws = await Promise.all(this.servers.map(send))
    for (const [i, raw] of raws.entries()) {
      const server = this.servers[i] as Server
      const expected = typeof expectation === 'function' ? expectation(raw) : expectation
      const found = server.judge(incoming, expected, raw)
      if (found !== null) return { engine: server.engine, what: `${incoming.operation.id} ${found}` }
      const [logged] = server.logged.splice(0)
      if (logged !== undefined) return { engine: server.engine, what: `${incoming.operation.id} logged ${logged}` }
      this.reached.note(incoming.operation.errorClass, raw)
    }
    return null
  }

  /** Applies a change to the model and to every server. */
  async change({ what, apply, expected }: Change): Promise<Divergence | null> {
    this.history.push(what)
    for (const server of this.servers) {
      const made = await apply(server)
      const found = expected === null ? null : server.names.differs(expected, made)
      if (found !== null) return { engine: server.engine, what: `${what}: ${found}` }
    }
    return null
  }
}

function describeRequest(
  { operation, params, query, body, raw, headers, keys, presented }: ModelRequest,
  { status, code }: Expectation,
): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) => params[name] as string)
  const search = query.length === 0 ? '' : `?${query.map(([name, value]) => `${name}=${value}`).join('&')}`
  const more = { ...headers, ...(keys.length === 0 ? {} : { key: keys.join() }) }
  const by = presented.is?.id ?? presented.secret
  const sent = raw?.text ?? (body === undefined ? '' : JSON.stringify(body))
  return `${operation.method} ${path}${search} ${sent} ${JSON.stringify(more)} by ${by} → ${status} ${code ?? ''}`
}

/** Begins a run with a new organization on every server. */
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
