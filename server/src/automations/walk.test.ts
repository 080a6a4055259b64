import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { arbitraryGraph } from '../../test/automations/arbitrary-graph.ts'
import { known } from '../../test/automations/known.ts'
import { automation_limits } from './limits.ts'
import { programOf } from './program.ts'
import type { Graph, Node } from './schema.ts'
import { callPorts } from './sketch.ts'
import { validateGraph } from './validate.ts'
import { type NextStep, nextStep, Walk, type WalkEntry } from './walk.ts'

function graph(nodes: readonly Node[], edges: readonly string[]): Graph {
  const written = edges.map((edge) => {
    const [, source, port, target] = /^(\w+)(?:\.(\w+))? > (\w+)$/.exec(edge) as unknown as [
      string,
      string,
      string,
      string,
    ]
    return { source, target, ...(port === undefined ? {} : { port }) }
  })
  return { schema_version: 1, nodes, edges: written }
}

const start: Node = { id: 'start', type: 'trigger.manual', config: {} }

function label(id: string, more: { parent?: string; on_error?: 'fail' | 'continue' | 'branch' } = {}): Node {
  return { id, type: 'task.label', config: { add: [id] }, ...more }
}

function loop(id: string, more: { parent?: string; on_item_error?: 'stop' | 'continue' } = {}): Node {
  const { on_item_error = 'stop', ...rest } = more
  return { id, type: 'for_each', config: { items: { $expr: '[1, 2]' }, max_items: 2, on_item_error }, ...rest }
}

type Answer = Pick<WalkEntry, 'status' | 'port' | 'items'>

/** The walk in words: steps end as `answers` says, the others succeed. */
function walked(graph: Graph, answers: Readonly<Record<string, Partial<Answer>>> = {}, trigger = 'start'): string[] {
  const { faults } = validateGraph(graph, known)
  assert.deepEqual(faults, [])
  const walk = new Walk(programOf(graph), trigger)
  const actions: string[] = []
  for (;;) {
    const next = walk.next()
    actions.push(inWords(next))
    if (next.action === 'finish') return actions
    const place = `${next.node}${next.path.length > 0 ? `[${next.path}]` : ''}`
    const status = next.action === 'skip' ? 'skipped' : 'succeeded'
    const answer = next.action === 'skip' ? {} : (answers[place] ?? answers[next.node])
    walk.record({ node: next.node, path: next.path, status, items: 2, ...answer })
  }
}

function inWords(next: NextStep): string {
  if (next.action === 'finish') return `${next.outcome}${next.node === null ? '' : ` by ${next.node}`}`
  return `${next.action} ${next.node}${next.path.length > 0 ? `[${next.path}]` : ''}`
}

test('nodes run in topological order; of several candidates the first in the array', () => {
  const nodes = [start, label('z'), label('c'), label('b'), label('a')]
  const edges = ['start > a', 'start > b', 'start > c', 'a > z', 'c > z']
  assert.deepEqual(walked(graph(nodes, edges)), ['run c', 'run b', 'run a', 'run z', 'succeeded'])
})

test('an edge of a condition has the port true by default; nodes that no taken edge leads to are skipped, and so are their successors', () => {
  const decide: Node = { id: 'decide', type: 'condition', config: { expr: 'now > 0' } }
  const nodes = [start, decide, label('yes'), label('no'), label('further'), label('join')]
  const edges = ['start > decide', 'decide > yes', 'decide.false > no', 'no > further', 'further > join', 'yes > join']
  const program = graph(nodes, edges)
  assert.deepEqual(walked(program, { decide: { port: 'true' } }), [
    'run decide',
    'run yes',
    'skip no',
    'skip further',
    'run join',
    'succeeded',
  ])
  assert.deepEqual(walked(program, { decide: { port: 'false' } }), [
    'run decide',
    'skip yes',
    'run no',
    'run further',
    'run join',
    'succeeded',
  ])
})

