/** All event types, including those of commands and workers, ordered by area and object. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type EventType, eventTypes } from '../api/declare/event.ts'
import type { Operation } from '../api/declare/operation.ts'

const areas = ['platform', 'whiteboard', 'workflow', 'automation']

export async function allEventTypes(): Promise<readonly EventType[]> {
  const folder = join(import.meta.dirname, '../resources')
  for (const file of globSync('*/events.ts', { cwd: folder }).sort()) {
    await import(pathToFileURL(join(folder, file)).href)
  }
  return [...eventTypes.values()].sort((a, b) => rank(a) - rank(b) || compare(objectOf(a), objectOf(b)))
}

/** The ids of the operations that can emit a type. */
export function emittersOf(catalogue: readonly Operation[], type: EventType): string[] {
  return catalogue.filter(({ emits }) => emits.some((each) => each.type === type.type)).map(({ id }) => id)
}

/** The verb of a type: `workflow.task.created` → `created`. */
export function verbOf({ type }: EventType): string {
  return type.slice(type.lastIndexOf('.') + 1).replaceAll('_', ' ')
}

export function areaOf({ type }: EventType): string {
  return type.slice(0, type.indexOf('.'))
}

function objectOf({ type }: EventType): string {
  return type.slice(0, type.lastIndexOf('.'))
}

function rank(type: EventType): number {
  const at = areas.indexOf(areaOf(type))
  return at < 0 ? areas.length : at
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
