import assert from 'node:assert/strict'
import test from 'node:test'
import { known } from '../../test/automations/known.ts'
import { programOf } from './program.ts'
import { resolveInputs, triggerAllows } from './resolve.ts'
import type { Graph, Node } from './schema.ts'
import { validateGraph } from './validate.ts'
import { entryFinder, type JournalEntry, type RunFacts, stepVariables, triggerVariables } from './variables.ts'

const task = {
  id: 'tsk_1',
  title: 'Bridge {{ now }}',
  status: 'todo',
  assignee: 'usr_1',
  due_at: null,
  labels: ['a', 'b'],
  custom_fields: { checks: ['one', 'two', 'three'], evil: "') || true", text: { $expr: 'now' } },
}

const facts: RunFacts = {
  event: { type: 'workflow.task.updated', sequence: 7 },
  task,
  before: { ...task, status: 'backlog' },
  request: null,
  form: null,
  mail: null,
  call: null,
  now: 1_700_000_000,
  flow: { id: 'flow_1', name: 'Flow', version: 2, mode: 'live', workspace: 'wsp_1', project: null },
  org: { id: 'org_1', name: 'Org', plan: 'studio' },
  run: { id: 'run_1', trigger: 'start', started_at: 1, depth: 0 },
}

const start: Node = { id: 'start', type: 'trigger.event', config: { event_types: ['workflow.task.updated'] } }

/** The program of a chain of steps. */
function program(steps: readonly Node[], trigger: Node = start) {
  const outside = [trigger, ...steps.filter(({ parent }) => parent === undefined)]
  const edges = outside.slice(1).map(({ id }, i) => ({ source: (outside[i] as Node).id, target: id }))
  const graph: Graph = { schema_version: 1, nodes: [trigger, ...steps], edges }
  assert.deepEqual(validateGraph(graph, known).faults, [])
  return programOf(graph)
}

/** The inputs of the step `it` after these steps. */
function resolvedInputs(
  node: Node,
  before: readonly Node[] = [],
  entries: readonly JournalEntry[] = [],
  path: number[] = [],
) {
  const made = program([...before, node])
  return resolveInputs(made, node.id, stepVariables(made, { node: node.id, path }, entryFinder(entries), facts))
}

test('values, templates and expressions are computed from the data, and literals stay as they are', () => {
  const set = {
    title: { $template: '{{ task.title }}: {{ task.labels }}{{ task.due_at }} {{ 1.5 }} {{ true }}' },
    status: 'done',
    assignee: { $expr: 'task.assignee' },
    due_at: { $expr: 'now + 60' },
    labels: { $expr: "task.labels + ['c']" },
    custom_fields: { note: { $expr: 'task.custom_fields.evil' }, list: ['x'], none: null },
  }
  assert.deepEqual(resolvedInputs({ id: 'it', type: 'task.update', config: { task: '$subject', set } }), {
    ok: true,
    inputs: {
      type: 'task.update',
      config: {
        task: '$subject',
        set: {
          title: 'Bridge {{ now }}: ["a","b"] 1.5 true',
          status: 'done',
          assignee: 'usr_1',
          due_at: 1_700_000_060,
          labels: ['a', 'b', 'c'],
          custom_fields: { note: "') || true", list: ['x'], none: null },
        },
      },
    },
  })
})

test('a JSON body is computed where it contains an expression, and the data in it is never computed', () => {
  const body = {
    at: [{ $expr: 'now' }, { text: { $template: "{{ '{{' }} {{ {'a': {'b': 1}} }}" } }],
    as_is: { $expr: 'task.custom_fields.text' },
  }
  const resolved = resolvedInputs({
    id: 'it',
    type: 'http.request',
    config: { method: 'PUT', url: 'https://example.com/', body },
  })
  assert.ok(resolved.ok && resolved.inputs.type === 'http.request')
  assert.deepEqual(resolved.inputs.config.body, {
    at: [1_700_000_000, { text: '{{ {"a":{"b":1}}' }],
    as_is: { $expr: 'now' },
  })
})

test('a condition takes true or false, a switch its first case that is true, or else default', () => {
  assert.deepEqual(resolvedInputs({ id: 'it', type: 'condition', config: { expr: "before.status == 'backlog'" } }), {
    ok: true,
    inputs: { type: 'condition', port: 'true', output: { result: true } },
  })
  const cases = (last: string) => [
    { port: 'a', expr: 'now < 0' },
    { port: 'b', expr: last },
    { port: 'c', expr: 'true' },
  ]
  const port = (last: string) => {
    const resolved = resolvedInputs({ id: 'it', type: 'switch', config: { cases: cases(last) } })
    return resolved.ok && resolved.inputs.type === 'switch' ? resolved.inputs.port : resolved
  }
  assert.equal(port('now > 0'), 'b')
  assert.equal(port('now < 0'), 'c')
  const none: Node = { id: 'it', type: 'switch', config: { cases: cases('false').slice(0, 2) } }
  assert.deepEqual(resolvedInputs(none), {
    ok: true,
    inputs: { type: 'switch', port: 'default', output: { port: 'default' } },
  })
})

