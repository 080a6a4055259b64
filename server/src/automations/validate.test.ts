import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import example from '../../../docs/contract/automation-graph.example.json' with { type: 'json' }
import { arbitraryGraph } from '../../test/automations/arbitrary-graph.ts'
import { approvals } from '../../test/automations/bad-graphs/approvals.ts'
import { calls } from '../../test/automations/bad-graphs/calls.ts'
import { edges } from '../../test/automations/bad-graphs/edges.ts'
import { expressions } from '../../test/automations/bad-graphs/expressions.ts'
import { fields } from '../../test/automations/bad-graphs/fields.ts'
import { manyTasks } from '../../test/automations/bad-graphs/many.ts'
import { names } from '../../test/automations/bad-graphs/names.ts'
import { shape } from '../../test/automations/bad-graphs/shape.ts'
import { steps } from '../../test/automations/bad-graphs/steps.ts'
import { triggers } from '../../test/automations/bad-graphs/triggers.ts'
import { type GoodGraph, goodGraph, nodeIn } from '../../test/automations/good-graph.ts'
import { known } from '../../test/automations/known.ts'
import { automation_limits } from './limits.ts'
import { validateGraph } from './validate.ts'

test('a graph with nearly every type of node is valid, and its references, scopes and costs are reported', () => {
  const graph = goodGraph()
  const {
    graph: validated,
    faults,
    references,
    warnings,
    required_scopes,
    uses_ai,
    steps_max,
  } = validateGraph(graph, known)
  assert.deepEqual(faults, [])
  assert.equal(validated, graph)
  assert.deepEqual(references, [
    { path: 'graph.nodes[6].config.assignee', kind: 'user', id: 'usr_1' },
    { path: 'graph.nodes[10].config.project', kind: 'project', id: 'prj_1' },
    { path: 'graph.nodes[10].config.column', kind: 'column', id: 'col_1' },
    { path: 'graph.nodes[13].config.secret', kind: 'secret', id: 'hook_key' },
    { path: 'graph.nodes[16].config.project', kind: 'project', id: 'prj_1' },
    { path: 'graph.nodes[17].config.to', kind: 'task', id: 'tsk_1' },
    { path: 'graph.nodes[18].config.template', kind: 'task_template', id: 'tpl_1' },
    { path: 'graph.nodes[19].config.user', kind: 'user', id: 'usr_1' },
    { path: 'graph.nodes[23].config.secret', kind: 'secret', id: 'hook_key' },
  ])
  assert.deepEqual(
    warnings.map(({ code, param }) => [code, param]),
    [['writes_what_it_watches', 'graph.nodes[9]']],
  )
  assert.deepEqual(required_scopes, ['tasks:read', 'tasks:write', 'comments:write', 'time_entries:write'])
  assert.equal(uses_ai, true)
  assert.equal(steps_max, 38)
})

test('an incoming webhook beside a trigger with a task warns of what not every run has', () => {
  const { faults, warnings, required_scopes, references } = validateGraph(
    {
      schema_version: 3,
      nodes: [
        { id: 'received', type: 'trigger.webhook', config: { secret: 'sender', when: 'request.body.size() > 0' } },
        { id: 'by_hand', type: 'trigger.manual', config: {} },
        { id: 'file', type: 'task.create', config: { set: { title: { $expr: 'string(request.body.title)' } } } },
      ],
      edges: [
        { source: 'received', target: 'file' },
        { source: 'by_hand', target: 'file' },
      ],
    },
    known,
  )
  assert.deepEqual(faults, [])
  assert.deepEqual(
    warnings.map(({ code, param }) => [code, param]),
    [['request_may_be_missing', 'graph.nodes[2].config.set.title']],
  )
  assert.deepEqual(required_scopes, ['tasks:read', 'tasks:write'])
  assert.deepEqual(references, [{ path: 'graph.nodes[0].config.secret', kind: 'secret', id: 'sender' }])
})

