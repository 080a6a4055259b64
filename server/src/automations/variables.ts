/** The data that a step's expressions see: what the run is about, and what the steps before it left behind. */
import type { Variables } from './expressions.ts'
import type { Program } from './program.ts'
import { isRecord } from './shape.ts'
import type { WalkEntry } from './walk.ts'

/** A step that is over, with what it left behind; `null` for nothing. */
export interface JournalEntry extends WalkEntry {
  readonly output: unknown
}

/** What a run is about; objects as the API shows them, times in Unix seconds. */
export interface RunFacts {
  /** The event that started the run. */
  readonly event: object | null
  /** The run's task, read afresh for this step. */
  readonly task: object | null
  /** The event's object as it was before (`beforeOfEvent`). */
  readonly before: object | null
  readonly now: number
  readonly flow: {
    readonly id: string
    readonly name: string
    readonly version: number
    readonly mode: string
    readonly workspace: string
    readonly project: string | null
  }
  readonly org: { readonly id: string; readonly name: string; readonly plan: string }
  /** `null` while a trigger is asked whether a run shall begin. `trigger` is the id of the trigger node. */
  readonly run: {
    readonly id: string
    readonly trigger: string
    readonly started_at: number
    readonly depth: number
  } | null
}

export type FindEntry = (node: string, path: readonly number[]) => JournalEntry | undefined

/** Looks entries up by node and path. */
export function entryFinder(entries: readonly JournalEntry[]): FindEntry {
  const found = new Map(entries.map((entry) => [`${entry.node} ${entry.path.join()}`, entry]))
  return (node, path) => found.get(`${node} ${path.join()}`)
}

/** The variables of a trigger's `when`. */
export function triggerVariables(facts: RunFacts): Variables {
  return { ...facts, run: null }
}

/** The variables of a step on its path. Of steps in the same bodies it sees those of the same items. */
export function stepVariables(
  program: Program,
  step: { readonly node: string; readonly path: readonly number[] },
  find: FindEntry,
  facts: RunFacts,
): Variables {
  const place = program.steps.get(step.node)
  if (place === undefined) throw new RangeError(`the program has no step ${step.node}`)
  const steps: Record<string, { status: string; output: unknown }> = Object.create(null)
  for (const id of place.sees) {
    const depth = program.steps.get(id)?.within.length ?? 0
    const entry = find(id, step.path.slice(0, depth))
    if (entry !== undefined) steps[id] = { status: entry.status, output: entry.output }
  }
  return { ...facts, steps, ...itemOf(place.within.at(-1)?.id, step.path, find) }
}

/** The item that the innermost body is at, from what its for_each left behind. */
function itemOf(loop: string | undefined, path: readonly number[], find: FindEntry): Variables {
  const index = path.at(-1)
  if (loop === undefined || index === undefined) return {}
  const output = find(loop, path.slice(0, -1))?.output
  const items = isRecord(output) && Array.isArray(output.items) ? output.items : []
  return { item: items[index], index }
}