test('a switch takes the port of its case or default, and the port may have no edge', () => {
  const cases = [
    { port: 'one', expr: 'now == 1' },
    { port: 'two', expr: 'now == 2' },
  ]
  const decide: Node = { id: 'decide', type: 'switch', config: { cases } }
  const program = graph(
    [start, decide, label('a'), label('b')],
    ['start > decide', 'decide.one > a', 'decide.default > b'],
  )
  assert.deepEqual(walked(program, { decide: { port: 'one' } }), ['run decide', 'run a', 'skip b', 'succeeded'])
  assert.deepEqual(walked(program, { decide: { port: 'two' } }), ['run decide', 'skip a', 'skip b', 'succeeded'])
  assert.deepEqual(walked(program, { decide: { port: 'default' } }), ['run decide', 'skip a', 'run b', 'succeeded'])
})

test('only edges of the trigger that started the run are taken', () => {
  const other: Node = { id: 'other', type: 'trigger.manual', config: {} }
  const program = graph(
    [start, other, label('a'), label('b'), label('c')],
    ['start > a', 'other > b', 'start > c', 'other > c'],
  )
  assert.deepEqual(walked(program), ['run a', 'skip b', 'run c', 'succeeded'])
  assert.deepEqual(walked(program, {}, 'other'), ['skip a', 'run b', 'run c', 'succeeded'])
})

test('a failure ends the run, continues or branches, as on_error says', () => {
  const edges = ['start > a', 'a > b']
  const failing = { a: { status: 'failed' as const } }
  assert.deepEqual(walked(graph([start, label('a'), label('b')], edges), failing), ['run a', 'failed by a'])
  const goesOn = graph([start, label('a', { on_error: 'continue' }), label('b')], edges)
  assert.deepEqual(walked(goesOn, failing), ['run a', 'run b', 'succeeded'])
  const nodes = [start, label('a', { on_error: 'branch' }), label('b'), label('c')]
  const branches = graph(nodes, [...edges, 'a.error > c'])
  assert.deepEqual(walked(branches, failing), ['run a', 'skip b', 'run c', 'succeeded'])
  assert.deepEqual(walked(branches), ['run a', 'run b', 'skip c', 'succeeded'])
})

test('a stop ends the run with its outcome, whatever would follow', () => {
  const stop: Node = { id: 'stop', type: 'stop', parent: 'loop', config: { outcome: 'failed' } }
  const program = graph([start, loop('loop'), stop, label('after')], ['start > loop', 'loop > after'])
  assert.deepEqual(walked(program), ['run loop', 'run stop[0]', 'failed by stop'])
})

test('the body of a for_each runs once per item before any other node of its scope', () => {
  const nodes = [
    start,
    label('before'),
    loop('loop'),
    label('b', { parent: 'loop' }),
    label('a', { parent: 'loop' }),
    label('after'),
  ]
  const edges = ['start > before', 'start > loop', 'a > b', 'loop > after']
  assert.deepEqual(walked(graph(nodes, edges)), [
    'run before',
    'run loop',
    'run a[0]',
    'run b[0]',
    'run a[1]',
    'run b[1]',
    'run after',
    'succeeded',
  ])
})

test('bodies can be nested, and an empty or skipped one leaves no trace', () => {
  const nodes = [start, loop('out'), loop('in', { parent: 'out' }), label('a', { parent: 'in' })]
  const program = graph(nodes, ['start > out'])
  assert.deepEqual(walked(program, { 'in[1]': { items: 0 } }), [
    'run out',
    'run in[0]',
    'run a[0,0]',
    'run a[0,1]',
    'run in[1]',
    'succeeded',
  ])
  const decide: Node = { id: 'decide', type: 'condition', config: { expr: 'true' } }
  const skipping = graph(
    [start, decide, loop('out'), label('a', { parent: 'out' })],
    ['start > decide', 'decide.false > out'],
  )
  assert.deepEqual(walked(skipping, { decide: { port: 'true' } }), ['run decide', 'skip out', 'succeeded'])
})

test('the edges taken for one item do not count for the next', () => {
  const decide: Node = { id: 'decide', type: 'condition', parent: 'loop', config: { expr: 'index == 0' } }
  const program = graph([start, loop('loop'), decide, label('a', { parent: 'loop' })], ['start > loop', 'decide > a'])
  assert.deepEqual(walked(program, { 'decide[0]': { port: 'true' }, 'decide[1]': { port: 'false' } }), [
    'run loop',
    'run decide[0]',
    'run a[0]',
    'run decide[1]',
    'skip a[1]',
    'succeeded',
  ])
})