test('a form beside a trigger with a task warns of what not every run has', () => {
  const fields = [
    { key: 'title', label: 'Title', kind: 'short_text', required: true },
    { key: 'needed', label: 'Needed by', kind: 'date' },
  ]
  const set = { title: { $expr: 'form.title' }, due_at: { $expr: 'form.needed_at' } }
  const { faults, warnings, required_scopes } = validateGraph(
    {
      schema_version: 5,
      nodes: [
        { id: 'asked', type: 'trigger.form', config: { title: 'Ask us', fields, when: "form.title.contains('x')" } },
        { id: 'by_hand', type: 'trigger.manual', config: {} },
        { id: 'file', type: 'task.create', config: { set } },
      ],
      edges: [
        { source: 'asked', target: 'file' },
        { source: 'by_hand', target: 'file' },
      ],
    },
    known,
  )
  assert.deepEqual(faults, [])
  assert.deepEqual(
    warnings.map(({ code, param }) => [code, param]),
    [
      ['form_may_be_missing', 'graph.nodes[2].config.set.title'],
      ['form_may_be_missing', 'graph.nodes[2].config.set.due_at'],
    ],
  )
  assert.deepEqual(required_scopes, ['tasks:read', 'tasks:write'])
})

test('received mail beside a trigger with a task warns of what not every run has', () => {
  const set = { title: { $expr: 'mail.subject' }, description: { $template: '{{ mail.text }}' } }
  const { faults, warnings } = validateGraph(
    {
      schema_version: 6,
      nodes: [
        { id: 'received', type: 'trigger.mail', config: { when: "mail.from.endsWith('@acme.example')" } },
        { id: 'by_hand', type: 'trigger.manual', config: {} },
        { id: 'file', type: 'task.create', config: { set } },
      ],
      edges: [
        { source: 'received', target: 'file' },
        { source: 'by_hand', target: 'file' },
      ],
    },
    known,
  )
  assert.deepEqual(faults, [])
  assert.deepEqual(
    warnings.map(({ code, param }) => [code, param]),
    [
      ['mail_may_be_missing', 'graph.nodes[2].config.set.title'],
      ['mail_may_be_missing', 'graph.nodes[2].config.set.description'],
    ],
  )
})

test('a called flow knows the types of its inputs, and whether it has a task', () => {
  const inputs = [
    { key: 'word', kind: 'text', required: true },
    { key: 'count', kind: 'integer', required: true },
    { key: 'more', kind: 'list' },
  ]
  const graph = (takes_task: boolean) => ({
    schema_version: 7,
    nodes: [
      { id: 'called', type: 'trigger.call', config: { inputs, takes_task } },
      { id: 'call', type: 'flow.call', config: { flow: 'flow_1', inputs: { word: { $expr: 'call.word' } } } },
      { id: 'few', type: 'condition', config: { expr: "call.count < 3 && call.word != '' && call.more == null" } },
      {
        id: 'end',
        type: 'stop',
        config: { outcome: 'succeeded', output: { got: { $expr: 'steps.call.output.output' } } },
      },
    ],
    edges: [
      { source: 'called', target: 'call' },
      { source: 'call', target: 'few' },
      { source: 'few', target: 'end' },
    ],
  })
  const alone = validateGraph(graph(false), known)
  assert.deepEqual([alone.faults, alone.warnings, alone.required_scopes], [[], [], ['automations:write']])
  const references = alone.references.map(({ path, kind, id }) => [path, kind, id])
  assert.deepEqual(references, [['graph.nodes[1].config.flow', 'automation_flow', 'flow_1']])
  assert.deepEqual(validateGraph(graph(true), known).required_scopes, ['tasks:read', 'automations:write'])
})

test('a step for many tasks sees the item in what it sets for each, and reads what it changes', () => {
  const graph = {
    schema_version: 8,
    nodes: [
      { id: 't', type: 'trigger.schedule', config: { cron: '0 9 * * 1', timezone: 'UTC' } },
      {
        id: 'late',
        type: 'task.update_many',
        config: {
          query: 'status = todo',
          max_tasks: 20,
          on_overflow: 'truncate',
          set: { due_at: { $expr: 'now + index * 60' }, description: { $template: 'Was {{ item.title }}' } },
        },
      },
      {
        id: 'made',
        type: 'task.create_many',
        config: {
          parent: { $expr: 'steps.late.output.tasks[0].id' },
          items: { $expr: 'steps.late.output.tasks' },
          max_items: 20,
          set: { title: { $template: '{{ index }}: {{ item.key }}' }, assignee: 'usr_1' },
        },
      },
      {
        id: 'up',
        type: 'task.update_parent',
        config: { task: { $expr: 'steps.made.output.tasks[0].id' }, set: { priority: 'high' } },
      },
    ],
    edges: [
      { source: 't', target: 'late' },
      { source: 'late', target: 'made' },
      { source: 'made', target: 'up' },
    ],
  }
  const { faults, warnings, required_scopes, references } = validateGraph(graph, known)
  assert.deepEqual([faults, warnings], [[], []])
  assert.deepEqual(required_scopes, ['tasks:read', 'tasks:write'])
  assert.deepEqual(references, [{ path: 'graph.nodes[2].config.set.assignee', kind: 'user', id: 'usr_1' }])
})

