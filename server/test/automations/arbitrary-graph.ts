/**
 * Random valid automation graphs. They refer to no object by id, so they run in any workspace. With `outside` they also
 * contain HTTP, chat and AI steps; with `chat`, posts to the chat of the secret `team_chat` whose success is certain.
 */
import fc from 'fast-check'
import { type Edge, type Graph, type Node, versionOfNode } from '../../src/automations/schema.ts'
import { approvalPorts, callPorts } from '../../src/automations/sketch.ts'

interface Seed {
  readonly kind: string
  readonly sources: readonly number[]
  readonly port: number
  readonly on_error: 'fail' | 'continue' | 'branch' | undefined
  readonly items: number
  readonly goesOn: boolean
  readonly body: readonly Seed[]
}

const inner = [
  'condition',
  'switch',
  'delay',
  'stop',
  'task.update',
  'task.label',
  'task.comment',
  'task.create',
  'task.assign',
  'task.create_many',
  'task.update_many',
  'task.update_parent',
]
const outer = ['http.request', 'chat.post', 'ai.step']

function seeds(kinds: readonly string[], depth: number): fc.Arbitrary<Seed> {
  return fc.record({
    kind: fc.constantFrom(...kinds, ...(depth > 0 ? ['for_each'] : [])),
    sources: fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }),
    port: fc.nat(5),
    on_error: fc.constantFrom('fail' as const, 'continue' as const, 'branch' as const, undefined),
    items: fc.integer({ min: 1, max: 3 }),
    goesOn: fc.boolean(),
    body: depth > 0 ? fc.array(seeds(kinds, depth - 1), { minLength: 1, maxLength: 4 }) : fc.constant([]),
  })
}

interface GraphOptions {
  readonly outside?: boolean
  readonly chat?: boolean
  /** A user who can be asked. */
  readonly approver?: string
  /** Flows that can be called with a `word`. */
  readonly called?: readonly Callable[]
}

export interface Callable {
  readonly flow: string
  /** Whether the caller may go on without waiting, as what the flow does concerns no later step. */
  readonly apart?: boolean
  /** Whether its runs take time, so that a preview cannot know whether they end in time. */
  readonly slow?: boolean
}

export function arbitraryGraph({
  outside = false,
  chat = false,
  approver,
  called = [],
}: GraphOptions = {}): fc.Arbitrary<Graph> {
  const asks = approver === undefined ? [] : [`approval.wait ${approver}`]
  const kinds = [
    ...inner,
    ...(outside ? outer : []),
    ...(chat ? ['chat.post'] : []),
    ...asks,
    ...called.map((each) => `flow.call ${JSON.stringify(each)}`),
  ]
  return fc
    .record({
      triggers: fc.array(fc.constantFrom('trigger.event', 'trigger.manual', 'trigger.due'), {
        minLength: 1,
        maxLength: 2,
      }),
      steps: fc.array(seeds(kinds, 2), { minLength: 2, maxLength: 8 }),
      mix: fc.array(fc.nat(1000), { minLength: 1, maxLength: 10 }),
    })
    .map(({ triggers, steps, mix }) => {
      const nodes: Node[] = triggers.map((type, i) => trigger(type, i))
      const edges: Edge[] = []
      // A trigger without an edge would be a fault.
      for (const { id } of nodes) edges.push({ source: id, target: 'n1' })
      grow(chat ? steps.map(withoutErrorPort) : steps, null, nodes.slice(), nodes, edges)
      const schema_version = Math.max(...nodes.map(versionOfNode)) as Graph['schema_version']
      return { schema_version, nodes: mixed(nodes, mix), edges: mixed(edges, mix) }
    })
}

/** A preview cannot know whether the error port of a call is taken. */
function withoutErrorPort(seed: Seed): Seed {
  const on_error = seed.kind === 'chat.post' && seed.on_error === 'branch' ? 'continue' : seed.on_error
  return { ...seed, on_error, body: seed.body.map(withoutErrorPort) }
}

/** The same elements in another order, which keeps a graph valid. */
function mixed<T>(things: readonly T[], mix: readonly number[]): T[] {
  const keyed = things.map((thing, i) => ({ thing, key: ((mix[i % mix.length] as number) * (i + 7)) % 101 }))
  return keyed.toSorted((a, b) => a.key - b.key).map(({ thing }) => thing)
}

