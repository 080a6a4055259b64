/** A graph as a sentence and back: nothing is lost, whatever the graph; chips, schedules and texts mean what they say. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { namesWith } from '../../server/src/automations/expressions/types.ts'
import { compileExpression } from '../../server/src/automations/expressions.ts'
import { validateGraph } from '../../server/src/automations/validate.ts'
import { arbitraryGraph } from '../../server/test/automations/arbitrary-graph.ts'
import { known } from '../../server/test/automations/known.ts'
import { filterWords } from '../src/app/filter/words.ts'
import {
  defaultPort,
  type EdgeDraft,
  type GraphDraft,
  type NodeDraft,
  versioned,
} from '../src/pages/automations/editor/graph.ts'
import { effectsText } from '../src/pages/automations/effects-text.ts'
import { initialAnswers } from '../src/pages/automations/gallery/recipe.ts'
import { recipes } from '../src/pages/automations/gallery/recipes.ts'
import {
  type Chip,
  type ChipValue,
  chipsOf,
  exprOf,
  isTest,
  needsValue,
  operatorsOf,
  type Test,
  task_properties,
} from '../src/pages/automations/sentence/conditions.ts'
import { momentText, secondsFromNow } from '../src/pages/automations/sentence/moments.ts'
import { cronOf, scheduleOf, scheduleText } from '../src/pages/automations/sentence/schedule.ts'
import { cardsOf, type Sentence, toGraph, toSentence, withoutCard } from '../src/pages/automations/sentence/sentence.ts'
import { piecesOf, readableText, variablesFor } from '../src/pages/automations/sentence/variables.ts'
import { stepWords } from '../src/pages/automations/sentence/words.ts'

const folder = join(import.meta.dirname, '../../examples/flows')
const examples = globSync('*.json', { cwd: folder }).map((file) => ({
  name: file,
  graph: JSON.parse(readFileSync(join(folder, file), 'utf8')) as GraphDraft,
}))
const installed = recipes.map((recipe) => ({
  name: recipe.id,
  graph: recipe.graph({ ...initialAnswers(recipe), person: 'usr_1', chat: 'team_chat' }),
}))

/** The sentence of a graph, after checking that it says the same graph; null if it is not one, with the reason checked. */
function sentenceOf(graph: GraphDraft): Sentence | null {
  const before = JSON.stringify(graph)
  const reading = toSentence(graph)
  if ('obstacle' in reading) {
    const { node, text } = reading.obstacle
    assert.match(text, /^[“A-Z].*\.$/s)
    assert.ok(node === null || graph.nodes.some(({ id }) => id === node))
    return null
  }
  assert.equal(JSON.stringify(toGraph(reading.sentence, graph)), before)
  // Said without the graph, it is the same sentence, apart from places on the canvas.
  const rebuilt = toSentence(toGraph(reading.sentence, { schema_version: 1, nodes: [], edges: [] }))
  assert.deepEqual('sentence' in rebuilt && unplaced(rebuilt.sentence), unplaced(reading.sentence))
  return reading.sentence
}

function unplaced(sentence: Sentence) {
  const { when, steps, otherwise } = sentence
  return [[when.length, steps.length, otherwise?.of ?? null], cardsOf(sentence).map(({ ui: _, ...node }) => node)]
}

/**
 * Graphs in a row, in half of which a condition has another branch, with their nodes and edges in any order, and parts that no card
 * shows.
 */