test('a graph keeps the names of its own comprehensions, even if a variable has the same name since', () => {
  const graph = (expr: string) => ({
    schema_version: 1,
    nodes: [
      { id: 't', type: 'trigger.manual', config: {} },
      { id: 'c', type: 'condition', config: { expr } },
      { id: 'done', type: 'task.complete', config: {} },
    ],
    edges: [
      { source: 't', target: 'c' },
      { source: 'c', target: 'done' },
    ],
  })
  for (const name of ['request', 'form', 'mail', 'call']) {
    assert.deepEqual(validateGraph(graph(`task.labels.exists(${name}, ${name} == 'x')`), known).faults, [])
  }
})

test('the contract’s example is valid', () => {
  const { faults, warnings, required_scopes, uses_ai } = validateGraph(example, known)
  assert.deepEqual(faults, [])
  assert.deepEqual(warnings, [])
  assert.deepEqual(required_scopes, ['tasks:read', 'tasks:write', 'comments:write'])
  assert.equal(uses_ai, false)
})

for (const { name, spoil, faults } of [
  ...shape,
  ...triggers,
  ...steps,
  ...approvals,
  ...calls,
  ...manyTasks,
  ...fields,
  ...edges,
  ...expressions,
  ...names,
]) {
  test(`refused: ${name}`, () => {
    const graph = goodGraph()
    const spoiled = spoil(graph) ?? graph
    const found = validateGraph(spoiled, known)
    const faultTexts = found.faults.map(({ param, message }) => [param, message.slice(param.length).trimStart()])
    assert.deepEqual(faultTexts, faults)
    assert.equal(found.graph, null)
  })
}

test('refused: more edges than allowed', () => {
  const edges = Array.from({ length: 201 }, () => ({ source: 'done', target: 'done' }))
  const { faults } = validateGraph({ ...goodGraph(), edges }, known)
  assert.deepEqual(faults, [{ param: 'graph.edges', message: 'graph.edges must have at most 200 items.' }])
})

test('all faults are reported at once, in the order of the graph', () => {
  const graph = goodGraph()
  nodeIn(graph, 'urgent').config = { expr: 'task.urgent' }
  nodeIn(graph, 'assign').config = { assignee: 7 }
  nodeIn(graph, 'morning').config.cron = '* * * * *'
  graph.edges.push({ source: 'ghost', target: 'done' }, { source: 'done', target: 'wait' })
  const { faults } = validateGraph(graph, known)
  assert.deepEqual(
    faults.map(({ param }) => param),
    [
      'graph.nodes[1].config.cron',
      'graph.nodes[4].config.expr',
      'graph.nodes[6].config.assignee',
      'graph.edges[25].source',
      'graph.edges[26]',
    ],
  )
})

test('validation accepts any value and reports a bounded number of faults', () => {
  const nodes = Array.from({ length: 100 }, () => ({
    ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, i])),
    type: 'task.complete',
  }))
  const { faults } = validateGraph({ schema_version: 1, nodes, edges: [] }, known)
  assert.equal(faults.length, automation_limits.automation_faults_max)
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.notDeepEqual(validateGraph(value, known).faults, [])
      assert.notDeepEqual(validateGraph({ nodes: [value, value], edges: [value] }, known).faults, [])
    }),
  )
})

test('random graphs are valid, whatever the order of their nodes and edges', () => {
  fc.assert(
    fc.property(
      arbitraryGraph({ outside: true, called: [{ flow: 'flow_1' }, { flow: 'flow_2', apart: true }] }),
      (graph) => assert.deepEqual(validateGraph(graph, known).faults, []),
    ),
  )
})

