/**
 * One run: every chosen rule on every operation, as a client over HTTP. Invariants: it says before what it will make, refuses a live
 * key unless that was allowed, is bounded in requests and waits, and removes in the end what it has made.
 */
import type { Operation } from '../api/operation.ts'
import { scopes } from '../api/scopes.ts'
import { at, Client, codeOf, Skip, Stopped } from './client.ts'
import { conformLimits } from './conform-limits.ts'
import { pauseFlows } from './flows.ts'
import type { Cell, Report } from './report.ts'
import type { Rule } from './rule.ts'
import { rules } from './rules/index.ts'
import { Stock } from './stock.ts'
import { type Kit, quote, Trial } from './trial.ts'

export interface ConformOptions {
  readonly url: string
  /** A credential of every scope, that nothing else uses meanwhile. */
  readonly key: string
  /** Of another organization, or of the other mode. */
  readonly otherKey?: string | undefined
  readonly workspace?: string | undefined
  readonly receiver?: string | undefined
  /** Names of rules; all by default. */
  readonly only?: readonly string[] | undefined
  /** Ids of operations; all by default. */
  readonly operations?: readonly string[] | undefined
  /** Live data may be written. */
  readonly live?: boolean | undefined
  /** Told what is going to happen and what is waited for. */
  readonly say: (line: string) => void
}

/** The run cannot begin, for a reason that is one sentence. */
export class Unfit extends Error {}

/** Rejects with `Unfit` where it may not or cannot begin; whatever happens later is in the report. */
export async function conform(catalogue: readonly Operation[], options: ConformOptions): Promise<Report> {
  const client = new Client(options.url, options.key, options.say)
  const who = await introduce(client, options)
  const stock = new Stock(catalogue, client, { workspace: options.workspace, receiver: options.receiver })
  const kit: Kit = { client, stock, catalogue, otherKey: options.otherKey ?? null, limited: limitedKey(stock) }
  const chosen = rules.filter(({ name }) => options.only === undefined || options.only.includes(name))
  const tried = catalogue.filter(({ id }) => options.operations === undefined || options.operations.includes(id))
  const cells: Cell[] = []
  let stopped: string | null = null
  for (const [i, operation] of inOrder(tried).entries()) {
    if (i > 0 && i % conformLimits.progress_every === 0) options.say(`${i} of ${tried.length} operations`)
    const trial = new Trial(kit, operation)
    for (const rule of chosen.filter(({ applies }) => applies(operation))) {
      const cell: Cell =
        stopped === null
          ? await tryRule(rule, trial)
          : { ...named(rule, trial), status: 'skipped', messages: [stopped] }
      cells.push(cell)
      if (cell.stopped !== undefined) stopped = cell.stopped
    }
  }
  const left = await cleanUp(stock, client)
  const order = new Map(catalogue.map(({ id }, i) => [id, i]))
  cells.sort((a, b) => (order.get(a.operation) as number) - (order.get(b.operation) as number))
  return {
    object: 'conformance_report',
    url: client.url,
    ...who,
    requests: client.requests,
    stopped,
    rules: chosen,
    cells,
    left,
  }
}

/** Reads look at what the writes have made, lists at all of it. */
function inOrder(catalogue: readonly Operation[]): Operation[] {
  const rank = { write: 0, read: 1, list: 2 }
  return [...catalogue].sort((a, b) => rank[a.kind] - rank[b.kind])
}

async function introduce(client: Client, options: ConformOptions) {
  const reply = await client.send('GET', '/v1/me').catch((error: Error) => {
    throw new Unfit(error.message)
  })
  if (reply.status !== 200) throw new Unfit(`GET /v1/me answered ${reply.status} ${codeOf(reply) || quote(reply.text)}`)
  const mode = String(at(reply.body, 'mode'))
  const organization = String(at(reply.body, 'organization', 'id'))
  if (mode !== 'test' && options.live !== true) {
    throw new Unfit('this is a live key: use one of the mode test, or say --live to write into live data')
  }
  const held = at(reply.body, 'scopes')
  const lacking = scopes.filter((scope) => !Array.isArray(held) || !held.includes(scope))
  if (lacking.length > 0) throw new Unfit(`the key lacks the scopes ${lacking.join(', ')}`)
  options.say(
    `In the ${mode} data of ${organization} this makes ${options.workspace === undefined ? 'a workspace and in it ' : ''}projects, tasks, ` +
      'boards, API keys and whatever else has an operation, and one export; in the end it removes what the API can remove.',
  )
  return { organization, mode }
}

/** Made when the first rule needs it. */
function limitedKey(stock: Stock): () => Promise<string> {
  let made: Promise<string> | null = null
  return () => {
    made ??= stock.makeKey(['files:read'])
    return made
  }
}

function named(rule: Rule, trial: Trial): { readonly rule: string; readonly operation: string } {
  return { rule: rule.name, operation: trial.operation.id }
}

async function tryRule(rule: Rule, trial: Trial): Promise<Cell> {
  try {
    await rule.check(trial)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (error instanceof Stopped) {
      const stopped = `the run was stopped: ${message}`
      return { ...named(rule, trial), status: 'skipped', messages: [stopped], stopped }
    }
    const faults = trial.take()
    if (error instanceof Skip && faults.length === 0)
      return { ...named(rule, trial), status: 'skipped', messages: [message] }
    return {
      ...named(rule, trial),
      status: 'violation',
      messages: error instanceof Skip ? faults : [...faults, message],
    }
  }
  const faults = trial.take()
  return { ...named(rule, trial), status: faults.length === 0 ? 'ok' : 'violation', messages: faults }
}

/** Removes what was made, the last first. Returns what the API cannot remove. */
async function cleanUp(stock: Stock, client: Client): Promise<string[]> {
  const left: string[] = []
  await pauseFlows(stock, client).catch(() => {})
  let isOver = false
  for (const { path, object, id } of stock.created.toReversed()) {
    if (path === null || isOver) {
      left.push(`${object} ${id}`)
      continue
    }
    const reply = await client.send('DELETE', path).catch(() => null)
    isOver = reply === null
    // 409: a board that a rule has archived.
    if (reply === null || ![200, 404, 409, 410].includes(reply.status)) left.push(`${object} ${id}`)
  }
  return left.reverse()
}