function arbitraryRow(): fc.Arbitrary<GraphDraft> {
  const trigger = fc.constantFrom<Omit<NodeDraft, 'id'>>(
    { type: 'trigger.manual', config: {} },
    { type: 'trigger.due', config: { offset_seconds: -3600 }, ui: { x: 3, y: 4 } },
    { type: 'trigger.event', config: { event_types: ['workflow.task.updated'], changed_fields: ['status'] } },
  )
  const step = fc.constantFrom<Omit<NodeDraft, 'id'>>(
    { type: 'condition', config: { expr: "'bug' in task.labels" } },
    { type: 'condition', config: { expr: 'now - task.updated > 3' }, name: 'Old' },
    { type: 'task.comment', config: { body: { $template: 'Is {{ task.key }} done?' } }, on_error: 'continue' },
    { type: 'task.update', config: { set: { priority: 'high' } }, retry: { max_attempts: 2 } },
    { type: 'chat.post', config: { secret: 'team_chat', text: { $template: '{{ task.key }}' } } },
    { type: 'approval.wait', config: { people: [{ $expr: 'task.assignee' }, 'usr_1'], text: 'May we?' } },
    { type: 'mail.send', config: { to: ['usr_1'], subject: 'News', text: { $template: '{{ task.key }}' } } },
    { type: 'delay', config: { seconds: 60 }, ui: { x: 1, y: 2, note: 'patience' } },
  )
  return fc
    .record({
      triggers: fc.array(trigger, { minLength: 1, maxLength: 3 }),
      actions: fc.array(step, { minLength: 1, maxLength: 6 }),
      others: fc.array(step, { minLength: 1, maxLength: 4 }),
      fork: fc.nat(11),
      names: fc.boolean(),
      order: fc.array(fc.nat(99), { minLength: 13, maxLength: 13 }),
      settings: fc.option(fc.constant({ max_runs_per_hour: 5 }), { nil: undefined }),
    })
    .map(({ triggers, actions, others, fork, names, order, settings }): GraphDraft => {
      const when = triggers.map((each, i): NodeDraft => ({ id: `t${i}`, ...each }))
      const steps = actions.map((each, i): NodeDraft => ({ id: `s${i}`, ...each }))
      const edges: EdgeDraft[] = when.map(({ id }) => ({ source: id, target: 's0' }))
      const inRow = (row: readonly NodeDraft[]) => {
        for (const [i, { id, type }] of row.entries()) {
          const target = row[i + 1]?.id
          if (target !== undefined) edges.push({ source: id, ...(names && { port: defaultPort(type) }), target })
        }
      }
      inRow(steps)
      const of = steps[fork]
      const otherwise = others.map((each, i): NodeDraft => ({ id: `o${i}`, ...each }))
      if (of?.type === 'condition') {
        edges.push({ source: of.id, port: 'false', target: 'o0' })
        inRow(otherwise)
      } else otherwise.length = 0
      const mixed = <T>(things: readonly T[]) =>
        things
          .map((thing, i) => ({ thing, key: order[i] ?? 0 }))
          .toSorted((a, b) => a.key - b.key)
          .map((each) => each.thing)
      return versioned({
        schema_version: 1,
        ...(settings && { settings }),
        nodes: mixed([...when, ...steps, ...otherwise]),
        edges: mixed(edges),
      })
    })
}

const base: GraphDraft = {
  schema_version: 1,
  nodes: [
    { id: 'start', type: 'trigger.manual', config: {}, ui: { x: 0, y: 0, note: 'kept' } },
    { id: 'first', type: 'condition', config: { expr: 'true' }, ui: { x: 320, y: 0 } },
    { id: 'last', type: 'task.comment', config: { body: 'y' }, ui: { x: 640, y: 0 }, retry: { max_attempts: 2 } },
  ],
  edges: [
    { source: 'start', port: 'out', target: 'first' },
    { source: 'first', target: 'last' },
  ],
}