test('a failure in a body ends the item of the nearest for_each that continues, or else the run', () => {
  const nodes = (outer: 'stop' | 'continue', inner: 'stop' | 'continue') => [
    start,
    loop('out', { on_item_error: outer }),
    loop('in', { parent: 'out', on_item_error: inner }),
    label('a', { parent: 'in' }),
    label('b', { parent: 'in' }),
    label('c', { parent: 'out' }),
  ]
  const edges = ['start > out', 'a > b', 'in > c']
  const failing = { 'a[0,0]': { status: 'failed' as const } }
  assert.deepEqual(walked(graph(nodes('stop', 'stop'), edges), failing), [
    'run out',
    'run in[0]',
    'run a[0,0]',
    'failed by a',
  ])
  const inner = walked(graph(nodes('stop', 'continue'), edges), failing)
  assert.deepEqual(inner.slice(2, 6), ['run a[0,0]', 'run a[0,1]', 'run b[0,1]', 'run c[0]'])
  const outer = walked(graph(nodes('continue', 'stop'), edges), failing)
  assert.deepEqual(outer.slice(2, 5), ['run a[0,0]', 'run in[1]', 'run a[1,0]'])
})

test('a journal that does not fit the program is refused', () => {
  const program = programOf(graph([start, label('a'), label('b')], ['start > a', 'a > b']))
  const entry = { node: 'a', path: [], status: 'succeeded' as const }
  const after = (...entries: WalkEntry[]) => nextStep(program, { trigger: 'start', entries })
  assert.deepEqual(after(entry), { action: 'run', node: 'b', path: [] })
  assert.throws(() => after({ ...entry, node: 'b' }), RangeError)
  assert.throws(() => after({ ...entry, path: [0] }), RangeError)
  assert.throws(() => after({ ...entry, status: 'skipped' }), RangeError)
  assert.throws(() => after(entry, { ...entry, node: 'b' }, entry), RangeError)
  assert.throws(() => nextStep(program, { trigger: 'a', entries: [] }), RangeError)
})

const answers = fc.infiniteStream(fc.record({ fails: fc.nat(9), pick: fc.nat(3) }))

test('every valid graph is walked to its end within its longest walk, and nextStep agrees at each step', () => {
  fc.assert(
    fc.property(
      arbitraryGraph({ outside: true, called: [{ flow: 'flow_1' }, { flow: 'flow_2', apart: true }] }),
      answers,
      (graph, stream) => {
        const { faults, steps_max } = validateGraph(graph, known)
        assert.deepEqual(faults, [])
        assert.ok(steps_max <= automation_limits.automation_steps_max)
        const program = programOf(graph)
        const trigger = graph.nodes.find(({ type }) => type.startsWith('trigger.')) as Node
        const walk = new Walk(program, trigger.id)
        const entries: WalkEntry[] = []
        for (let next = walk.next(); next.action !== 'finish'; next = walk.next()) {
          assert.deepEqual(nextStep(program, { trigger: trigger.id, entries }), next)
          const { fails, pick } = stream.next().value as { fails: number; pick: number }
          const entry = answerTo(next, program.steps.get(next.node)?.node as Node, fails === 0, pick)
          entries.push(entry)
          walk.record(entry)
          assert.ok(entries.length <= steps_max)
        }
      },
    ),
    { numRuns: 300 },
  )
})

function portsOf(node: Node): readonly string[] {
  if (node.type === 'flow.call') return callPorts(node.config)
  return node.type === 'switch' ? [...node.config.cases.map(({ port }) => port), 'default'] : ['true', 'false']
}

function answerTo(next: Exclude<NextStep, { action: 'finish' }>, node: Node, fails: boolean, pick: number): WalkEntry {
  const place = { node: next.node, path: next.path }
  if (next.action === 'skip') return { ...place, status: 'skipped' }
  if (fails) return { ...place, status: 'failed' }
  const cases = portsOf(node)
  const items = node.type === 'for_each' ? Math.min(pick, node.config.max_items) : null
  return { ...place, status: 'succeeded', port: cases[pick % cases.length] ?? null, items }
}