/** Adds the nodes of a scope, each with edges from earlier nodes of the scope. */
function grow(steps: readonly Seed[], parent: string | null, before: Node[], nodes: Node[], edges: Edge[]): void {
  for (const [i, seed] of steps.entries()) {
    const id = `n${nodes.filter((node) => !node.type.startsWith('trigger.')).length + 1}`
    if (parent === null || i > 0) lead(seed, before, id, edges)
    const sources = before.filter((one) => edges.some(({ source, target }) => source === one.id && target === id))
    const node = nodeOf(id, seed, parent, sources)
    nodes.push(node)
    if (node.type !== 'stop') before.push(node)
    if (node.type === 'for_each') grow(withEntry(seed.body), id, [], nodes, edges)
  }
}

/** A body that starts with a stop would have no edge to its other nodes. */
function withEntry([first, ...rest]: readonly Seed[]): readonly Seed[] {
  if (first === undefined) return []
  return [first.kind === 'stop' && rest.length > 0 ? { ...first, kind: 'task.label' } : first, ...rest]
}

function lead(seed: Seed, before: readonly Node[], target: string, edges: Edge[]): void {
  for (const pick of seed.sources) {
    const source = before[pick % before.length] as Node
    const ports = portsOf(source)
    const port = ports[seed.port % ports.length] as string | undefined
    const twin = (edge: Edge) =>
      edge.source === source.id && edge.target === target && (edge.port ?? first(source)) === (port ?? first(source))
    if (!edges.some(twin)) edges.push({ source: source.id, target, ...(port === undefined ? {} : { port }) })
  }
}

function first(node: Node): string {
  if (node.type === 'approval.wait') return 'approved'
  return node.type === 'condition' ? 'true' : 'out'
}

function portsOf(node: Node): (string | undefined)[] {
  if (node.type === 'condition') return [undefined, 'true', 'false']
  if (node.type === 'approval.wait') return [undefined, ...approvalPorts(node.config)]
  if (node.type === 'switch') return ['default', ...node.config.cases.map(({ port }) => port)]
  const out = node.type === 'flow.call' ? [undefined, ...callPorts(node.config)] : [undefined, 'out']
  return 'on_error' in node && node.on_error === 'branch' ? [...out, 'error'] : out
}

function trigger(type: string, i: number): Node {
  const id = `t${i + 1}`
  if (type === 'trigger.manual') return { id, type, config: {} }
  if (type === 'trigger.due') return { id, type, config: { offset_seconds: -3600, when: "task.status != 'done'" } }
  return { id, type: 'trigger.event', config: { event_types: ['workflow.task.updated'], when: 'event.sequence > 0' } }
}

function nodeOf(id: string, seed: Seed, parent: string | null, sources: readonly Node[]): Node {
  const common = { id, ...(parent === null ? {} : { parent }) }
  const name = parent === null ? 'task.title' : "string(index) + ' of ' + task.title"
  const earlier = sources.find(({ type }) => type === 'task.create')?.id
  const text = {
    $template: `${id}: {{ ${name} }}${earlier === undefined ? '' : ` after {{ steps.${earlier}.status }}`}`,
  }
  if (seed.kind === 'condition')
    return { ...common, type: 'condition', config: { expr: `size(task.labels) > ${seed.items}` } }
  if (seed.kind.startsWith('approval.wait ')) {
    const person = seed.kind.slice('approval.wait '.length)
    const timeout = seed.goesOn ? { timeout_seconds: 60 * seed.items } : {}
    return { ...common, type: 'approval.wait', config: { people: [person], text, ...timeout } }
  }
  if (seed.kind === 'switch') {
    const cases = [
      { port: 'urgent', expr: "task.priority == 'urgent'" },
      { port: 'labeled', expr: 'size(task.labels) > 0' },
    ]
    return { ...common, type: 'switch', config: { cases } }
  }
  if (seed.kind === 'for_each') {
    const config = {
      items: { $expr: "['a', 'b', 'c']" },
      max_items: seed.items,
      on_overflow: 'truncate' as const,
      on_item_error: seed.goesOn ? ('continue' as const) : ('stop' as const),
    }
    return { ...common, type: 'for_each', config }
  }
  if (seed.kind === 'delay') return { ...common, type: 'delay', config: { seconds: { $expr: '60 * 5' } } }
  if (seed.kind === 'stop') {
    return { ...common, type: 'stop', config: { outcome: seed.goesOn ? 'succeeded' : 'failed', message: text } }
  }
  return action({ ...common, ...(seed.on_error === undefined ? {} : { on_error: seed.on_error }) }, seed, text)
}

