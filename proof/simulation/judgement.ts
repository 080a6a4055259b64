/** What must be true at the end of every seed, whatever failed before. */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { assertSound } from '../../server/test/durability/soundness.ts'
import { reportFailure } from '../row.ts'
import type { AnsweredWrite, Client } from './clients.ts'
import type { Core } from './core.ts'
import type { Books } from './credit-books.ts'
import { credits_per_minute, type Installed } from './installation.ts'
import type { EventRow, Ledger } from './ledger.ts'
import type { Receivers } from './receivers.ts'
import { directSender } from './send-directly.ts'
import type { Timeline } from './timeline.ts'

export interface Case {
  readonly core: Core
  readonly ledger: Ledger
  readonly installed: Installed
  readonly clients: readonly Client[]
  readonly receivers: Receivers
  readonly books: Books
  readonly timeline: Timeline
  violated(text: string): void
}

/** Writes that may change nothing. */
const may_be_idle = /\/(complete|resend|replay)$/

export async function judge(about: Case): Promise<void> {
  const { core, installed, ledger, violated } = about
  const events = ledger.events(installed.realm)
  acknowledged(about, events)
  deliveries(about, events)
  automations(about)
  exports(about)
  credits(about)
  await replays(about)
  const reader = core.services.store.reader('system')
  await reportFailure(violated, 'logs', () => assertSound(reader, installed.organization))
  await fold(about, events)
}

/** Each acknowledged write took effect once, as answered; no other write took effect. */
function acknowledged({ clients, violated }: Case, events: readonly EventRow[]): void {
  const byKey = Map.groupBy(events, ({ key }) => key)
  const known = new Set<string | null>([null])
  for (const write of clients.flatMap((client) => client.answered)) {
    const { idempotencyKey: key, status, sent } = write
    known.add(key)
    const of = byKey.get(key) ?? []
    const commits = new Set(of.map(({ commit }) => commit)).size
    const what = `${key} (${sent.method} ${sent.url})`
    if (status !== 200 && commits > 0) violated(`${what} was refused and took effect`)
    if (status !== 200) continue
    if (commits > 1) violated(`${what} took effect ${commits} times`)
    if (commits === 0 && !may_be_idle.test(sent.url)) violated(`${what} was acknowledged and is lost`)
    const [first] = of
    if (first !== undefined && of.length === 1 && !saysTheSame(first, write)) violated(`${what} was answered otherwise`)
  }
  for (const key of byKey.keys()) {
    if (!known.has(key) && !key?.startsWith('template-')) violated(`${key} took effect and was never acknowledged`)
  }
  for (const { answered, strays } of clients) {
    const texts = new Map(answered.map((each) => [each.idempotencyKey, each]))
    for (const [key, status, text] of strays) {
      const first = texts.get(key)
      if (status === 200 && first !== undefined && text !== first.text) violated(`${key} has two answers`)
    }
  }
}

function saysTheSame({ data }: EventRow, { text, sent }: AnsweredWrite): boolean {
  const { object } = JSON.parse(data)
  const body = JSON.parse(text)
  if (sent.method === 'DELETE') return body.id === object.id
  delete body.signing_secret
  return sent.url.endsWith('/webhook_endpoints') || JSON.stringify(body) === JSON.stringify(object)
}

/** Every healthy endpoint got each event it subscribes to. */
function deliveries({ ledger, installed, receivers, violated }: Case, events: readonly EventRow[]): void {
  const endpoints = ledger.all<{ url: string; event_types: string; active_after: number }>(
    'select url, event_types, active_after from webhook_endpoints where deleted_at is null',
  )
  for (const { url, event_types, active_after } of endpoints) {
    const inbox = Object.entries(receivers.healthy).find(([name]) => url.startsWith(`https://${name}.`))?.[1]
    if (inbox === undefined) continue
    const got = new Set(inbox.got.map(({ event }) => event))
    const all = event_types.includes('"*"')
    const wanted = events.filter(
      ({ sequence, type }) =>
        sequence > active_after && sequence > installed.last.sequence && (all || type.startsWith('workflow.task.')),
    )
    const missed = wanted.filter(({ id }) => !got.has(id))
    if (missed.length > 0) violated(`${url} never got ${missed.length} of ${wanted.length} events: ${missed[0]?.type}`)
  }
}

interface RunRow {
  readonly id: string
  readonly flow: string
  readonly task: string | null
  readonly status: string
  readonly reason: string | null
}

