/**
 * The data that a step's expressions can use: the run's task, event, request, form, mail and call, and the outputs of earlier steps
 * (contract/16#variables).
 */
import type { Variables } from './expressions.ts'
import type { Program } from './program.ts'
import { isRecord } from './shape.ts'
import type { WalkEntry } from './walk.ts'

/** A finished step with its output; null if it has none. */
export interface JournalEntry extends WalkEntry {
  readonly output: unknown
}

/** The data that is the same for all steps; objects as the API shows them, times in Unix seconds. */
export interface RunFacts {
  /** The event that started the run. */
  readonly event: object | null
  /** The run's task, read for this step. */
  readonly task: object | null
  /** The event's object before the update (`beforeOfEvent`). */
  readonly before: object | null
  /** The request of an incoming webhook. */
  readonly request: object | null
  /** The answers of a form by their keys (`formValues`). */
  readonly form: object | null
  /** The mail that was received. */
  readonly mail: object | null
  /** The inputs of the call that started the run, by key. */
  readonly call: object | null
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
  /** Null while a trigger's `when` is evaluated. `trigger` is the id of the trigger node. */
  readonly run: {
    readonly id: string
    readonly trigger: string
    readonly started_at: number
    readonly depth: number
  } | null
}

export type FindEntry = (node: string, path: readonly number[]) => JournalEntry | undefined

/** Finds entries by node and path. */
export function entryFinder(entries: readonly JournalEntry[]): FindEntry {
  const found = new Map(entries.map((entry) => [`${entry.node} ${entry.path.join()}`, entry]))
  return (node, path) => found.get(`${node} ${path.join()}`)
}

/** The variables of a trigger's `when`. */
export function triggerVariables(facts: RunFacts): Variables {
  return { ...facts, run: null }
}

/** The variables of a step. Of the steps in the same bodies it sees those of the same items. */
export function stepVariables(
  program: Program,
  step: { readonly node: string; readonly path: readonly number[] },
  find: FindEntry,
  facts: RunFacts,
): Variables {
  const place = program.steps.get(step.node)
  if (place === undefined) throw new RangeError(`The program has no step ${step.node}.`)
  const steps: Record<string, { status: string; output: unknown }> = Object.create(null)
  for (const id of place.sees) {
    const depth = program.steps.get(id)?.within.length ?? 0
    const entry = find(id, step.path.slice(0, depth))
    if (entry !== undefined) steps[id] = { status: entry.status, output: entry.output }
  }
  return { ...facts, steps, ...itemOf(place.within.at(-1)?.id, step.path, find) }
}

/** The item of the innermost body, from the output of its for_each. */
function itemOf(loop: string | undefined, path: readonly number[], find: FindEntry): Variables {
  const index = path.at(-1)
  if (loop === undefined || index === undefined) return {}
  const output = find(loop, path.slice(0, -1))?.output
  const items = isRecord(output) && Array.isArray(output.items) ? output.items : []
  return { item: items[index], index }
}
