import type { Bad } from './bad.ts'

/** A flow that asks, with these settings and edges by these ports. */
function asking(config: object, ports: readonly string[] = ['approved'], schema_version = 4) {
  return {
    schema_version,
    nodes: [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'ask', type: 'approval.wait', config: { people: ['usr_1'], text: 'May we?', ...config } },
      ...ports.map((port) => ({ id: `on_${port}`, type: 'task.complete', config: {} })),
    ],
    edges: [
      { source: 'by_hand', target: 'ask' },
      ...ports.map((port) => ({ source: 'ask', port, target: `on_${port}` })),
    ],
  }
}

const people = 'graph.nodes[1].config.people'

/** Faults of an approval: whom it asks, what, for how long, and its ports. */
export const approvals: readonly Bad[] = [
  {
    name: 'an approval in a version that does not know it',
    spoil: () => asking({}, ['approved'], 3),
    faults: [['graph.nodes[1].type', '"approval.wait" requires schema_version 4.']],
  },
  {
    name: 'an approval without people',
    spoil: () => asking({ people: [] }),
    faults: [[people, 'must have at least 1 item.']],
  },
  {
    name: 'an approval of nulls only',
    spoil: () => asking({ people: [null, null] }),
    faults: [[people, 'must name a person.']],
  },
  {
    name: 'an approval of a person twice',
    spoil: () => asking({ people: ['usr_1', 'usr_1'] }),
    faults: [[`${people}[1]`, 'repeats "usr_1".']],
  },
  {
    name: 'an approval without a text',
    spoil: () => asking({ text: { $template: '' } }),
    faults: [['graph.nodes[1].config.text', 'must not be empty.']],
  },
  {
    name: 'an approval that times out too soon',
    spoil: () => asking({ timeout_seconds: 59 }),
    faults: [['graph.nodes[1].config.timeout_seconds', 'must be at least 60.']],
  },
  {
    name: 'an approval that times out too late',
    spoil: () => asking({ timeout_seconds: 90 * 86_400 + 1 }),
    faults: [['graph.nodes[1].config.timeout_seconds', 'must be at most 7776000.']],
  },
  {
    name: 'the port of a timeout that an approval does not have',
    spoil: () => asking({}, ['approved', 'timed_out']),
    faults: [
      ['graph.edges[2].port', 'must be one of approved, rejected, the ports of ask (timed_out needs timeout_seconds).'],
    ],
  },
  {
    name: 'the port of another node',
    spoil: () => asking({ timeout_seconds: 60 }, ['out']),
    faults: [['graph.edges[1].port', 'must be one of approved, rejected, timed_out, the ports of ask.']],
  },
  {
    name: 'how an approval fails',
    spoil: () => {
      const graph = asking({})
      return {
        ...graph,
        nodes: graph.nodes.map((node) => (node.id === 'ask' ? { ...node, on_error: 'branch' } : node)),
      }
    },
    faults: [['graph.nodes[1].on_error', 'is not a known field.']],
  },
]
