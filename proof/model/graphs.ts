/** Graphs of automations: a few valid samples with their requirements; any other graph is invalid. */
import type { Form } from './forms.ts'
import type { Model } from './model.ts'
import type { Fields, Json } from './names.ts'
import { badBody } from './refused.ts'

export interface Sample {
  readonly graph: Fields
  readonly scopes: readonly string[]
  readonly trigger: string
}

function sample(trigger: Fields, action: Fields, scopes: readonly string[]): Sample {
  const graph = {
    schema_version: 1,
    nodes: [trigger, action],
    edges: [{ source: trigger.id as string, target: action.id as string }],
  }
  return { graph, scopes, trigger: trigger.type as string }
}

const say: Fields = { id: 'say', type: 'task.comment', config: { body: { $template: '{{ task.key }} was looked at' } } }

const samples: readonly Sample[] = [
  sample({ id: 'by_hand', type: 'trigger.manual', config: {} }, say, ['tasks:read', 'comments:write']),
  sample(
    { id: 'mondays', type: 'trigger.schedule', config: { cron: '0 9 * * MON', timezone: 'Europe/Berlin' } },
    { id: 'ring', type: 'http.request', config: { method: 'POST', url: 'https://example.com/ring' } },
    [],
  ),
  sample(
    { id: 'changed', type: 'trigger.event', config: { event_types: ['workflow.task.updated'] } },
    { id: 'done', type: 'task.complete', config: {} },
    ['tasks:read', 'tasks:write'],
  ),
]

export const text = (graph: Json): string => JSON.stringify(graph)

export const sampleOf = (graph: Json): Sample | undefined => samples.find((each) => text(each.graph) === text(graph))

/** Valid samples and invalid graphs. A value that is not an object fails by its form, other faults show in use. */
export const graph: Form = {
  good: (n) => n.pick(samples).graph,
  bad: [
    [],
    'nodes',
    {},
    { schema_version: 1, nodes: [], edges: [] },
    { ...(samples[0] as Sample).graph, edges: [{ source: 'by_hand', target: 'nobody' }] },
  ],
  faults: (value, path) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? [] : [path]),
}

export function requireGraph(sent: Json | undefined): void {
  if (sent !== undefined && sampleOf(sent) === undefined) throw badBody()
}

/** The hash of a graph, the same for every flow. */
export function hashOf(model: Model, sent: Json): string {
  const hashes = hashesOf(model)
  const name = hashes.get(text(sent)) ?? model.name('hash')
  hashes.set(text(sent), name)
  return name
}

const hashes_by_model = new WeakMap<Model, Map<string, string>>()

function hashesOf(model: Model): Map<string, string> {
  const known = hashes_by_model.get(model) ?? new Map<string, string>()
  hashes_by_model.set(model, known)
  return known
}
