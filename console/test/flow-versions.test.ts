/** What the comparison of two versions of a flow says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GraphDraft, NodeDraft } from '../src/pages/automations/editor/graph.ts'
import { compareGraphs } from '../src/pages/automations/versions/compare.ts'

const node = (id: string, type: string, config: object, more: object = {}): NodeDraft => ({
  ...{ id, type, config: config as NodeDraft['config'] },
  ...more,
})

const graph: GraphDraft = {
  schema_version: 1,
  nodes: [
    node('start', 'trigger.manual', {}),
    node('say', 'task.comment', { body: 'Hello' }),
    node('mark', 'task.update', { set: { priority: 'high', labels: ['a'] } }),
  ],
  edges: [
    { source: 'start', target: 'say' },
    { source: 'say', target: 'mark' },
  ],
}

test('a graph does not differ from itself, from another order of names, nor from another place on the canvas', () => {
  const moved: GraphDraft = {
    ...graph,
    nodes: graph.nodes.map((each) => ({ ...each, ui: { x: 5, y: 7, note: 'Here' } })),
  }
  const turned: GraphDraft = {
    ...graph,
    nodes: graph.nodes.map((each) =>
      each.id === 'mark' ? { ...each, config: { set: { labels: ['a'], priority: 'high' } } } : each,
    ),
  }
  for (const other of [graph, moved, turned]) assert.deepEqual(compareGraphs(graph, other).differences, [])
})

test('added, removed and changed nodes are marked in the newer graph, which keeps the removed ones', () => {
  const after: GraphDraft = {
    ...graph,
    nodes: [
      node('start', 'trigger.manual', { label: 'Go' }),
      node('mark', 'task.update', { set: { priority: { $expr: "'low'" }, labels: ['a'] } }, { name: 'Calm down' }),
      node('done', 'task.complete', {}),
    ],
    edges: [
      { source: 'start', target: 'mark' },
      { source: 'mark', target: 'done' },
    ],
    settings: { max_runs_per_hour: 3 },
  }
  const { differences, union, marks } = compareGraphs(graph, after)
  assert.deepEqual(
    differences.map(({ kind, node: id, changes }) => [
      kind,
      id,
      changes.map(({ label, before, after }) => [label, before, after]),
    ]),
    [
      ['changed', 'start', [['Text of the button', undefined, 'Go']]],
      [
        'changed',
        'mark',
        [
          ['Name', undefined, 'Calm down'],
          ['Priority', 'high', { $expr: "'low'" }],
        ],
      ],
      ['added', 'done', []],
      ['removed', 'say', []],
      [
        ...['changed', null],
        [
          ['Added', undefined, 'By hand → Calm down'],
          ['Added', undefined, 'Calm down → Complete task'],
          ['Removed', 'By hand → Comment on task', undefined],
          ['Removed', 'Comment on task → Calm down', undefined],
        ],
      ],
      ['changed', null, [['max_runs_per_hour', undefined, 3]]],
    ],
  )
  assert.deepEqual(
    [...marks].map(([id, { tone }]) => [id, tone]),
    [
      ['start', 'warn'],
      ['mark', 'warn'],
      ['done', 'good'],
      ['say', 'bad'],
    ],
  )
  assert.deepEqual([union.nodes.map(({ id }) => id), union.edges.length], [['start', 'mark', 'done', 'say'], 4])
})
