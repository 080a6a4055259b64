/**
 * The scopes that a graph requires: those to read what starts it, and those to write what its steps change
 * (contract/16#authority).
 */
import { type Scope, scopes } from '../api/declare/scopes.ts'
import type { Known } from './known.ts'
import type { NodeType } from './schema.ts'
import type { Sketch } from './sketch.ts'
import { beginnings, eventTypesOf } from './triggers.ts'

/** The scope to write what a step changes; a step without one changes nothing of Atrium's. */
export const write_scopes: Readonly<Partial<Record<NodeType, Scope>>> = {
  'task.update': 'tasks:write',
  'task.move': 'tasks:write',
  'task.complete': 'tasks:write',
  'task.assign': 'tasks:write',
  'task.label': 'tasks:write',
  'task.comment': 'comments:write',
  'task.create': 'tasks:write',
  'task.create_from_template': 'tasks:write',
  'task.create_many': 'tasks:write',
  'task.update_many': 'tasks:write',
  'task.update_parent': 'tasks:write',
  'task.add_dependency': 'tasks:write',
  'timer.start': 'time_entries:write',
  'timer.stop': 'time_entries:write',
  'approval.wait': 'automations:write',
  'mail.send': 'automations:write',
  'flow.call': 'automations:write',
}

/** The scope to read what a step looks for beside the run's own task: its formulas and its journal show it. */
export const read_scopes: Readonly<Partial<Record<NodeType, Scope>>> = {
  'task.update_many': 'tasks:read',
  'task.update_parent': 'tasks:read',
}

/** In the order of `scopes`. An unknown event type requires none, because the graph is refused for it. */
export function requiredScopes(sketch: Sketch, { event_types }: Pick<Known, 'event_types'>): readonly Scope[] {
  const needed = new Set<Scope | undefined>()
  if (beginnings(sketch).task !== 'never') needed.add('tasks:read')
  for (const { type, config } of sketch.nodes) {
    needed.add(write_scopes[type])
    needed.add(read_scopes[type])
    if (type === 'trigger.event') for (const event of eventTypesOf(config)) needed.add(event_types.get(event))
  }
  return scopes.filter((scope) => needed.has(scope))
}

export function usesAi(sketch: Sketch): boolean {
  return sketch.nodes.some(({ type }) => type === 'ai.step')
}
