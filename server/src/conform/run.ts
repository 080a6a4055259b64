/**
 * One run: every chosen rule on every chosen operation. Invariants: before its first write it says what it creates; it
 * refuses a live key unless `live` is set; its requests and waits are bounded; at the end it deletes what it created.
 */
import type { Operation } from '../api/declare/operation.ts'
import { scopes } from '../api/declare/scopes.ts'
import { at, Client, codeOf, Skip, Stopped } from './client.ts'
import { conformLimits } from './conform-limits.ts'
import { pauseFlows } from './flows.ts'
import { openLogs } from './logs.ts'
import type { Cell, Report } from './report.ts'
import type { Rule } from './rule.ts'
import { rules } from './rules/index.ts'
import { Stock } from './stock.ts'
import { type Identity, type Kit, quote, Trial } from './trial.ts'

export interface ConformOptions {
  readonly url: string
  /** A credential with every scope, which nothing else uses during the run. */
  readonly key: string
  /** A credential of another organization, or of the other mode. */
  readonly otherKey?: string | undefined
  readonly workspace?: string | undefined
  readonly receiver?: string | undefined
  /** Names of rules; all by default. */
  readonly only?: readonly string[] | undefined
  /** Ids of operations; all by default. */
  readonly operations?: readonly string[] | undefined
  /** Allows writing live data. */
  readonly live?: boolean | undefined
  /** Reports what the run creates, its progress and its waits. */
  readonly say: (line: string) => void
}

/** The run is not allowed or not able to begin. */
export class Unfit extends Error {}

/** Rejects with `Unfit` before it writes; anything later is in the report. */
export async function conform(catalogue: readonly Operation[], options: ConformOptions): Promise<Report> {
  const client = new Client(options.url, options.key, options.say)
  const identity = await identify(client, options)
  const stock = new Stock(catalogue, client, { workspace: options.workspace, receiver: options.receiver })
  const kit: Kit = {
    ...{ client, stock, catalogue, identity, otherKey: options.otherKey ?? null, logs: await openLogs(client) },
    ...{ requestIds: new Set(), triedPaths: new Set(), samples: new Map() },
  }
  const chosen = rules.filter(({ name }) => options.only === undefined || options.only.includes(name))
  const tried = catalogue.filter(({ id }) => options.operations === undefined || options.operations.includes(id))
  const { cells, stopped } = await tryAll(kit, chosen, tried, options.say)
  return {
    object: 'conformance_report',
    url: client.url,
    organization: identity.organization,
    mode: identity.mode,
    requests: client.requests,
    stopped,
    rules: chosen,
    cells,
    left: await cleanUp(stock, client),
  }
}

/**
 * Tries writes first, so that reads and lists have something to show, and the rules that read logs last. The cells are in
 * the order of the catalogue and the rules.
 */
async function tryAll(
  kit: Kit,
  chosen: readonly Rule[],
  tried: readonly Operation[],
  say: (line: string) => void,
): Promise<{ cells: Cell[]; stopped: string | null }> {
  const rank = { write: 0, read: 1, list: 2 }
  const inOrder = [...tried].sort((a, b) => rank[a.kind] - rank[b.kind])
  const trials = inOrder.map((operation) => new Trial(kit, operation))
  const results = new Map<string, Result>()
  let stopped: string | null = null
  for (const isLast of [false, true]) {
    for (const [i, trial] of trials.entries()) {
      if (i > 0 && i % conformLimits.progress_every === 0 && !isLast) say(`${i} of ${tried.length} operations tried.`)
      for (const rule of chosen.filter((each) => (each.isLast ?? false) === isLast && each.applies(trial.operation))) {
        const result: Result | Stopped = stopped === null ? await tryRule(rule, trial) : skipped(stopped)
        if (result instanceof Stopped) stopped = `the run was stopped: ${result.message}`
        results.set(
          `${rule.name} ${trial.operation.id}`,
          result instanceof Stopped ? skipped(stopped as string) : result,
        )
      }
    }
  }
  const cells = tried.flatMap(({ id: operation }) =>
    chosen.flatMap(({ name: rule }): Cell[] => {
      const result = results.get(`${rule} ${operation}`)
      return result === undefined ? [] : [{ rule, operation, ...result }]
    }),
  )
  return { cells, stopped }
}

type Result = Pick<Cell, 'status' | 'messages'>

const skipped = (reason: string): Result => ({ status: 'skipped', messages: [reason] })

async function tryRule(rule: Rule, trial: Trial): Promise<Result | Stopped> {
  let error: unknown
  try {
    await rule.check(trial)
  } catch (caught) {
    if (caught instanceof Stopped) return caught
    error = caught
  }
  const faults = trial.takeFaults()
  if (error instanceof Skip && faults.length === 0) return skipped(error.message)
  if (error !== undefined && !(error instanceof Skip)) {
    faults.push(error instanceof Error ? error.message : String(error))
  }
  return { status: faults.length === 0 ? 'ok' : 'violation', messages: faults }
}

async function identify(client: Client, options: ConformOptions): Promise<Identity> {
  const reply = await client.send('GET', '/v1/me').catch((error: Error) => {
    throw new Unfit(`${error.message}.`)
  })
  if (reply.status !== 200) {
    throw new Unfit(`GET /v1/me answered ${reply.status} ${codeOf(reply) || quote(reply.text)}.`)
  }
  const mode = String(at(reply.body, 'mode'))
  const organization = String(at(reply.body, 'organization', 'id'))
  if (mode !== 'test' && options.live !== true) {
    throw new Unfit('This is a live key. Use a key of the mode test, or give --live to write live data.')
  }
  const held = at(reply.body, 'scopes')
  const missing = scopes.filter((scope) => !Array.isArray(held) || !held.includes(scope))
  if (missing.length > 0) throw new Unfit(`The key lacks the scopes ${missing.join(', ')}.`)
  const where = options.workspace === undefined ? 'a workspace with ' : ''
  options.say(
    `In the ${mode} data of ${organization} the run creates ${where}projects, tasks, boards, API keys and the objects of ` +
      'all other operations, and one export. At the end it deletes what the API can delete.',
  )
  return {
    organization,
    mode,
    credential: String(at(reply.body, 'id')),
    owner: at(reply.body, 'owner'),
    version: String(at(reply.body, 'api_version')),
  }
}

/** Deletes the created objects, newest first. Returns the ones that could not be deleted. */
async function cleanUp(stock: Stock, client: Client): Promise<string[]> {
  const left: string[] = []
  await pauseFlows(stock, client).catch(() => {})
  let isReachable = true
  for (const { path, object, id } of stock.created.toReversed()) {
    const reply = path === null || !isReachable ? null : await client.send('DELETE', path).catch(() => null)
    if (path !== null && reply === null) isReachable = false
    // 409: a board that a rule has archived.
    if (reply === null || ![200, 404, 409, 410].includes(reply.status)) left.push(`${object} ${id}`)
  }
  return left.reverse()
}
