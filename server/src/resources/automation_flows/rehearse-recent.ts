/**
 * Rehearses a flow for the latest events, firings and due tasks that would have started it, and counts what the runs would do. Each run has a
 * transaction of its own that is rolled back, so no run sees the effects of another, and writes of others go on in between.
 */
import type { Caller } from '../../api/declare/caller.ts'
import type { Services } from '../../api/services.ts'
import { automation_limits } from '../../automations/limits.ts'
import { type Program, programOf } from '../../automations/program.ts'
import type { Graph } from '../../automations/schema.ts'
import { isRecord } from '../../automations/shape.ts'
import type { AutomationFlowRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import { type RecentStart, recentStarts } from '../automation_runs/shared/past-starts.ts'
import { type Rehearsal, type RehearsedStep, rehearseRun } from '../automation_runs/shared/rehearse.ts'
import { taskNoun } from '../tasks/task.ts'
import type { AutomationEffects } from './automation_effects.ts'

interface RecentRequest {
  readonly services: Services
  readonly caller: Caller
  readonly flow: AutomationFlowRow
  readonly reader: Reader
  /** Milliseconds, as `since`. */
  readonly now: number
  readonly since: number
}

export async function rehearseRecent(request: RecentRequest): Promise<AutomationEffects> {
  const { services, caller, flow: draft, reader, now, since } = request
  const program = programOf(JSON.parse(draft.graph) as Graph)
  // The flow as its runs would see it.
  const flow = { ...draft, status: 'active', mode: 'live', version: draft.version + 1 }
  const window = { viewer: { mode: caller.mode, scopes: caller.scopes }, since, now }
  const { automation_effects_max, automation_effects_ms } = automation_limits
  const { starts, more } = await recentStarts(reader, flow, program, window, automation_effects_max)
  const tally = new Tally(program)
  const until = services.clock.now() + automation_effects_ms
  let isLate = false
  for (const start of starts) {
    isLate = services.clock.now() >= until
    if (isLate) break
    const run = await rehearseStart({ ...request, flow, program }, start)
    if (run !== null) tally.add(run, start)
  }
  return {
    object: 'automation_effects',
    automation_flow: draft.id,
    graph_hash: draft.graph_hash,
    ...tally.result(),
    is_complete: !more && !isLate,
  }
}

/** The rehearsed run of one start; null if its task was deleted, or the caller may not see it. */
async function rehearseStart(
  request: RecentRequest & { readonly program: Program },
  { trigger, task: about, event, request: received, form, mail, call }: RecentStart,
): Promise<Rehearsal | null> {
  const { services, caller } = request
  return await services.store.rehearse(caller.storeScope, async (tx) => {
    const task = about === null ? null : await taskNoun.find(tx, caller, about)
    if (task === undefined || (task !== null && task.deleted_at !== null)) return null
    return await rehearseRun(tx, { ...request, trigger, task, event, request: received, form, mail, call })
  })
}

/** A node that calls another system. */
interface OutsideNode {
  readonly node: string
  /** The called flow that has it; null for the rehearsed flow. */
  readonly automation_flow: string | null
  readonly address: string | null
}

class Tally {
  readonly #program: Program
  /** By flow and node, in the order in which they were met: those of the flow itself are first. */
  readonly #calls = new Map<string, OutsideNode & { count: number }>()
  readonly #changed = new Set<string>()
  #runs = 0
  #succeeded = 0
  #failed = 0
  #created = 0
  #comments = 0
  #oldest: number | null = null

  constructor(program: Program) {
    this.#program = program
  }

  add({ steps, calls, outcome }: Rehearsal, { at }: RecentStart): void {
    this.#runs++
    if (outcome === 'succeeded') this.#succeeded++
    if (outcome === 'failed') this.#failed++
    this.#oldest = Math.min(this.#oldest ?? at, at)
    this.#addCalls(null, this.#program, steps)
    // What called flows would do counts with the flow that calls them.
    for (const { automation_flow, program, steps: inner } of calls) this.#addCalls(automation_flow, program, inner)
    // A task that the run itself creates exists only in it.
    const made = new Set<string>()
    for (const { changes } of [...steps, ...calls.flatMap((call) => call.steps)]) {
      for (const { type, object, id } of changes) {
        if (type === 'workflow.task.created') {
          made.add(id)
          this.#created++
        } else if (object === 'task' && !made.has(id)) this.#changed.add(id)
        if (type === 'workflow.comment.created') this.#comments++
      }
    }
  }

  #addCalls(automation_flow: string | null, program: Program, steps: readonly RehearsedStep[]): void {
    for (const { node, status } of steps) {
      const step = program.steps.get(node)?.node
      if (status === 'would_skip' || (step?.type !== 'http.request' && step?.type !== 'chat.post')) continue
      const key = `${automation_flow ?? ''} ${node}`
      const address = step.type === 'http.request' ? addressOf(step.config.url) : null
      const { count } = this.#calls.get(key) ?? { count: 0 }
      this.#calls.set(key, { node, automation_flow, address, count: count + 1 })
    }
  }

  result() {
    const calls = [...this.#calls.values()]
    return {
      runs: this.#runs,
      succeeded: this.#succeeded,
      failed: this.#failed,
      tasks_changed: this.#changed.size,
      tasks_created: this.#created,
      comments_created: this.#comments,
      calls: calls.toSorted((a, b) => Number(a.automation_flow !== null) - Number(b.automation_flow !== null)),
      oldest_event_at: this.#oldest === null ? null : seconds(this.#oldest),
    }
  }
}

/** The origin of a URL. That of a template is known if its text before the first expression reaches beyond it. */
function addressOf(url: unknown): string | null {
  if (typeof url === 'string') return URL.parse(url)?.origin ?? null
  const template = isRecord(url) && typeof url.$template === 'string' ? url.$template : ''
  const [start = ''] = template.split('{{')
  return /^https?:\/\/[^/]+\//i.test(start) ? (URL.parse(start)?.origin ?? null) : null
}
