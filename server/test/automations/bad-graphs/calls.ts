import type { Bad } from './bad.ts'

/** A flow that calls another one, with these settings and edges by these ports. */
function calling(config: object, ports: readonly string[] = ['out'], schema_version = 7) {
  return {
    schema_version,
    nodes: [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'call', type: 'flow.call', config: { flow: 'flow_1', ...config } },
      ...ports.map((port) => ({ id: `on_${port}`, type: 'task.complete', config: {} })),
    ],
    edges: [
      { source: 'by_hand', target: 'call' },
      ...ports.map((port) => ({ source: 'call', port, target: `on_${port}` })),
    ],
  }
}

/** A flow that is called, and makes a task. */
function called(config: object, title: unknown = 'Made', schema_version = 7) {
  return {
    schema_version,
    nodes: [
      { id: 'called', type: 'trigger.call', config },
      { id: 'make', type: 'task.create', config: { set: { title } } },
    ],
    edges: [{ source: 'called', target: 'make' }],
  }
}

const word = { key: 'word', kind: 'text', required: true }

/** Faults of calls: what they give, how long they wait, their ports, and what the called flow declares and names. */
export const calls: readonly Bad[] = [
  {
    name: 'a call in a version that does not know it',
    spoil: () => calling({}, ['out'], 6),
    faults: [['graph.nodes[1].type', '"flow.call" requires schema_version 7.']],
  },
  {
    name: 'a trigger for calls in a version that does not know it',
    spoil: () => called({}, 'Made', 6),
    faults: [['graph.nodes[0].type', '"trigger.call" requires schema_version 7.']],
  },
  {
    name: 'the output of a stop in a version that does not know it',
    spoil: () => ({
      schema_version: 6,
      nodes: [
        { id: 'by_hand', type: 'trigger.manual', config: {} },
        { id: 'end', type: 'stop', config: { outcome: 'succeeded', output: 1 } },
      ],
      edges: [{ source: 'by_hand', target: 'end' }],
    }),
    faults: [['graph.nodes[1].config.output', 'requires schema_version 7.']],
  },
  {
    name: 'a call without a flow',
    spoil: () => calling({ flow: undefined }),
    faults: [['graph.nodes[1].config.flow', 'must be the id of a flow.']],
  },
  {
    name: 'a call of a computed flow',
    spoil: () => calling({ flow: { $expr: 'task.title' } }),
    faults: [['graph.nodes[1].config.flow', 'must be the id of a flow.']],
  },
  {
    name: 'a timeout of a call that does not wait',
    spoil: () => calling({ wait: false, timeout_seconds: 60 }),
    faults: [
      ['graph.nodes[1].config.timeout_seconds', 'is only for a call that waits: leave it out, or set wait to true.'],
    ],
  },
  {
    name: 'a call that times out too soon',
    spoil: () => calling({ timeout_seconds: 59 }),
    faults: [['graph.nodes[1].config.timeout_seconds', 'must be at least 60.']],
  },
  {
    name: 'the port of a timeout that a call does not have',
    spoil: () => calling({}, ['out', 'timed_out']),
    faults: [['graph.edges[2].port', 'must be one of out, the ports of call (timed_out needs timeout_seconds).']],
  },
  {
    name: 'the port of an error that a call does not have',
    spoil: () => calling({ timeout_seconds: 60 }, ['out', 'error']),
    faults: [
      ['graph.edges[2].port', 'must be one of out, timed_out, the ports of call (error needs on_error: branch).'],
    ],
  },
  {
    name: 'two inputs with the same name',
    spoil: () => called({ inputs: [word, word] }),
    faults: [['graph.nodes[0].config.inputs[1].key', 'must differ from those of other inputs: call.word exists.']],
  },
  {
    name: 'an input of an unknown kind',
    spoil: () => called({ inputs: [{ ...word, kind: 'task' }] }),
    faults: [['graph.nodes[0].config.inputs[0].kind', 'must be one of text, integer, number, boolean, list, object.']],
  },
  {
    name: 'an input that the trigger does not declare',
    spoil: () => called({ inputs: [word] }, { $expr: 'call.other' }),
    faults: [['graph.nodes[1].config.set.title', ', character 6 of the expression: No such key: other.']],
  },
  {
    name: 'an input as another type',
    spoil: () => called({ inputs: [{ ...word, kind: 'integer' }] }, { $expr: 'call.word' }),
    faults: [
      [
        'graph.nodes[1].config.set.title',
        ', character 1 of the expression: It gives an int, but a string is required.',
      ],
    ],
  },
  {
    name: 'the task of a call whose trigger takes none',
    spoil: () => called({}, { $expr: 'task.title' }),
    faults: [
      [
        'graph.nodes[1].config.set.title',
        ', character 1 of the expression: task is not available, because no trigger of the flow has a task.',
      ],
    ],
  },
  {
    name: 'inputs where no other flow starts the run',
    spoil: () => calling({ inputs: { word: { $expr: 'call.word' } } }),
    faults: [
      [
        'graph.nodes[1].config.inputs.word',
        ', character 1 of the expression: call is not available, because no other flow starts the run.',
      ],
    ],
  },
]
