import type { Spoiled } from '../good-graph.ts'
import { nodeIn } from '../good-graph.ts'
import type { Bad } from './bad.ts'

/** Faults in the fields of a step. */
export const steps: readonly Bad[] = [
  {
    name: 'nothing to set',
    spoil: (g) => {
      nodeIn(g, 'update').config.set = {}
    },
    faults: [['graph.nodes[9].config.set', 'must have at least 1 key.']],
  },
  {
    name: 'a due time that is not a time',
    spoil: (g) => {
      nodeIn(g, 'update').config.set.due_at = 'tomorrow'
    },
    faults: [['graph.nodes[9].config.set.due_at', 'must be an integer or null or {"$expr"}.']],
  },
  {
    name: 'an unknown status',
    spoil: (g) => {
      nodeIn(g, 'update').config.set.status = 'finished'
    },
    faults: [
      [
        'graph.nodes[9].config.set.status',
        'must be one of backlog, todo, in_progress, in_review, blocked, done, canceled.',
      ],
    ],
  },
  {
    name: 'an unknown priority',
    spoil: (g) => {
      nodeIn(g, 'update').config.set.priority = 'p1'
    },
    faults: [['graph.nodes[9].config.set.priority', 'must be one of none, low, medium, high, urgent.']],
  },
  {
    name: 'labels twice',
    spoil: (g) => {
      nodeIn(g, 'update').config.set.labels = ['a', 'b', 'a']
    },
    faults: [['graph.nodes[9].config.set.labels[2]', 'repeats "a".']],
  },
  {
    name: 'a malformed custom field key',
    spoil: (g) => {
      nodeIn(g, 'update').config.set.custom_fields = { Bad: 1, ok: { a: 1 } }
    },
    faults: [
      [
        'graph.nodes[9].config.set.custom_fields.ok',
        'must be a string or a number or a boolean or null or {"$expr"} or an array.',
      ],
      ['graph.nodes[9].config.set.custom_fields.Bad', 'is not a valid key of a custom field.'],
    ],
  },
  {
    name: 'an empty comment',
    spoil: (g) => {
      nodeIn(g, 'comment').config.body = ''
    },
    faults: [['graph.nodes[12].config.body', 'must not be empty.']],
  },
  {
    name: 'a move to nowhere',
    spoil: (g) => {
      nodeIn(g, 'move').config = {}
    },
    faults: [['graph.nodes[10].config', 'must name a project or a column to move to.']],
  },
  {
    name: 'no labels',
    spoil: (g) => {
      nodeIn(g, 'label').config = { add: [] }
    },
    faults: [['graph.nodes[11].config', 'must name a label to add or to remove.']],
  },
  {
    name: 'a label that is both added and removed',
    spoil: (g) => {
      nodeIn(g, 'label').config = { add: ['a', 'a', ''], remove: ['a'] }
    },
    faults: [
      ['graph.nodes[11].config.add[1]', 'repeats "a".'],
      ['graph.nodes[11].config.add[2]', 'must not be empty.'],
      ['graph.nodes[11].config.remove[0]', 'is also added: "a".'],
    ],
  },
  {
    name: 'a task to create without a title',
    spoil: (g) => {
      nodeIn(g, 'create').config.set = { status: 'todo' }
    },
    faults: [['graph.nodes[16].config.set.title', 'is required.']],
  },
  {
    name: 'a dependency to nothing',
    spoil: (g) => {
      nodeIn(g, 'link').config = { kind: 'follows' }
    },
    faults: [
      ['graph.nodes[17].config.to', 'is required.'],
      ['graph.nodes[17].config.kind', 'must be one of blocks, precedes, relates_to, duplicates.'],
    ],
  },
  {
    name: 'literal items',
    spoil: (g) => {
      nodeIn(g, 'checks').config.items = ['a']
    },
    faults: [['graph.nodes[15].config.items', 'must be {"$expr"}.']],
  },
  {
    name: 'more items than allowed',
    spoil: (g) => {
      nodeIn(g, 'checks').config.max_items = 101
    },
    faults: [['graph.nodes[15].config.max_items', 'must be at most 100.']],
  },
  {
    name: 'an invalid URL',
    spoil: (g) => {
      nodeIn(g, 'hook').config.url = 'example.com/hook'
    },
    faults: [['graph.nodes[13].config.url', 'must be an https URL.']],
  },
  {
    name: 'a URL with a password',
    spoil: (g) => {
      nodeIn(g, 'hook').config.url = 'https://me:secret@example.com/'
    },
    faults: [['graph.nodes[13].config.url', 'must not contain a user name or a password.']],
  },
  {
    name: 'a URL with a fragment',
    spoil: (g) => {
      nodeIn(g, 'hook').config.url = 'https://example.com/#a'
    },
    faults: [['graph.nodes[13].config.url', 'must not contain a fragment.']],
  },
  {
    name: 'a secret sent to a computed host',
    spoil: (g) => {
      nodeIn(g, 'hook').config.url = { $template: 'https://{{ task.key }}.example.com/' }
    },
    faults: [['graph.nodes[13].config.url', 'must start with a literal host, because a secret is sent there.']],
  },
  {
    name: 'a secret sent to a computed URL',
    spoil: (g) => {
      nodeIn(g, 'hook').config.url = { $expr: "'https://example.com/'" }
    },
    faults: [['graph.nodes[13].config.url', 'must start with a literal host, because a secret is sent there.']],
  },
  {
    name: 'a body with GET',
    spoil: (g) => {
      nodeIn(g, 'hook').config.method = 'GET'
    },
    faults: [['graph.nodes[13].config.body', 'must not be sent with GET.']],
  },
  {
    name: 'headers that graphs may not set',
    spoil: (g) => {
      nodeIn(g, 'hook').config.headers = { Host: 'x', 'X-A': 'a', 'x-a': 'b', Authorization: 'c', 'X-N': 'a\nb' }
    },
    faults: [
      ['graph.nodes[13].config.headers.Host', 'is a header that graphs cannot set.'],
      ['graph.nodes[13].config.headers.x-a', 'is repeated.'],
      ['graph.nodes[13].config.headers.Authorization', 'is the header that carries the secret.'],
      ['graph.nodes[13].config.headers.X-N', 'contains a character that headers cannot contain.'],
    ],
  },
  {
    name: 'a header with a space',
    spoil: (g) => {
      nodeIn(g, 'hook').config.headers = { 'X A': 'x' }
    },
    faults: [['graph.nodes[13].config.headers.X A', 'is not a known field.']],
  },
  {
    name: 'a body nested too deep',
    spoil: (g) => {
      let b: Spoiled = 1
      for (let i = 0; i < 20; i++) b = [b]
      nodeIn(g, 'hook').config.body = b
    },
    faults: [
      [
        'graph.nodes[13].config.body[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]',
        'is nested more than 16 levels deep.',
      ],
    ],
  },
  {
    name: 'a body with a malformed expression',
    spoil: (g) => {
      nodeIn(g, 'hook').config.body = { a: { $expr: 'now', b: 1 }, c: { $template: 5 } }
    },
    faults: [
      ['graph.nodes[13].config.body.a', 'must not have other fields besides $expr.'],
      ['graph.nodes[13].config.body.c.$template', 'must be a string.'],
    ],
  },
  {
    name: 'classes without labels',
    spoil: (g) => {
      delete nodeIn(g, 'ask').config.labels
    },
    faults: [['graph.nodes[14].config.labels', 'is required to classify.']],
  },
  {
    name: 'extracting without a schema',
    spoil: (g) => {
      nodeIn(g, 'ask').config.operation = 'extract'
    },
    faults: [['graph.nodes[14].config.output_schema', 'is required to extract.']],
  },
  {
    name: 'cases with one port',
    spoil: (g) => {
      nodeIn(g, 'kind').config.cases[1].port = 'bug'
    },
    faults: [
      ['graph.nodes[5].config.cases[1].port', 'is also the port of another case: "bug".'],
      ['graph.edges[7].port', 'must be one of bug, bug, default, the ports of kind.'],
    ],
  },
  {
    name: 'a case called default',
    spoil: (g) => {
      nodeIn(g, 'kind').config.cases[1].port = 'default'
      g.edges.splice(7, 1)
    },
    faults: [['graph.nodes[5].config.cases[1].port', 'must not be default, which is the port if no case is true.']],
  },
]