/** The internal effects of a run exist exactly once; its outgoing call has one body, however often sent. */
function automations({ ledger, installed, receivers, clients, violated }: Case): void {
  const runs = ledger.all<RunRow>(
    'select id, automation_flow as flow, task, status, status_reason as reason from automation_runs',
  )
  const counts = (text: string) =>
    new Map(ledger.all<{ name: string; count: number }>(text).map(({ name, count }) => [name, count]))
  const comments = counts('select body as name, count(*) as count from comments group by body')
  const ticks = counts('select title as name, count(*) as count from tasks group by title')
  const { called } = receivers
  for (const { id, flow, status, reason } of runs) {
    if (status !== 'succeeded') violated(`a run ended as ${status}: ${reason}`)
    const made =
      flow === installed.flows.clock
        ? [ticks.get(`tick ${id}`)]
        : [comments.get(`first ${id}`), comments.get(`last ${id}`)]
    if (made.some((count) => count !== 1)) violated(`the steps of run ${id} took effect ${made.join(' and ')} times`)
    if (flow === installed.flows.event && !called.done.has(`${id}:2`)) violated(`run ${id} never called`)
  }
  for (const [key, bodies] of called.bodies) if (bodies.size > 1) violated(`${key} was sent with ${bodies.size} bodies`)
  const byTask = Map.groupBy(runs, ({ task }) => task)
  for (const { status, sent, text } of clients.flatMap((client) => client.answered)) {
    if (status !== 200 || !(sent.body as { labels?: string[] } | undefined)?.labels?.includes('auto')) continue
    const begun = byTask.get(JSON.parse(text).id)?.length ?? 0
    if (begun !== 1) violated(`an event began ${begun} runs`)
  }
}

/** The file of a completed export is whole. */
function exports({ ledger, violated }: Case): void {
  const jobs = ledger.all<{ id: string; attempt: number; status: string; sha256: string; row_count: number }>(
    'select id, attempt, status, sha256, row_count from export_jobs',
  )
  for (const { id, attempt, status, sha256, row_count } of jobs) {
    if (status !== 'completed') violated(`an export ended as ${status}`)
    const chunks = 'select lines from export_chunks where job = ? and attempt = ? order by number'
    const text = ledger
      .all<{ lines: string }>(chunks, id, attempt)
      .map(({ lines }) => lines)
      .join('')
    const rows = text.split('\n').length - 1
    const isWhole = createHash('sha256').update(text).digest('hex') === sha256 && rows === row_count
    if (!isWhole) violated(`export ${id} has ${rows} rows of ${row_count}, or others`)
  }
}

function credits({ ledger, books, violated }: Case): void {
  for (const sum of books.overdrawn()) violated(`${sum} credits of ${credits_per_minute} were granted`)
  const windows = ledger.all<{ used: number }>("select used from credit_windows where kind = 'minute'")
  for (const { used } of windows) {
    if (used > credits_per_minute || used < 0) violated(`a window of ${credits_per_minute} has ${used} used`)
  }
}

/** A repeated write gets its first answer, byte for byte; a repeated refusal differs in the request id. */
async function replays({ core, timeline, clients, violated }: Case): Promise<void> {
  const ask = directSender(core, timeline)
  const check = async ({ sent, status, text, idempotencyKey }: AnsweredWrite): Promise<void> => {
    const again = await ask(sent)
    const same = status === 200 ? again.text === text : codeOf(again.text) === codeOf(text)
    if (again.status !== status || !same || !again.replayed) {
      violated(`${idempotencyKey} is answered otherwise: ${again.status} ${again.text.slice(0, 200)}`)
    }
  }
  await Promise.all(clients.flatMap((client) => client.answered).map(check))
}

function codeOf(text: string): string {
  const { code, message, param } = JSON.parse(text).error
  return JSON.stringify([code, message, param])
}

const paths: Readonly<Record<string, string>> = {
  workspace: '/v1/workspaces',
  project: '/v1/projects',
  task: '/v1/tasks',
}

/** Objects equal their last events, and each event begins where the previous one ended. */
async function fold({ core, timeline, installed, violated }: Case, events: readonly EventRow[]): Promise<void> {
  const folded = new Map<string, { readonly type: string; readonly object: Readonly<Record<string, unknown>> }>()
  for (const { type, data } of events) {
    const { object, previous_attributes } = JSON.parse(data)
    const path = object.object === 'comment' ? `/v1/tasks/${object.task}/comments` : paths[object.object]
    // Exports and runs also change without events.
    if (path === undefined) continue
    const place = `${path}/${object.id}`
    const before = folded.get(place)?.object
    if (before !== undefined && !isDeepStrictEqual({ ...object, ...previous_attributes }, before)) {
      violated(`${type} of ${object.id} does not begin where the previous event ended`)
    }
    folded.set(place, { type, object })
  }
  const ask = directSender(core, timeline)
  const check = async ([place, { type, object }]: [string, { type: string; object: object }]): Promise<void> => {
    const { status, text } = await ask({ method: 'GET', url: place, key: installed.keys.clients })
    if (type.endsWith('.deleted') ? status !== 410 : !isDeepStrictEqual(JSON.parse(text), object)) {
      violated(`${place} differs from its last event ${type}: ${status}`)
    }
  }
  await Promise.all([...folded].map(check))
}
