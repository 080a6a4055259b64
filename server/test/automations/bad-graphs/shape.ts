import { nodeIn } from '../good-graph.ts'
import type { Bad } from './bad.ts'

/** Faults in the shape of a graph, its nodes and their values. */
export const shape: readonly Bad[] = [
  {
    name: 'not an object',
    spoil: () => 5,
    faults: [['graph', 'must be an object.']],
  },
  {
    name: 'an empty object',
    spoil: () => ({}),
    faults: [
      ['graph.schema_version', 'is required.'],
      ['graph.nodes', 'is required.'],
      ['graph.edges', 'is required.'],
    ],
  },
  {
    name: 'another version',
    spoil: (g) => {
      g.schema_version = 9
    },
    faults: [['graph.schema_version', 'must be 1 or 2 or 3 or 4 or 5 or 6 or 7 or 8.']],
  },
  {
    name: 'a node that its version does not know',
    spoil: (g) => {
      g.schema_version = 1
    },
    faults: [['graph.nodes[23].type', '"chat.post" requires schema_version 2.']],
  },
  {
    name: 'an unknown field',
    spoil: (g) => {
      g.extra = 1
    },
    faults: [['graph.extra', 'is not a known field.']],
  },
  {
    name: 'one node only',
    spoil: (g) => {
      g.nodes = [g.nodes[3]]
      g.edges = []
    },
    faults: [
      ['graph.nodes', 'must have at least 2 items.'],
      ['graph.edges', 'must have at least 1 item.'],
      ['graph.nodes[0]', 'has no outgoing edge.'],
    ],
  },
  {
    name: 'nodes that are not an array',
    spoil: (g) => {
      g.nodes = {}
      g.edges = [{ source: 'a', target: 'b' }]
    },
    faults: [
      ['graph.nodes', 'must be an array.'],
      ['graph.edges[0].source', 'names the unknown node "a".'],
      ['graph.edges[0].target', 'names the unknown node "b".'],
    ],
  },
  {
    name: 'a node that is not an object',
    spoil: (g) => {
      g.nodes.push(7)
    },
    faults: [['graph.nodes[24]', 'must be an object.']],
  },
  {
    name: 'a node without a type',
    spoil: (g) => {
      g.nodes.push({ id: 'x', config: {} })
    },
    faults: [['graph.nodes[24].type', 'is required.']],
  },
  {
    name: 'a node of an unknown type',
    spoil: (g) => {
      g.nodes.push({ id: 'x', type: 'task.delete', config: {} })
    },
    faults: [
      [
        'graph.nodes[24].type',
        'must be one of trigger.event, trigger.schedule, trigger.due, trigger.manual, trigger.webhook, trigger.form, trigger.mail, trigger.call, condition, switch, for_each, delay, wait_until, approval.wait, stop, task.update, task.move, task.complete, task.assign, task.label, task.comment, task.create, task.create_from_template, task.create_many, task.update_many, task.update_parent, task.add_dependency, timer.start, timer.stop, http.request, chat.post, mail.send, flow.call, ai.step.',
      ],
    ],
  },
  {
    name: 'a type named like a method',
    spoil: (g) => {
      g.nodes.push({ id: 'x', type: 'constructor', config: {} })
    },
    faults: [
      [
        'graph.nodes[24].type',
        'must be one of trigger.event, trigger.schedule, trigger.due, trigger.manual, trigger.webhook, trigger.form, trigger.mail, trigger.call, condition, switch, for_each, delay, wait_until, approval.wait, stop, task.update, task.move, task.complete, task.assign, task.label, task.comment, task.create, task.create_from_template, task.create_many, task.update_many, task.update_parent, task.add_dependency, timer.start, timer.stop, http.request, chat.post, mail.send, flow.call, ai.step.',
      ],
    ],
  },
  {
    name: 'more nodes than allowed',
    spoil: (g) => {
      for (let i = 0; i < 80; i++) g.nodes.push({ id: `x${i}`, type: 'task.complete', config: {} })
    },
    faults: [['graph.nodes', 'must have at most 100 items.']],
  },
  {
    name: 'settings out of bounds',
    spoil: (g) => {
      g.settings = { concurrency: { scope: 'all', limit: 21 }, max_runs_per_hour: 0, run_timeout_seconds: 1.5 }
    },
    faults: [
      ['graph.settings.concurrency.scope', 'must be one of task, flow.'],
      ['graph.settings.concurrency.limit', 'must be at most 20.'],
      ['graph.settings.max_runs_per_hour', 'must be at least 1.'],
      ['graph.settings.run_timeout_seconds', 'must be an integer.'],
    ],
  },
  {
    name: 'a malformed id',
    spoil: (g) => {
      nodeIn(g, 'done').id = 'Done!'
    },
    faults: [
      ['graph.nodes[21].id', 'has an invalid format.'],
      ['graph.edges[23].target', 'names the unknown node "done".'],
    ],
  },
  {
    name: 'an id twice',
    spoil: (g) => {
      nodeIn(g, 'done').id = 'end'
    },
    faults: [
      ['graph.nodes[21].id', 'is also the id of graph.nodes[20].'],
      ['graph.edges[23].target', 'names the unknown node "done".'],
    ],
  },
  {
    name: 'a node without a config',
    spoil: (g) => {
      delete nodeIn(g, 'done').config
    },
    faults: [['graph.nodes[21].config', 'is required.']],
  },
  {
    name: 'an unknown field in a node',
    spoil: (g) => {
      nodeIn(g, 'done').retries = 3
    },
    faults: [['graph.nodes[21].retries', 'is not a known field.']],
  },
  {
    name: 'an unknown field in a config',
    spoil: (g) => {
      nodeIn(g, 'done').config.force = true
    },
    faults: [['graph.nodes[21].config.force', 'is not a known field.']],
  },
  {
    name: 'a retry on a node that has none',
    spoil: (g) => {
      nodeIn(g, 'wait').retry = {}
    },
    faults: [['graph.nodes[7].retry', 'is not a known field.']],
  },
  {
    name: 'retries out of bounds',
    spoil: (g) => {
      nodeIn(g, 'hook').retry = { max_attempts: 11, backoff: 0.5, jitter: 'some' }
    },
    faults: [
      ['graph.nodes[13].retry.max_attempts', 'must be at most 10.'],
      ['graph.nodes[13].retry.backoff', 'must be at least 1.'],
      ['graph.nodes[13].retry.jitter', 'must be one of full, none.'],
    ],
  },
  {
    name: 'a canvas note that is too long',
    spoil: (g) => {
      nodeIn(g, 'done').ui = { x: 'left', note: 'x'.repeat(501) }
    },
    faults: [
      ['graph.nodes[21].ui.x', 'must be a number.'],
      ['graph.nodes[21].ui.note', 'must have at most 500 characters.'],
    ],
  },
  {
    name: 'a missing field',
    spoil: (g) => {
      nodeIn(g, 'urgent').config = {}
    },
    faults: [['graph.nodes[4].config.expr', 'is required.']],
  },
  {
    name: 'an id that is not valid',
    spoil: (g) => {
      nodeIn(g, 'assign').config.assignee = 'no id'
    },
    faults: [['graph.nodes[6].config.assignee', 'has an invalid format.']],
  },
  {
    name: 'an id that is a number',
    spoil: (g) => {
      nodeIn(g, 'assign').config.assignee = 7
    },
    faults: [['graph.nodes[6].config.assignee', 'must be the id of a user or null or {"$expr"}.']],
  },
  {
    name: 'an object in place of a value',
    spoil: (g) => {
      nodeIn(g, 'assign').config.assignee = { expr: 'task.id' }
    },
    faults: [['graph.nodes[6].config.assignee', 'must be the id of a user or null or {"$expr"}.']],
  },
  {
    name: 'a template where only expressions are allowed',
    spoil: (g) => {
      nodeIn(g, 'assign').config.assignee = { $template: '{{ task.id }}' }
    },
    faults: [['graph.nodes[6].config.assignee', 'must be the id of a user or null or {"$expr"}.']],
  },
  {
    name: 'an expression with other fields',
    spoil: (g) => {
      nodeIn(g, 'assign').config.assignee = { $expr: 'task.assignee', or: null }
    },
    faults: [['graph.nodes[6].config.assignee.or', 'is not a known field.']],
  },
  {
    name: 'an expression that is not a string',
    spoil: (g) => {
      nodeIn(g, 'assign').config.assignee = { $expr: 5 }
    },
    faults: [['graph.nodes[6].config.assignee.$expr', 'must be a string.']],
  },
  {
    name: 'an expression that is too long',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = `true ||${' '.repeat(1020)}true`
    },
    faults: [['graph.nodes[4].config.expr', 'must have at most 1024 characters.']],
  },
  {
    name: 'a title that is too long',
    spoil: (g) => {
      nodeIn(g, 'update').config.set.title = 'x'.repeat(501)
    },
    faults: [['graph.nodes[9].config.set.title', 'must have at most 500 characters.']],
  },
]