describe('a graph as a sentence', () => {
  it('is said back byte for byte, or gives its reason: every example and recipe', () => {
    const said = [...examples, ...installed].filter(({ graph }) => sentenceOf(graph) !== null).map(({ name }) => name)
    const others = [...examples, ...installed].map(({ name }) => name).filter((name) => !said.includes(name))
    assert.deepEqual(others.toSorted(), [
      'approve_hand_over',
      'escalate-overdue.json',
      'hand-over-on-review.json',
      'release_checklist',
      'tell-unblocked.json',
      'tell_unblocked',
      'triage-by-label.json',
      'triage_by_label',
    ])
  })

  it('is said back byte for byte, or gives its reason: 1,000 random valid graphs, and 1,000 in a row, some with an otherwise', () => {
    fc.assert(
      fc.property(
        arbitraryGraph({ outside: true, called: [{ flow: 'flow_1' }, { flow: 'flow_2', apart: true }] }),
        (graph) => void sentenceOf(graph as unknown as GraphDraft),
      ),
      { numRuns: 1000 },
    )
    let branched = 0
    fc.assert(
      fc.property(arbitraryRow(), (graph) => {
        assert.deepEqual(validateGraph(graph, known).faults, [])
        const sentence = sentenceOf(graph) ?? assert.fail('It is not a sentence.')
        const forks = graph.edges.filter(({ port }) => port === 'false')
        assert.deepEqual([sentence.otherwise?.of], [forks[0]?.source])
        branched += forks.length
      }),
      { numRuns: 1000 },
    )
    assert.ok(branched >= 50, `${branched} of 1,000 graphs have an otherwise: arbitraryRow draws too few.`)
  })

  it('names the part that is the reason', () => {
    const reasonOf = (edge: EdgeDraft, on_error?: string) => {
      const step: NodeDraft = { id: 'a', type: 'task.comment', config: {}, ...(on_error && { on_error }) }
      const check: NodeDraft = { id: 'c', type: 'condition', config: { expr: 'true' } }
      const ask: NodeDraft = { id: 'k', type: 'approval.wait', config: {} }
      const nodes: readonly NodeDraft[] = [
        { id: 's', type: 'trigger.manual', config: {} },
        ...[step, check, ...(edge.source === ask.id ? [ask] : [])],
      ]
      const edges = [{ source: 's', target: edge.source }, edge]
      const reading = toSentence({ schema_version: 1, nodes, edges })
      return 'obstacle' in reading ? [reading.obstacle.node, reading.obstacle.text] : null
    }
    assert.deepEqual(reasonOf({ source: 'a', port: 'error', target: 'c' }, 'branch'), [
      'a',
      '“Comment on task” has steps of its own for the case that it fails.',
    ])
    assert.deepEqual(reasonOf({ source: 'k', port: 'rejected', target: 'a' }), [
      'k',
      '“Ask for approval” also says what happens if it is not approved.',
    ])
    assert.equal(reasonOf({ source: 'c', port: 'true', target: 'a' }), null)
    assert.equal(reasonOf({ source: 'c', port: 'false', target: 'a' }), null)
  })

  it('says one otherwise: not a second one, and no step that follows in both cases', () => {
    const nodes: readonly NodeDraft[] = [
      { id: 's', type: 'trigger.manual', config: {} },
      ...['c', 'd'].map((id): NodeDraft => ({ id, type: 'condition', config: { expr: 'true' } })),
      ...['x', 'y', 'z'].map((id): NodeDraft => ({ id, type: 'task.comment', config: { body: id } })),
    ]
    const reasonOf = (...pairs: readonly (readonly [string, string, string?])[]) => {
      const edges = pairs.map(([source, target, port]): EdgeDraft => ({ source, ...(port && { port }), target }))
      const used = new Set(edges.flatMap(({ source, target }) => [source, target]))
      const reading = toSentence({ schema_version: 1, nodes: nodes.filter(({ id }) => used.has(id)), edges })
      return 'obstacle' in reading ? [reading.obstacle.node, reading.obstacle.text] : reading.sentence.otherwise?.of
    }
    assert.equal(reasonOf(['s', 'c'], ['c', 'd'], ['d', 'x'], ['d', 'y', 'false'], ['y', 'z']), 'd')
    assert.deepEqual(reasonOf(['s', 'c'], ['c', 'd'], ['c', 'x', 'false'], ['d', 'y'], ['d', 'z', 'false']), [
      'd',
      '“Condition” also says what happens if it is not true, as another condition does.',
    ])
    assert.deepEqual(reasonOf(['s', 'c'], ['c', 'd'], ['d', 'x'], ['c', 'y', 'false'], ['y', 'x']), [
      'x',
      '“Comment on task” follows in both cases of a condition.',
    ])
    assert.deepEqual(reasonOf(['s', 'c'], ['c', 'x'], ['c', 'y', 'false'], ['c', 'z', 'false']), [
      'c',
      '“Condition” is followed by several steps at once.',
    ])
    assert.deepEqual(reasonOf(['s', 'c'], ['c', 'x'], ['c', 'y', 'false'], ['y', 'z'], ['z', 'y']), [
      'y',
      'The steps lead back to an earlier one.',
    ])
  })

  it('never fails on drafts that are no graph yet', () => {
    const step = { id: 'a', type: 'task.comment', config: {} }
    const start = { id: 's', type: 'trigger.manual', config: {} }
    const drafts: readonly Pick<GraphDraft, 'nodes' | 'edges'>[] = [
      { nodes: [], edges: [] },
      { nodes: [step], edges: [] },
      { nodes: [start, step], edges: [] },
      { nodes: [start, start, step], edges: [{ source: 's', target: 'a' }] },
      { nodes: [start, step], edges: [{ source: 's', target: 'gone' }] },
      { nodes: [start, step], edges: [{ source: 'a', target: 's' }] },
      {
        nodes: [start, step],
        edges: [
          { source: 's', target: 'a' },
          { source: 'a', target: 'a' },
        ],
      },
      {
        nodes: [start, step],
        edges: [
          { source: 's', target: 'a' },
          { source: 's', port: 'out', target: 'a' },
        ],
      },
      { nodes: [start, { id: 'b', type: 'task.unheard_of', config: {} }], edges: [{ source: 's', target: 'b' }] },
    ]
    for (const draft of drafts) assert.equal(sentenceOf({ schema_version: 1, ...draft }), null)
    assert.deepEqual(sentenceOf({ schema_version: 1, nodes: [start], edges: [] }), {
      when: [start],
      steps: [],
      otherwise: null,
    })
  })

  it('keeps the bytes of what an edit does not touch, and takes an edit back to the same bytes', () => {
    const reading = toSentence(base)
    const { when, steps } = 'sentence' in reading ? reading.sentence : assert.fail()
    const otherwise = null
    const added = { id: 'label', type: 'task.label', config: { add: ['x'] } }
    const longer = toGraph({ when, steps: [steps[0] as NodeDraft, added, steps[1] as NodeDraft], otherwise }, base)
    assert.deepEqual(longer.nodes.slice(0, 3), base.nodes)
    // Beside the step before it, below the card that stands there.
    assert.deepEqual(longer.nodes[3], { ...added, ui: { x: 640, y: 116 } })
    assert.deepEqual(longer.edges, [
      { source: 'start', port: 'out', target: 'first' },
      { source: 'first', target: 'label' },
      { source: 'label', target: 'last' },
    ])
    assert.equal(JSON.stringify(toGraph({ when, steps, otherwise }, longer)), JSON.stringify(base))
    const turned = toGraph({ when, steps: steps.toReversed(), otherwise }, base)
    assert.deepEqual(turned.edges, [
      { source: 'start', port: 'out', target: 'last' },
      { source: 'last', target: 'first' },
    ])
    assert.deepEqual(turned.nodes, base.nodes)
  })

  it('keeps every byte of the way that is true when the other way is edited, and leaves by the port false', () => {
    const reading = toSentence(base)
    const { when, steps } = 'sentence' in reading ? reading.sentence : assert.fail()
    const check: NodeDraft = { id: 'if', type: 'condition', config: { expr: 'true' } }
    const plain = toGraph({ when, steps: [check, ...steps], otherwise: null }, base)
    const again = toSentence(plain)
    const row = 'sentence' in again ? again.sentence.steps : assert.fail()
    const calm: NodeDraft = { id: 'calm', type: 'task.label', config: { add: ['x'] } }
    const wait: NodeDraft = { id: 'wait', type: 'delay', config: { seconds: 60 } }
    const both = toGraph({ when, steps: row, otherwise: { of: 'if', steps: [wait, calm] } }, plain)
    assert.deepEqual(both.edges, [
      ...plain.edges,
      { source: 'if', port: 'false', target: 'wait' },
      { source: 'wait', target: 'calm' },
    ])
    assert.equal(JSON.stringify(both.nodes.slice(0, 4)), JSON.stringify(plain.nodes))
    const read = toSentence(both)
    const sentence = 'sentence' in read ? read.sentence : assert.fail()
    assert.deepEqual(
      variablesFor(sentence, 'calm').map(({ label }) => label),
      variablesFor(sentence, 'first').map(({ label }) => label),
    )
    assert.equal(
      JSON.stringify(toGraph(withoutCard(withoutCard(sentence, 'wait'), 'calm'), both)),
      JSON.stringify(plain),
    )
    // What happens otherwise goes with its condition.
    assert.equal(JSON.stringify(toGraph(withoutCard(sentence, 'if'), both)), JSON.stringify(base))
  })

  it('leads a new condition on by its true port', () => {
    const reading = toSentence(base)
    const { when, steps } = 'sentence' in reading ? reading.sentence : assert.fail()
    const check: NodeDraft = { id: 'if', type: 'condition', config: { expr: 'true' } }
    const graph = toGraph({ when, steps: [check, ...steps], otherwise: null }, base)
    assert.deepEqual(graph.edges, [
      { source: 'start', port: 'out', target: 'if' },
      { source: 'first', target: 'last' },
      { source: 'if', port: 'true', target: 'first' },
    ])
  })
})