type Text = { $template: string }

type Common = { id: string; parent?: string; on_error?: 'fail' | 'continue' | 'branch' }

function action(common: Common, seed: Seed, text: Text): Node {
  if (seed.kind === 'task.update') return { ...common, type: 'task.update', config: { set: { description: text } } }
  if (seed.kind === 'task.label')
    return { ...common, type: 'task.label', config: { add: [common.id, { $expr: 'task.status' }] } }
  if (seed.kind === 'task.comment') return { ...common, type: 'task.comment', config: { body: text } }
  if (seed.kind === 'task.create_many') return createMany(common, seed)
  if (seed.kind === 'task.update_many') return updateMany(common, seed)
  if (seed.kind === 'task.update_parent')
    return { ...common, type: 'task.update_parent', config: { set: { description: text } } }
  if (seed.kind === 'task.assign')
    return { ...common, type: 'task.assign', config: { assignee: { $expr: 'task.assignee' } } }
  if (seed.kind.startsWith('flow.call ')) return callOf(common, seed, text)
  if (seed.kind === 'http.request') {
    const body = { task: { $expr: 'task' }, note: text, at: [{ $expr: 'now' }] }
    return {
      ...common,
      type: 'http.request',
      config: { method: 'POST', url: 'https://example.com/hook', body, output: 'json' },
    }
  }
  if (seed.kind === 'chat.post') return { ...common, type: 'chat.post', config: { secret: 'team_chat', text } }
  if (seed.kind === 'ai.step') {
    const input = { title: { $expr: 'task.title' } }
    return {
      ...common,
      type: 'ai.step',
      config: { operation: 'generate', instructions: text, input, max_output_tokens: 50 },
    }
  }
  return { ...common, type: 'task.create', config: { set: { title: { $template: `Made by ${common.id}` } } } }
}

/** A fixed list, or a task for each item of a list; some of them as subtasks of the run's task. */
function createMany(common: Common, seed: Seed): Node {
  const parent = seed.port % 2 === 0 ? {} : { parent: '$subject' as const }
  if (seed.goesOn) {
    const tasks = Array.from({ length: seed.items }, (_, i) => ({ title: `${i} of ${common.id}`, labels: ['many'] }))
    return { ...common, type: 'task.create_many', config: { ...parent, tasks } }
  }
  const set = { title: { $template: `{{ item }}, {{ index }} of {{ task.title }}` } }
  const list = { items: { $expr: "['a', 'b', 'c']" }, max_items: seed.items, on_overflow: 'truncate' as const }
  return { ...common, type: 'task.create_many', config: { ...parent, ...list, set } }
}

/** Fails at times, because more match than it may change. */
function updateMany(common: Common, seed: Seed): Node {
  const which = seed.port % 2 === 0 ? { parent: '$subject' as const } : { query: 'labels:many' }
  const set = { description: { $template: `${common.id} {{ index }}: {{ item.key }} is {{ item.status }}` } }
  const on_overflow = seed.goesOn ? ('truncate' as const) : ('fail' as const)
  return { ...common, type: 'task.update_many', config: { ...which, max_tasks: seed.items, on_overflow, set } }
}

function callOf(common: { id: string; parent?: string }, seed: Seed, text: Text): Node {
  const { flow, apart, slow }: Callable = JSON.parse(seed.kind.slice('flow.call '.length))
  const how = apart ? { wait: false } : slow || seed.goesOn ? {} : { timeout_seconds: 60 * seed.items }
  return { ...common, type: 'flow.call', config: { flow, inputs: { word: text }, ...how } }
}
