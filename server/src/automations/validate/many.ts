/** Faults of the settings of steps that create or change many tasks, beyond what their schema says (contract/16#many-tasks). */

import type { AddFault, Known } from '../known.ts'
import { at } from '../shape.ts'

type Config = Readonly<Record<string, unknown>>

/** A step creates either a fixed list of tasks, or one for each item of a list. */
export function createManyFaults(config: Config, path: string, addFault: AddFault): void {
  const { tasks, items } = config
  if (tasks === undefined && items === undefined) addFault(at(path, 'tasks'), 'is required without items')
  if (tasks !== undefined && items !== undefined) addFault(at(path, 'items'), 'must not be there beside tasks')
  for (const name of ['max_items', 'set']) {
    if (items !== undefined && config[name] === undefined) addFault(at(path, name), 'is required with items')
  }
  for (const name of ['max_items', 'on_overflow', 'set']) {
    if (items === undefined && config[name] !== undefined) addFault(at(path, name), 'requires items')
  }
}

/** The fields that new tasks get, each with its path. */
export function fieldsOfMany({ tasks, set }: Config, path: string): readonly (readonly [unknown, string])[] {
  const listed = Array.isArray(tasks) ? tasks : []
  return [...listed.map((each, i) => [each, at(at(path, 'tasks'), i)] as const), [set, at(path, 'set')]]
}

/** Without a query or a parent, a step would change whatever there is. */
export function updateManyFaults({ query, parent }: Config, path: string, addFault: AddFault, known: Known): void {
  if (query === undefined && parent === undefined) addFault(at(path, 'query'), 'is required without parent')
  const fault = typeof query === 'string' && query !== '' ? known.filterFault(query) : undefined
  if (fault !== undefined) addFault(at(path, 'query'), `is not a filter: ${fault}`)
}