const fields: Readonly<Record<string, readonly [type: string, values: readonly ChipValue[]]>> = {
  status: ['', ['todo', 'done', 'in_review']],
  priority: ['', ['none', 'high']],
  labels: ['', ['bug', "it's", 'a \\ b', '(x)', 'a && b', '"q"']],
  assignee: ['', ['usr_1', 'usr_2']],
  teams: ['', ['team_1', 'team_2']],
  'creator.id': ['', ['usr_1', 'usr_2']],
  project: ['', ['prj_1', 'prj_2']],
  title: ['', ['Doors', ', ', "]'["]],
  due_at: ['', []],
  'custom_fields.size': ['number', [1, 2.5, -3]],
  'custom_fields.kind': ['select', ['a', 'b']],
  'custom_fields.tags': ['multi_select', ['a', 'b']],
  'custom_fields.ready': ['checkbox', [true, false]],
}

const arbitraryTest: fc.Arbitrary<Test> = fc.constantFrom(...Object.keys(fields)).chain((property) => {
  const [type, values] = fields[property] ?? ['', []]
  const operators = operatorsOf(property, type)
  const isOfTask = property.startsWith('custom') || property === 'teams'
  const roots: readonly Test['root'][] = isOfTask ? ['task'] : ['task', 'event.data.object']
  return fc.constantFrom(...operators).chain((operator) =>
    fc.record<Test>(
      {
        root: fc.constantFrom(...roots),
        property: fc.constant(property),
        operator: fc.constant(operator),
        values: !needsValue(operator)
          ? fc.constant([])
          : fc.uniqueArray(fc.constantFrom(...values), {
              minLength: 1,
              maxLength: operator === 'is' || operator === 'is_not' ? 2 : 1,
            }),
      },
      { noNullPrototype: true },
    ),
  )
})

