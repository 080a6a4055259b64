/** Edits of a graph: what a change does, and that what it does not touch keeps its bytes. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { arbitraryGraph } from '../../server/test/automations/arbitrary-graph.ts'
import { arranged, placesOf } from '../src/pages/automations/editor/arrange.ts'
import { placeOf } from '../src/pages/automations/editor/fault-place.ts'
import {
  addNode,
  changeNode,
  connect,
  freshId,
  type GraphDraft,
  graphOf,
  moveNodes,
  type NodeDraft,
  partOf,
  paste,
  removeNodes,
  withSetting,
} from '../src/pages/automations/editor/graph.ts'
import { reduceHistory } from '../src/pages/automations/editor/history.ts'
import { kinds, portsOf } from '../src/pages/automations/editor/kinds.ts'
import { withNewStep } from '../src/pages/automations/editor/new-step.ts'
import { card_height, card_width } from '../src/pages/automations/editor/places.ts'
import { summaryOf } from '../src/pages/automations/editor/summary.ts'

const folder = join(import.meta.dirname, '../../examples/flows')
const examples = globSync('*.json', { cwd: folder }).map((file) => ({
  file,
  graph: JSON.parse(readFileSync(join(folder, file), 'utf8')) as GraphDraft,
}))

const small: GraphDraft = {
  schema_version: 1,
  nodes: [
    { id: 'start', type: 'trigger.manual', config: {} },
    { id: 'loop', type: 'for_each', config: { items: { $expr: 'task.labels' }, max_items: 3 } },
    { id: 'inner', type: 'task.comment', parent: 'loop', config: { body: 'x' } },
    { id: 'end', type: 'task.comment', config: { body: 'y' } },
  ],
  edges: [
    { source: 'start', target: 'loop' },
    { source: 'loop', target: 'end' },
  ],
}

describe('the graph of a flow', () => {
  it('says on a card which tasks a step takes, in words', () => {
    const words = { nameOf: (id: string) => id, filterWords: () => 'status is To do' }
    const step = { id: 'all', type: 'task.update_many', config: { query: 'status = todo', max_tasks: 50 } }
    assert.match(summaryOf(step, words), /status is To do · 50$/)
    const schedule = { id: 'at', type: 'trigger.schedule', config: { cron: '0 9 * * *', task_query: 'status = todo' } }
    assert.match(summaryOf(schedule, words), /, for each task where status is To do$/)
  })

  it('keeps its bytes when a step is added and removed, and when a step is changed and changed back', () => {
    for (const { file, graph } of examples) {
      const before = JSON.stringify(graph)
      const id = freshId(graph, 'task.comment')
      const added = addNode(
        graph,
        { id, type: 'task.comment', config: {} },
        { node: graph.nodes[0]?.id ?? '', port: 'out' },
      )
      assert.equal(JSON.stringify(removeNodes(added, new Set([id]))), before, file)
      const first = graph.nodes[0] ?? assert.fail(file)
      const renamed = changeNode(graph, first.id, (node) => ({ ...node, name: 'Start' }))
      const restored = changeNode(renamed, first.id, ({ name: _, ...node }) => node)
      assert.equal(JSON.stringify(restored), before, file)
    }
  })

  it('loses the body and the edges of a removed loop, and nothing else', () => {
    assert.deepEqual(removeNodes(small, new Set(['loop'])), {
      schema_version: 1,
      nodes: [small.nodes[0], small.nodes[3]],
      edges: [],
    })
  })

  it('has each edge once, and leaves the default port out', () => {
    assert.equal(connect(small, 'start', 'out', 'loop'), small)
    assert.equal(connect(small, 'loop', 'out', 'loop'), small)
    assert.deepEqual(connect(small, 'start', 'out', 'end').edges.at(-1), { source: 'start', target: 'end' })
    assert.deepEqual(connect(small, 'end', 'error', 'loop').edges.at(-1), {
      source: 'end',
      port: 'error',
      target: 'loop',
    })
  })

  it('takes a new step behind the selected one, between it and what follows, and moves what stands there', () => {
    const wait = { id: 'wait', type: 'timer.wait', config: {} }
    const edgesWith = (step: NodeDraft, ...selected: string[]) => withNewStep(small, step, selected).edges
    const beginning = { source: 'start', target: 'loop' }
    assert.deepEqual(edgesWith(wait, 'loop'), [
      beginning,
      { source: 'loop', target: 'wait' },
      { source: 'wait', target: 'end' },
    ])
    assert.deepEqual(edgesWith(wait, 'end'), [...small.edges, { source: 'end', target: 'wait' }])
    assert.deepEqual(edgesWith({ id: 'test', type: 'condition', config: {} }, 'loop').at(-1), {
      source: 'test',
      port: 'true',
      target: 'end',
    })
    // What follows so far cannot follow a stop.
    const stop = { id: 'stop', type: 'stop', config: {} }
    assert.deepEqual(edgesWith(stop, 'loop'), [...small.edges, { source: 'loop', target: 'stop' }])
    const inBody = withNewStep(small, wait, ['inner'])
    assert.deepEqual([inBody.nodes.at(-1)?.parent, inBody.edges.at(-1)?.source], ['loop', 'inner'])
  })

  it('takes a new step with none selected behind its only open end, and unconnected if there are several or for a trigger', () => {
    const edgesWith = (graph: GraphDraft, type: string) => withNewStep(graph, { id: 'new', type, config: {} }, []).edges
    assert.deepEqual(edgesWith(small, 'timer.wait').at(-1), { source: 'end', target: 'new' })
    assert.deepEqual(edgesWith(small, 'trigger.form'), small.edges)
    const forked = addNode(small, { id: 'other', type: 'task.comment', config: {} }, { node: 'start', port: 'out' })
    assert.deepEqual(edgesWith(forked, 'timer.wait'), forked.edges)
    // Yes leads on, so that the open end is the step behind it; No is free for the next step that is added to the condition.
    const branched = connect(
      addNode(small, { id: 'test', type: 'condition', config: {} }, { node: 'end', port: 'out' }),
      'test',
      'true',
      'inner',
    )
    const step = { id: 'new', type: 'timer.wait', config: {} }
    assert.deepEqual(withNewStep(branched, step, ['test']).edges.at(-1), {
      source: 'test',
      port: 'false',
      target: 'new',
    })
  })

  it('has no card over another after a step was added behind any step of any example', () => {
    const step = { id: 'added', type: 'task.comment', config: {} }
    for (const { file, graph } of examples) {
      const before = moveNodes(graph, arranged(graph))
      for (const { id } of before.nodes) {
        const next = withNewStep(before, step, [id])
        const places = [...placesOf(next)]
        const [, at] = places.at(-1) ?? assert.fail(file)
        for (const [other, place] of places.slice(0, -1)) {
          const apart = Math.abs(at.x - place.x) >= card_width || Math.abs(at.y - place.y) >= card_height
          assert.ok(apart, `${file}: the step behind ${id} lies over ${other}`)
        }
        const source = placesOf(next).get(id) ?? assert.fail(id)
        if (portsOf(before.nodes.find((node) => node.id === id) ?? assert.fail(id)).length > 0)
          assert.ok(at.x >= source.x + card_width, `${file}: right of ${id}`)
      }
    }
  })

  it('is pasted with new ids, inner edges and loops, beside the copied steps', () => {
    const copied = partOf(moveNodes(small, placesOf(small)), new Set(['loop', 'inner']))
    const { graph, ids } = paste(small, copied, 40)
    assert.deepEqual(ids, ['loop_2', 'inner_2'])
    assert.equal(graph.nodes.find(({ id }) => id === 'inner_2')?.parent, 'loop_2')
    assert.equal(graph.nodes.find(({ id }) => id === 'inner')?.parent, 'loop')
    assert.deepEqual(graph.edges, small.edges)
  })

  it('sets and removes settings at a path without touching others', () => {
    const config = { set: { title: 'a', labels: ['b'] }, project: null }
    assert.deepEqual(withSetting(config, 'set.title', undefined), { set: { labels: ['b'] }, project: null })
    assert.deepEqual(withSetting({}, 'set.status', 'done'), { set: { status: 'done' } })
  })

  it('places the faults of the server at their node and setting', () => {
    assert.deepEqual(placeOf('graph.nodes[2].config.set.title', small), { node: 'inner', setting: 'set.title' })
    assert.deepEqual(placeOf('graph.edges[1]', small), { node: 'loop', setting: '' })
    assert.deepEqual(placeOf('graph.nodes', small), { node: null, setting: '' })
  })

  it('is drawn from left to right, no card over another, for every example', () => {
    for (const { file, graph } of examples) {
      const places = [...arranged(graph).values()]
      assert.equal(places.length, graph.nodes.length, file)
      for (const [i, a] of places.entries()) {
        for (const b of places.slice(i + 1))
          assert.ok(Math.abs(a.x - b.x) >= card_width || Math.abs(a.y - b.y) >= 76, file)
      }
    }
  })

  it('is drawn whatever valid graph it is: ports, summaries and places never fail', () => {
    fc.assert(
      fc.property(
        arbitraryGraph({ outside: true, called: [{ flow: 'flow_1' }, { flow: 'flow_2', apart: true }] }),
        (given) => {
          const graph = given as unknown as GraphDraft
          assert.equal(placesOf(graph).size, graph.nodes.length)
          for (const node of graph.nodes) {
            portsOf(node)
            assert.ok(summaryOf(node, { nameOf: (id) => id, filterWords: (filter) => filter }).length <= 90)
          }
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('gets the version that its steps need when it is sent, and else stays as it is', () => {
    for (const { graph } of examples) assert.equal(graphOf(graph), graph)
    const chat = addNode(small, { id: 'say', type: 'chat.post', config: { secret: 'team_chat', text: 'x' } })
    assert.equal(graphOf(chat).schema_version, 2)
    const without = { ...removeNodes(chat, new Set(['say'])), schema_version: 2 }
    assert.equal(graphOf(without), without)
    fc.assert(
      fc.property(
        arbitraryGraph({ outside: true, called: [{ flow: 'flow_1' }, { flow: 'flow_2', apart: true }] }),
        (graph) => {
          assert.equal(graphOf(graph as unknown as GraphDraft), graph)
        },
      ),
    )
  })

  it('knows every type of node that the server accepts', async () => {
    const { nodeSchemas } = await import('../../server/src/automations/schema-nodes.ts')
    assert.deepEqual(Object.keys(kinds).toSorted(), Object.keys(nodeSchemas).toSorted())
  })

  it('keeps notes beside the graph: they are moved, copied and removed with it, and never sent in it', () => {
    const note = { id: 'note_1', text: 'Ask', x: 0, y: 0, width: 200, height: 100, color: 'yellow' as const }
    fc.assert(
      fc.property(arbitraryGraph({ outside: true }), (graph) => {
        const draft = { ...(graph as unknown as GraphDraft), notes: [note] }
        assert.equal(JSON.stringify(graphOf(draft)), JSON.stringify(graph))
        const moved = moveNodes(draft, new Map([['note note_1', { x: 5.4, y: -3 }]]))
        assert.deepEqual(moved.notes, [{ ...note, x: 5, y: -3 }])
        assert.equal(JSON.stringify(graphOf(moved)), JSON.stringify(graph))
        assert.equal(moveNodes(moved, new Map([['note note_1', { x: 5, y: -3 }]])), moved)
        const pasted = paste(draft, partOf(draft, new Set(['note note_1'])), 40)
        assert.deepEqual(pasted.ids, ['note note_2'])
        assert.deepEqual(pasted.graph.notes, [note, { ...note, id: 'note_2', x: 40, y: 40 }])
        assert.deepEqual(
          removeNodes(pasted.graph, new Set(['note note_1'])).notes?.map(({ id }) => id),
          ['note_2'],
        )
      }),
    )
  })

  it('takes changes back in order, typing in one field as one step', () => {
    type Step = Parameters<typeof reduceHistory<number>>[1]
    const steps: readonly Step[] = [
      { do: 'change', change: (value) => value + 1, kind: 'title' },
      { do: 'change', change: (value) => value + 1, kind: 'title' },
      { do: 'change', change: (value) => value * 10, kind: null },
      { do: 'undo' },
      { do: 'undo' },
      { do: 'redo' },
    ]
    let history = { past: [] as number[], present: 0, future: [] as number[], kind: null as string | null }
    const seen = steps.map((step) => {
      history = reduceHistory<number>(history, step) as typeof history
      return history.present
    })
    assert.deepEqual(seen, [1, 2, 20, 2, 0, 2])
  })
})
