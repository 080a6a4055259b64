import { nodeIn } from '../good-graph.ts'
import type { Bad } from './bad.ts'

/** Faults of the edges and of the structure that they give the nodes. */
export const edges: readonly Bad[] = [
  {
    name: 'an edge from nowhere',
    spoil: (g) => {
      g.edges.push({ source: 'ghost', target: 'done' })
    },
    faults: [['graph.edges[25].source', 'names the unknown node "ghost".']],
  },
  {
    name: 'an edge to nowhere',
    spoil: (g) => {
      g.edges.push({ source: 'assign', target: 'ghost' })
    },
    faults: [['graph.edges[25].target', 'names the unknown node "ghost".']],
  },
  {
    name: 'an edge without a target',
    spoil: (g) => {
      g.edges.push({ source: 'assign' })
    },
    faults: [['graph.edges[25].target', 'is required.']],
  },
  {
    name: 'an edge into a trigger',
    spoil: (g) => {
      g.edges.push({ source: 'done', target: 'due' })
    },
    faults: [['graph.edges[25].target', 'must not be a trigger.']],
  },
  {
    name: 'an edge out of a stop',
    spoil: (g) => {
      g.edges.push({ source: 'fail', target: 'done' })
    },
    faults: [['graph.edges[25].source', 'must not be a stop, because a stop ends the run.']],
  },
  {
    name: 'an edge twice',
    spoil: (g) => {
      g.edges.push({ source: 'urgent', port: 'true', target: 'kind' })
    },
    faults: [['graph.edges[25]', 'is repeated.']],
  },
  {
    name: 'an unknown port',
    spoil: (g) => {
      g.edges.push({ source: 'assign', port: 'true', target: 'done' })
    },
    faults: [['graph.edges[25].port', 'must be one of out, the ports of assign.']],
  },
  {
    name: 'a malformed port',
    spoil: (g) => {
      g.edges.push({ source: 'assign', port: 'Out', target: 'done' })
    },
    faults: [['graph.edges[25].port', 'has an invalid format.']],
  },
  {
    name: 'an unknown case',
    spoil: (g) => {
      g.edges.push({ source: 'kind', port: 'chore', target: 'done' })
    },
    faults: [['graph.edges[25].port', 'must be one of bug, feature, default, the ports of kind.']],
  },
  {
    name: 'a switch without a port',
    spoil: (g) => {
      g.edges.push({ source: 'kind', target: 'done' })
    },
    faults: [
      ['graph.edges[25].port', 'is required, because a switch has no port out; use one of bug, feature, default.'],
    ],
  },
  {
    name: 'the port error of a node whose failure ends the run',
    spoil: (g) => {
      g.edges.push({ source: 'assign', port: 'error', target: 'done' })
    },
    faults: [['graph.edges[25].port', 'must be one of out, the ports of assign (error needs on_error: branch).']],
  },
  {
    name: 'an edge into a body',
    spoil: (g) => {
      g.edges.push({ source: 'ask', target: 'link' })
    },
    faults: [['graph.edges[25]', 'leads into or out of the body of a for_each.']],
  },
  {
    name: 'an edge out of a body',
    spoil: (g) => {
      g.edges.push({ source: 'link', target: 'from' })
    },
    faults: [['graph.edges[25]', 'leads into or out of the body of a for_each.']],
  },
  {
    name: 'an unknown parent',
    spoil: (g) => {
      nodeIn(g, 'done').parent = 'ghost'
    },
    faults: [
      ['graph.nodes[21].parent', 'names the unknown node "ghost".'],
      ['graph.edges[23]', 'leads into or out of the body of a for_each.'],
    ],
  },
  {
    name: 'a parent that is not a for_each',
    spoil: (g) => {
      nodeIn(g, 'link').parent = 'from'
    },
    faults: [
      ['graph.nodes[17].parent', 'must name a for_each, but from is a task.create_from_template.'],
      [
        'graph.nodes[17].config.task',
        ', character 1 of the expression: steps.create can be used only in the body of checks.',
      ],
      ['graph.edges[19]', 'leads into or out of the body of a for_each.'],
    ],
  },
  {
    name: 'a trigger in a body',
    spoil: (g) => {
      nodeIn(g, 'due').parent = 'checks'
    },
    faults: [
      ['graph.nodes[2].parent', 'is not allowed for a trigger, because a run starts outside every body.'],
      ['graph.nodes[16]', 'requires an edge from inside the body of checks, which already starts at due.'],
      ['graph.edges[2]', 'leads into or out of the body of a for_each.'],
    ],
  },
  {
    name: 'a body inside itself',
    spoil: (g) => {
      nodeIn(g, 'checks').parent = 'checks'
    },
    faults: [
      ['graph.nodes[15].parent', 'puts the node inside itself.'],
      ['graph.nodes[16]', 'requires an edge from inside the body of checks, which already starts at checks.'],
      ['graph.edges[18]', 'leads into or out of the body of a for_each.'],
      ['graph.edges[20]', 'leads into or out of the body of a for_each.'],
    ],
  },
  {
    name: 'bodies inside each other',
    spoil: (g) => {
      nodeIn(g, 'checks').parent = 'more'
      g.nodes.push({
        id: 'more',
        type: 'for_each',
        parent: 'checks',
        config: { items: { $expr: 'task.labels' }, max_items: 1 },
      })
      g.edges.push({ source: 'link', target: 'more' })
    },
    faults: [
      ['graph.nodes[15].parent', 'puts the node inside itself.'],
      ['graph.nodes[24].parent', 'puts the node inside itself.'],
      ['graph.edges[18]', 'leads into or out of the body of a for_each.'],
      ['graph.edges[20]', 'leads into or out of the body of a for_each.'],
    ],
  },
  {
    name: 'a for_each without a body',
    spoil: (g) => {
      g.nodes.push({ id: 'empty', type: 'for_each', config: { items: { $expr: 'task.labels' }, max_items: 3 } })
      g.edges.push({ source: 'done', target: 'empty' })
    },
    faults: [['graph.nodes[24]', 'has no body: no node names it as its parent.']],
  },
  {
    name: 'a body with two entries',
    spoil: (g) => {
      g.nodes.push({ id: 'also', type: 'task.complete', parent: 'checks', config: {} })
    },
    faults: [['graph.nodes[24]', 'requires an edge from inside the body of checks, which already starts at create.']],
  },
  {
    name: 'a cycle',
    spoil: (g) => {
      g.edges.push({ source: 'done', target: 'wait' })
    },
    faults: [
      [
        'graph.edges[25]',
        'creates a cycle: wait → until → update → move → label → comment → hook → ask → checks → from → start → end → done → wait.',
      ],
    ],
  },
  {
    name: 'an edge from a node to itself',
    spoil: (g) => {
      g.edges.push({ source: 'done', target: 'done' })
    },
    faults: [['graph.edges[25]', 'creates a cycle: done → done.']],
  },
  {
    name: 'a cycle in a body',
    spoil: (g) => {
      g.edges.push({ source: 'link', target: 'create' })
    },
    faults: [
      ['graph.nodes[16]', 'cannot be reached from a trigger.'],
      ['graph.nodes[17]', 'cannot be reached from a trigger.'],
      ['graph.edges[25]', 'creates a cycle: create → link → create.'],
    ],
  },
  {
    name: 'a node that no edge reaches',
    spoil: (g) => {
      g.nodes.push(
        { id: 'lost', type: 'task.complete', config: {} },
        { id: 'lost_too', type: 'task.complete', config: {} },
      )
      g.edges.push({ source: 'lost', target: 'lost_too' })
    },
    faults: [
      ['graph.nodes[24]', 'cannot be reached from a trigger.'],
      ['graph.nodes[25]', 'cannot be reached from a trigger.'],
    ],
  },
  {
    name: 'no trigger',
    spoil: (g) => {
      g.nodes.splice(0, 4)
      g.edges.splice(0, 4)
    },
    faults: [['graph.nodes', 'must contain a trigger that starts the flow.']],
  },
  {
    name: 'a trigger without an edge',
    spoil: (g) => {
      g.edges.splice(3, 1)
    },
    faults: [['graph.nodes[3]', 'has no outgoing edge.']],
  },
  {
    name: 'a run that could be too long',
    spoil: (g) => {
      nodeIn(g, 'checks').config.max_items = 100
      g.nodes.push(
        { id: 'again', type: 'for_each', parent: 'checks', config: { items: { $expr: 'task.labels' }, max_items: 50 } },
        { id: 'inner', type: 'task.complete', parent: 'again', config: {} },
      )
      g.edges.push({ source: 'link', target: 'again' })
    },
    faults: [['graph.nodes', 'could lead to a run of 5318 steps; at most 1000 are allowed.']],
  },
]