const arbitraryTask = fc.record({
  status: fc.constantFrom('todo', 'done', 'in_review'),
  priority: fc.constantFrom('none', 'high'),
  labels: fc.subarray(['bug', "it's", 'a \\ b', '(x)', 'a && b', '"q"']),
  assignee: fc.constantFrom(null, 'usr_1', 'usr_2'),
  teams: fc.subarray(['team_1', 'team_2']),
  creator: fc.record({ type: fc.constant('user'), id: fc.constantFrom('usr_1', 'usr_2') }),
  project: fc.constantFrom(null, 'prj_1', 'prj_2'),
  title: fc.constantFrom('Doors stay open, ', 'x', "a ]'[ b"),
  due_at: fc.constantFrom(null, 1000, 3000),
  custom_fields: fc.record(
    {
      size: fc.constantFrom(1, 2.5, -3, 7),
      kind: fc.constantFrom('a', 'b', 'c'),
      tags: fc.subarray(['a', 'b', 'c']),
      ready: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
})

const now = 2000

/** What a chip says of a task, in other words than the expression. */
function holds({ property, operator, values }: Test, task: Readonly<Record<string, unknown>>): boolean {
  const at = property.split('.').reduce<unknown>((from, key) => (from as Record<string, unknown>)?.[key], task) ?? null
  const [first] = values
  const contains = Array.isArray(at) ? at.includes(first) : typeof at === 'string' && at.includes(String(first))
  const answers: Readonly<Record<Test['operator'], boolean>> = {
    is: values.includes(at as ChipValue),
    is_not: !values.includes(at as ChipValue),
    has: contains,
    has_not: !contains,
    set: at !== null,
    not_set: at === null,
    more: at !== null && Number(at) > Number(first),
    less: at !== null && Number(at) < Number(first),
    past: at !== null && Number(at) < now,
  }
  return answers[operator]
}

describe('conditions as chips', () => {
  it('are read back from the expressions that they write', () => {
    fc.assert(
      fc.property(fc.array(arbitraryTest, { minLength: 0, maxLength: 4 }), (chips) => {
        assert.deepEqual(chipsOf(exprOf(chips)), chips)
      }),
      { numRuns: 1000 },
    )
  })

  it('decide as the engine does, for any task', () => {
    const names = namesWith({})
    fc.assert(
      fc.property(fc.array(arbitraryTest, { minLength: 1, maxLength: 3 }), arbitraryTask, (chips, task) => {
        const compiled = compileExpression(exprOf(chips), names)
        assert.ok(compiled.ok, exprOf(chips))
        const value = compiled.expression.evaluate({ task, event: { data: { object: task } }, now } as never)
        assert.equal(
          value,
          chips.every((chip) => holds(chip, task)),
          exprOf(chips),
        )
      }),
      { numRuns: 1000 },
    )
  })

  it('leave a part that they cannot say as a formula, beside those that they can', () => {
    const formulas = (expr: string) => chipsOf(expr).map((chip) => (isTest(chip) ? chip.property : chip.formula))
    assert.deepEqual(formulas("'bug' in task.labels && size(task.title) > 3"), ['labels', 'size(task.title) > 3'])
    // An event says nothing of teams.
    const ofEvent = "'team_1' in event.data.object.teams"
    assert.deepEqual(formulas(`'team_1' in task.teams && ${ofEvent}`), ['teams', ofEvent])
    assert.deepEqual(formulas("task.status == 'a' || task.status == 'b'"), ["task.status == 'a' || task.status == 'b'"])
    // An "or" binds less than an "and": the whole is one formula.
    assert.deepEqual(formulas("task.status == 'a' && now > 1 || now > 2"), ["task.status == 'a' && now > 1 || now > 2"])
    assert.deepEqual(formulas("!(task.status == 'a' || now > 2)"), ["!(task.status == 'a' || now > 2)"])
    assert.deepEqual(formulas('!(task.project == null) && !(now > 2)'), ['!(task.project == null)', '!(now > 2)'])
    assert.deepEqual(formulas("task.status == 'a\\n'"), ["task.status == 'a\\n'"])
    assert.deepEqual(formulas('true'), [])
    const loose: Chip = { formula: 'a || b' }
    const status: Chip = { root: 'task', property: 'status', operator: 'is', values: ['done'] }
    assert.equal(exprOf([loose, status]), "(a || b) && task.status == 'done'")
    assert.equal(exprOf([]), 'true')
  })

  it('offer at least one operator for each property', () => {
    for (const property of task_properties) assert.ok(operatorsOf(property).length > 0)
  })
})

describe('steps for several tasks in words', () => {
  const vocabulary = {
    ...{ me: null, people: [], teams: [], columns: [], fields: [], labels: [], tasks: [], now: 1764324000 },
    projects: [{ id: 'prj_1', name: 'Booking app' }],
  }
  const names = {
    nameOf: (id: string) => (id === 'tsk_1' ? 'Rebuild the pier' : id),
    fieldName: String,
    optionName: String,
    filterWords: (filter: string) => filterWords(filter, vocabulary),
  }
  const said = (type: string, config: object) =>
    stepWords({ id: 'step', type, config: config as NodeDraft['config'] }, names)
  const set = { priority: 'high', title: 'Later' }

  it('say what is changed, and in which tasks', () => {
    const changed = (config: object) => said('task.update_many', { max_tasks: 5, set, ...config })
    const changes = 'set the priority to High and the title to Later for'
    assert.deepEqual(
      [
        changed({ query: 'status = todo' }),
        changed({ parent: '$subject' }),
        changed({ parent: '$subject', query: 'status = todo' }),
        changed({ parent: 'tsk_1' }),
        changed({ parent: 'tsk_1', query: 'status = todo' }),
        changed({ query: '' }),
        changed({
          query: 'project = prj_1 AND NOT priority IN (low, none) AND due_at < now AND (labels:a OR labels:b)',
        }),
      ],
      [
        `${changes} all tasks where status is To do`,
        `${changes} all its subtasks`,
        `${changes} all its subtasks where status is To do`,
        `${changes} all subtasks of Rebuild the pier`,
        `${changes} all subtasks of Rebuild the pier where status is To do`,
        `${changes} all tasks where …`,
        `${changes} all tasks where project is Booking app, priority is not any of Low, No priority, due date is before Now, and (labels:a OR labels:b)`,
      ],
    )
    assert.equal(said('task.update_parent', { set }), `${changes} its parent`)
    assert.equal(said('task.update_parent', { set, task: 'tsk_1' }), `${changes} the parent of Rebuild the pier`)
    assert.equal(said('task.update', { set }), 'set its priority to High and its title to Later')
  })

  it('say what is created, and under which task', () => {
    const created = (config: object) => said('task.create_many', config)
    const tasks = [{ title: 'Notes' }, { title: { $template: 'Tag {{ task.title }}' } }]
    const ofLabels = (title: unknown) => ({ items: { $expr: 'task.labels' }, max_items: 5, set: { title } })
    assert.deepEqual(
      [
        created({ tasks }),
        created({ tasks: tasks.slice(0, 1) }),
        created({ tasks, parent: '$subject' }),
        created({ tasks: tasks.slice(0, 1), parent: 'tsk_1' }),
        created(ofLabels({ $expr: 'item' })),
        created({ ...ofLabels({ $template: 'Check {{ item }}' }), parent: '$subject' }),
        created({ ...ofLabels('Check'), items: { $expr: 'task.custom_fields.parts' } }),
        created({}),
      ],
      [
        'create the tasks “Notes” and “Tag (Title)”',
        'create the task “Notes”',
        'create the subtasks “Notes” and “Tag (Title)”',
        'create the subtask “Notes” under Rebuild the pier',
        'create a task named after each of the labels of the task',
        'create a subtask “Check (item)” for each of the labels of the task',
        'create a task “Check” for each of task.custom_fields.parts',
        'create the task …',
      ],
    )
  })
})

describe('the effects of recent runs in words', () => {
  const effects = {
    ...{ object: 'automation_effects' as const, automation_flow: 'flow_1', graph_hash: '', oldest_event_at: null },
    ...{
      runs: 12,
      succeeded: 12,
      failed: 0,
      tasks_changed: 9,
      tasks_created: 0,
      comments_created: 1,
      is_complete: true,
    },
    calls: [
      { node: 'a', automation_flow: null, address: 'https://chat.example.com', count: 12 },
      { node: 'a', automation_flow: 'flow_2', address: 'https://chat.example.com', count: 2 },
      { node: 'c', automation_flow: null, address: null, count: 2 },
    ],
  }

  it('are one sentence', () => {
    assert.equal(
      effectsText(effects),
      'In the last 7 days it would have run 12 times, changed 9 tasks, written 1 comment, and called 2 addresses. ' +
        'Tasks are taken as they are now.',
    )
    assert.equal(
      effectsText({
        ...effects,
        runs: 1,
        failed: 1,
        tasks_changed: 0,
        comments_created: 0,
        calls: [],
        is_complete: false,
      }),
      'In its latest runs it would have run once. One run would have failed. Tasks are taken as they are now.',
    )
    assert.equal(effectsText({ ...effects, runs: 0 }), 'Nothing in the last 7 days would have started it.')
  })
})

describe('schedules, times and texts in words', () => {
  it('say schedules as people do, and the others as they are', () => {
    const words: readonly (readonly [string, string])[] = [
      ['0 9 * * 1', 'every Monday 09:00, Berlin'],
      ['30 6 * * *', 'every day 06:30, Berlin'],
      ['0 9 * * 1-5', 'on weekdays 09:00, Berlin'],
      ['5 17 * * 1,4', 'every Monday and Thursday 17:05, Berlin'],
      ['0 8 1 * *', 'on the 1st of every month 08:00, Berlin'],
      ['0 8 22 * *', 'on the 22nd of every month 08:00, Berlin'],
      ['15 * * * *', 'every hour at minute 15, Berlin'],
      ['0 9 * 3 1', 'on the schedule 0 9 * 3 1, Berlin'],
      ['*/10 9 * * *', 'on the schedule */10 9 * * *, Berlin'],
    ]
    for (const [cron, text] of words) assert.equal(scheduleText(cron, 'Europe/Berlin'), text)
    for (const [cron] of words.slice(0, 7)) {
      assert.equal(cronOf(scheduleOf(cron) ?? assert.fail(cron)), cron)
    }
    assert.deepEqual(scheduleOf('0 9 * * 7')?.weekdays, [0])
    assert.equal(scheduleOf('0 25 * * *'), null)
  })

  it('say times from now', () => {
    assert.equal(momentText('now + 2 * 86400'), 'in 2 days')
    assert.equal(momentText('now + 86400'), 'in 1 day')
    assert.equal(secondsFromNow('now + x'), null)
  })

  it('keep every byte of a text, and name its variables', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom('{{ task.title }}', "{{ '}}' }}", '{{', '}}', "'", '\n'), fc.string())),
        (parts) => {
          const text = parts.join('')
          assert.equal(
            piecesOf(text)
              .map((piece) => (typeof piece === 'string' ? piece : piece.source))
              .join(''),
            text,
          )
        },
      ),
      { numRuns: 1000 },
    )
    assert.equal(
      readableText('[@reporter](atrium:{{ task.creator.id }}): {{task.key}} has {{ size(task.labels) }} labels'),
      '(reporter): (Key) has (size(task.labels)) labels',
    )
    assert.equal(readableText("{{ '}}' }}"), "('}}')")
  })

  it('offer the variables that every start has', () => {
    const at = (config: object, type = 'trigger.event') =>
      variablesFor(
        { when: [{ id: 's', type, config: config as NodeDraft['config'] }], steps: [], otherwise: null },
        's',
      ).map(({ group }) => group)
    assert.ok(at({ event_types: ['workflow.task.created'] }).includes('Task'))
    assert.deepEqual(at({ event_types: ['workflow.project.updated'] }), ['Start'])
    assert.deepEqual(at({ cron: '0 9 * * 1' }, 'trigger.schedule'), [])
    assert.ok(at({ task_query: 'status = todo' }, 'trigger.schedule').includes('People to notify'))
  })
})
