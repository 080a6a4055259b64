/** Event types: what an operation may say has happened. Names and shape: decisions §10. */
import type { AnyNoun } from './noun.ts'

export interface EventType<Name extends string = string> {
  readonly type: Name
  readonly noun: AnyNoun
  /** More specific names win where one commit does several things to one object (decisions §10). */
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

/** All event types that are declared, by name. */
export const eventTypes: ReadonlyMap<string, EventType> = declared

/** Declares an event type, `area.object.verb`, about objects of a noun. */
export function eventType<const Name extends string>(type: Name, noun: AnyNoun): EventType<Name> {
  const made = { type, noun, rank: ranks[type.slice(type.lastIndexOf('.') + 1)] ?? 1 }
  declared.set(type, made)
  return made
}

/** Whether a subscription (`workflow.task.created`, `workflow.task.*`, `workflow.*`, `*`) takes an event type. */
export function subscribes(pattern: string, type: string): boolean {
  if (pattern === '*' || pattern === type) return true
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))
}

/** Whether a pattern takes any event type that there is; others are refused where patterns are given (decisions §11). */
export function isKnownPattern(pattern: string): boolean {
  if (pattern === '*') return true
  for (const type of declared.keys()) if (subscribes(pattern, type)) return true
  return false
}