test('a for_each has its items; it fails with too many, or truncates them', () => {
  const loop = (max_items: number, on_overflow?: 'fail' | 'truncate'): Node[] => [
    { id: 'body', type: 'task.complete', parent: 'it', config: {} },
    {
      id: 'it',
      type: 'for_each',
      config: {
        items: { $expr: 'task.custom_fields.checks' },
        max_items,
        ...(on_overflow === undefined ? {} : { on_overflow }),
      },
    },
  ]
  const items = (max_items: number, on_overflow?: 'fail' | 'truncate') => {
    const [body, node] = loop(max_items, on_overflow) as [Node, Node]
    return resolvedInputs(node, [body])
  }
  assert.deepEqual(items(3), {
    ok: true,
    inputs: { type: 'for_each', items: 3, output: { count: 3, items: ['one', 'two', 'three'] } },
  })
  assert.deepEqual(items(2, 'truncate'), {
    ok: true,
    inputs: { type: 'for_each', items: 2, output: { count: 2, items: ['one', 'two'] } },
  })
  const failure = {
    code: 'too_many_items',
    message: 'The list has 3 items; `max_items` allows 2.',
    param: 'config.items',
  }
  assert.deepEqual(items(2), { ok: false, failure })
  assert.deepEqual(items(2, 'fail'), { ok: false, failure })
})

test('a step sees the outputs of earlier steps, inside a body those of the same item', () => {
  const outer: Node = { id: 'outer', type: 'for_each', config: { items: { $expr: "['x', 'y']" }, max_items: 2 } }
  const made: Node = { id: 'made', type: 'task.create', parent: 'outer', config: { set: { title: 'T' } } }
  const text =
    '{{ steps.first.status }} {{ index }} {{ item }} {{ steps.made.output.task.title }} {{ steps.outer.output.count }}'
  const first: Node = { id: 'first', type: 'task.label', config: { add: ['l'] } }
  const it: Node = { id: 'it', type: 'task.comment', parent: 'outer', config: { body: { $template: text } } }
  const graph: Graph = {
    schema_version: 1,
    nodes: [start, first, outer, made, it],
    edges: [
      { source: 'start', target: 'first' },
      { source: 'first', target: 'outer' },
      { source: 'made', target: 'it' },
    ],
  }
  assert.deepEqual(validateGraph(graph, known).faults, [])
  const run = programOf(graph)
  const entry = (node: string, path: number[], output: unknown): JournalEntry => ({
    node,
    path,
    status: 'succeeded',
    output,
  })
  const find = entryFinder([
    entry('first', [], { task, changed: true }),
    entry('outer', [], { count: 2, items: ['x', 'y'] }),
    entry('made', [0], { task: { ...task, title: 'of x' } }),
    entry('it', [0], null),
    entry('made', [1], { task: { ...task, title: 'of y' } }),
  ])
  const body = (path: number[]) => {
    const resolved = resolveInputs(run, 'it', stepVariables(run, { node: 'it', path }, find, facts))
    return resolved.ok && resolved.inputs.type === 'task.comment' ? resolved.inputs.config.body : resolved
  }
  assert.equal(body([0]), 'succeeded 0 x of x 2')
  assert.equal(body([1]), 'succeeded 1 y of y 2')
})

test('data that an input does not accept fails the step with the path and the reason', () => {
  const failure = (node: Node) => {
    const resolved = resolvedInputs(node)
    return resolved.ok ? 'ok' : `${resolved.failure.code} ${resolved.failure.param} ${resolved.failure.message}`
  }
  const update = (set: Record<string, unknown>): Node => ({ id: 'it', type: 'task.update', config: { set } }) as Node
  assert.equal(
    failure(update({ due_at: { $expr: 'task.due_at + 1' } })),
    'evaluation_failed config.set.due_at config.set.due_at: no such overload: null + int.',
  )
  assert.equal(
    failure(update({ assignee: { $expr: 'task.custom_fields.checks' } })),
    'wrong_type config.set.assignee config.set.assignee must be the id of a user or null.',
  )
  assert.equal(
    failure(update({ labels: { $expr: '[1, 2]' } })),
    'wrong_type config.set.labels[0] config.set.labels[0] must be a string.',
  )
  assert.equal(
    failure(update({ title: { $template: '{{task.title}}'.repeat(35) } })),
    'wrong_type config.set.title config.set.title must have at most 500 characters.',
  )
  assert.equal(
    failure(update({ custom_fields: { a: { $expr: 'task.custom_fields.text' } } })),
    'wrong_type config.set.custom_fields.a config.set.custom_fields.a must be a string or a number or a boolean or null or an array.',
  )
  assert.equal(
    failure({ id: 'it', type: 'delay', config: { seconds: { $expr: '0 - 5' } } }),
    'wrong_type config.seconds config.seconds must be at least 1.',
  )
  assert.equal(
    failure({ id: 'it', type: 'condition', config: { expr: 'task.custom_fields.evil' } }),
    'wrong_type config.expr config.expr must be true or false, but the expression gave a value of type string.',
  )
  assert.equal(
    failure({ id: 'it', type: 'http.request', config: { method: 'GET', url: { $expr: "'ftp://' + task.id" } } }),
    'wrong_type config.url config.url must be an https URL.',
  )
  assert.equal(
    failure({ id: 'it', type: 'task.comment', config: { body: { $template: '{{ task.custom_fields.nothing }}' } } }),
    'evaluation_failed config.body config.body: No such key: nothing.',
  )
})

test("a run starts if the trigger's when is true, and not if it fails", () => {
  const made = program([{ id: 'it', type: 'task.complete', config: {} }], {
    id: 'start',
    type: 'trigger.event',
    config: { event_types: ['workflow.task.updated'], when: 'task.due_at > now || event.sequence == 7' },
  })
  const asked = (changed: Partial<RunFacts>) => triggerAllows(made, 'start', triggerVariables({ ...facts, ...changed }))
  assert.deepEqual(asked({}), { allows: true, failure: null })
  assert.deepEqual(asked({ event: { sequence: 8 } }), {
    allows: false,
    failure: {
      code: 'evaluation_failed',
      message: 'config.when: no such overload: null > int.',
      param: 'config.when',
    },
  })
  assert.deepEqual(triggerAllows(program([{ id: 'it', type: 'task.complete', config: {} }]), 'start', {}), {
    allows: true,
    failure: null,
  })
})
