/**
 * What an undo has to write, computed from events without a database. Events are followed backwards from the state that is
 * stored now: each field that an event changed must still have the value that the event gave it, and gets the previous one.
 * Invariant: undoing any own changes, newest first, leads through the states that were there before.
 */
import type { Task } from '../tasks/task.ts'

export type Fields = Readonly<Record<string, unknown>>

/** One event of an object, as its log has it. */
export interface LoggedChange {
  readonly id: string
  readonly verb: 'created' | 'changed' | 'deleted'
  readonly after: Fields
  /** The previous values of the changed fields. */
  readonly previous: Fields
}

export interface TaskPlan {
  readonly id: string
  /** The task was created by an undone change, so it is deleted. */
  readonly isDeleted: boolean
  /** The fields to write back. */
  readonly fields: Fields
}

/** Why a change cannot be undone. `field` is one that has another value now. */
export type Obstacle =
  | { readonly kind: 'field'; readonly id: string; readonly field: string }
  | { readonly kind: 'gone' | 'deletion'; readonly id: string }

/** Fields that follow from others or from the row itself. */
const derived: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'updated',
  'revision',
  'is_archived',
  'mentions',
  'subtask_count',
  'subtask_done_count',
])

interface State {
  fields: Record<string, unknown>
  isDeleted: boolean
}

/** `changes` are newest first; `current` holds the live tasks. Stops at the first obstacle. */
export function planTasks(
  changes: readonly LoggedChange[],
  current: ReadonlyMap<string, Task>,
): { readonly plans: readonly TaskPlan[] } | { readonly obstacle: Obstacle } {
  const states = new Map<string, State>()
  for (const change of changes) {
    const { id, verb } = change
    const now = current.get(id)
    if (verb === 'deleted') return { obstacle: { kind: 'deletion', id } }
    if (now === undefined) return { obstacle: { kind: 'gone', id } }
    const state = states.get(id) ?? { fields: { ...now }, isDeleted: false }
    states.set(id, state)
    const field = verb === 'created' ? differing(state.fields, change.after) : revert(state.fields, change)
    if (field !== undefined) return { obstacle: { kind: 'field', id, field } }
    if (verb === 'created') state.isDeleted = true
  }
  const plans = [...states].map(([id, { fields, isDeleted }]): TaskPlan => {
    const now: Fields = current.get(id) ?? {}
    const changed = Object.entries(fields).filter(([name, value]) => !isEqual(value, now[name]))
    return { id, isDeleted, fields: isDeleted ? {} : Object.fromEntries(changed) }
  })
  return { plans }
}

/** The first field that has changed since a task was created. */
function differing(fields: Fields, after: Fields): string | undefined {
  return Object.keys(fields).find((name) => !derived.has(name) && !isEqual(fields[name], after[name]))
}

/** Gives the fields of one event their previous values; returns the first that has another value than the event gave it. */
function revert(fields: Record<string, unknown>, { after, previous }: LoggedChange): string | undefined {
  for (const [name, value] of Object.entries(previous)) {
    if (derived.has(name)) continue
    if (isEqual(fields[name], after[name])) fields[name] = value
    else if (name === 'custom_fields') {
      const key = revertKeys(fields, after[name] as Fields, value as Fields)
      if (key !== undefined) return `custom_fields.${key}`
    } else return name
  }
  return undefined
}

/** The same for each key of `custom_fields`: another key that was set since does not stand in the way. */
function revertKeys(fields: Record<string, unknown>, after: Fields, previous: Fields): string | undefined {
  const values = { ...(fields.custom_fields as Fields) }
  for (const key of new Set([...Object.keys(after), ...Object.keys(previous)])) {
    if (isEqual(after[key], previous[key])) continue
    if (!isEqual(values[key], after[key])) return key
    if (previous[key] === undefined) delete values[key]
    else values[key] = previous[key]
  }
  fields.custom_fields = values
  return undefined
}

/** Whether both are the same JSON. */
function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/** The two ends and the kind: a dependency that is written back has another id. */
export interface Edge {
  readonly from: string
  readonly to: string
  readonly kind: string
}

/** The dependencies that an undo deletes and creates; each edge once, by its oldest event. */
export function planEdges(changes: readonly LoggedChange[]): { remove: readonly Edge[]; add: readonly Edge[] } {
  const wanted = new Map<string, { edge: Edge; isThere: boolean; wasThere: boolean }>()
  for (const { after, verb } of changes) {
    // The events of dependencies show a dependency.
    const { from, to, kind } = after as Fields & Edge
    const name = `${from} ${kind} ${to}`
    const isThere = wanted.get(name)?.isThere ?? verb === 'created'
    wanted.set(name, { edge: { from, to, kind }, isThere, wasThere: verb === 'deleted' })
  }
  const all = [...wanted.values()]
  return {
    remove: all.filter(({ isThere, wasThere }) => isThere && !wasThere).map(({ edge }) => edge),
    add: all.filter(({ isThere, wasThere }) => !isThere && wasThere).map(({ edge }) => edge),
  }
}