/** The codes and paths of the warnings of a spoiled graph. */
function warnings(spoil: (graph: GoodGraph) => void): string[] {
  const graph = goodGraph()
  spoil(graph)
  const found = validateGraph(graph, known)
  assert.deepEqual(found.faults, [])
  return found.warnings
    .map(({ code, param }) => `${code} ${param}`)
    .filter((one) => one !== 'writes_what_it_watches graph.nodes[9]')
}

test('warned: new subtasks that change the parent which a trigger watches', () => {
  const found = (config: object, parent?: string | null) => {
    const trigger = { event_types: ['workflow.task.updated'], ...config }
    const make = { ...(parent === undefined ? {} : { parent }), tasks: [{ title: 'A', priority: 'low' }] }
    const nodes = [
      { id: 't', type: 'trigger.event', config: trigger },
      { id: 'make', type: 'task.create_many', config: make },
    ]
    const { faults, warnings } = validateGraph(
      { schema_version: 8, nodes, edges: [{ source: 't', target: 'make' }] },
      known,
    )
    assert.deepEqual(faults, [])
    return warnings.map(({ code, param }) => `${code} ${param}`)
  }
  const expected = ['writes_what_it_watches graph.nodes[1]']
  assert.deepEqual(found({}, '$subject'), expected)
  assert.deepEqual(found({ changed_fields: ['subtask_count'] }, '$subject'), expected)
  assert.deepEqual(found({ changed_fields: ['priority'] }, '$subject'), [])
  assert.deepEqual(found({}, null), [])
  assert.deepEqual(found({}), [])
})

test('warned: the output of a step that may be skipped, may fail or may take another branch', () => {
  const use = (graph: GoodGraph, step: string) => {
    nodeIn(graph, 'from').config.overrides = { title: { $expr: `steps.${step}` } }
  }
  const expected = ['output_may_be_missing graph.nodes[18].config.overrides.title']
  assert.deepEqual(
    warnings((graph) => use(graph, 'update.output.task.title')),
    [],
  )
  assert.deepEqual(
    warnings((graph) => use(graph, 'assign.output.task.title')),
    expected,
  )
  assert.deepEqual(
    warnings((graph) => use(graph, 'hook.output.body')),
    [],
  )
  const asking = "assign.status == 'succeeded' ? steps.assign.output.task.title : ''"
  assert.deepEqual(
    warnings((graph) => use(graph, asking)),
    [],
  )
  const failing = warnings((graph) => {
    nodeIn(graph, 'move').on_error = 'continue'
    use(graph, 'move.output.task.title')
  })
  assert.deepEqual(failing, ['output_may_be_missing graph.nodes[12].config.body', ...expected])
})

test('no warning: the output of a parallel step that always runs', () => {
  const graph = {
    schema_version: 1,
    nodes: [
      { id: 't', type: 'trigger.manual', config: {} },
      { id: 'a', type: 'task.create', config: { set: { title: 'A' } } },
      { id: 'b', type: 'task.complete', config: {} },
      { id: 'c', type: 'task.comment', config: { body: { $expr: 'steps.a.output.task.key' } } },
    ],
    edges: [
      { source: 't', target: 'a' },
      { source: 't', target: 'b' },
      { source: 'a', target: 'c' },
      { source: 'b', target: 'c' },
    ],
  }
  assert.deepEqual(validateGraph(graph, known).warnings, [])
})

test('warned: steps that need a task or an event that runs may lack', () => {
  const expected = warnings((graph) => {
    nodeIn(graph, 'changed').config.event_types = ['workflow.task.updated', 'workflow.project.updated']
    delete nodeIn(graph, 'changed').config.when
    nodeIn(graph, 'wait').config.seconds = { $expr: 'event.sequence' }
  })
  assert.ok(expected.includes('event_may_be_missing graph.nodes[7].config.seconds'))
  assert.ok(expected.includes('task_may_be_missing graph.nodes[4].config.expr'))
  assert.ok(expected.includes('task_may_be_missing graph.nodes[21].config'))
})

test('warned: an error branch without a target', () => {
  const expected = warnings((graph) => {
    nodeIn(graph, 'done').on_error = 'branch'
  })
  assert.deepEqual(expected, ['failure_goes_nowhere graph.nodes[21].on_error'])
})
