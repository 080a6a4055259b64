/** Event types (contract/10#event-types). */
import type { AnyNoun } from './noun.ts'
import { quoted, suggest } from './quoted.ts'
import type { Scope } from './scopes.ts'

export interface EventType<Name extends string = string> {
  readonly type: Name
  readonly noun: AnyNoun
  /** Of several events about an object in one commit, the type with the highest rank wins (contract/10#type-precedence). */
  readonly rank: number
}

const ranks: Readonly<Record<string, number>> = {
  deleted: 6,
  created: 5,
  completed: 4,
  reopened: 4,
  moved: 3,
  archived: 2,
  unarchived: 2,
  updated: 0,
}

const declared = new Map<string, EventType>()

/** All declared event types by name. */
export const eventTypes: ReadonlyMap<string, EventType> = declared

const readScopes = new Map<string, Scope>()

/**
 * The scope that reads objects of a noun, such as `task`, and therefore the data of its events (contract/07#scopes).
 * Undefined for a noun without event types: no credential may read it.
 */
export function readScopeOf(noun: string): Scope | undefined {
  return readScopes.get(noun)
}

/** Declares an event type, `area.object.verb`, about objects of a noun. */
export function eventType<const Name extends string>(type: Name, noun: AnyNoun): EventType<Name> {
  const event = { type, noun, rank: ranks[type.slice(type.lastIndexOf('.') + 1)] ?? 1 }
  declared.set(type, event)
  readScopes.set(noun.object, noun.readScope)
  return event
}

/** Whether a pattern (`workflow.task.created`, `workflow.task.*`, `workflow.*`, `*`) matches an event type. */
export function subscribes(pattern: string, type: string): boolean {
  if (pattern === '*' || pattern === type) return true
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))
}

/** Says that a pattern matches no declared type, and which type was probably meant: `task.created` lacks its area. */
export function unknownPattern(pattern: string): string {
  const types = [...declared.keys()]
  const whole = types.find((type) => type.endsWith(`.${pattern}`))
  const areas = types.map((type) => `${type.slice(0, type.lastIndexOf('.'))}.*`)
  const hint = whole === undefined ? suggest(pattern, [...types, ...areas]) : ` Did you mean "${whole}"?`
  return `There is no event type ${quoted(pattern)}.${hint}`
}

/** Whether a pattern matches any declared type; others are refused (contract/10#type-patterns). */
export function isKnownPattern(pattern: string): boolean {
  if (pattern === '*') return true
  for (const type of declared.keys()) if (subscribes(pattern, type)) return true
  return false
}
