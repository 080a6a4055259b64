import { nodeIn } from '../good-graph.ts'
import type { Bad } from './bad.ts'

/** Names that an expression may not use at its position: steps, items, the task and the event. */
export const names: readonly Bad[] = [
  {
    name: 'an unknown step',
    spoil: (g) => {
      nodeIn(g, 'comment').config.body = { $expr: 'steps.ghost.status' }
    },
    faults: [['graph.nodes[12].config.body', ', character 7 of the expression: No such key: ghost.']],
  },
  {
    name: 'a later step',
    spoil: (g) => {
      nodeIn(g, 'comment').config.body = { $expr: 'steps.hook.status' }
    },
    faults: [
      ['graph.nodes[12].config.body', ', character 1 of the expression: steps.hook does not come before comment.'],
    ],
  },
  {
    name: 'a parallel step',
    spoil: (g) => {
      g.nodes.push({ id: 'side', type: 'task.comment', config: { body: { $expr: 'steps.assign.status' } } })
      g.edges.push({ source: 'changed', target: 'side' })
    },
    faults: [
      ['graph.nodes[24].config.body', ', character 1 of the expression: steps.assign does not come before side.'],
    ],
  },
  {
    name: 'the step itself',
    spoil: (g) => {
      nodeIn(g, 'comment').config.body = { $expr: 'steps.comment.status' }
    },
    faults: [
      ['graph.nodes[12].config.body', ', character 1 of the expression: steps.comment does not come before comment.'],
    ],
  },
  {
    name: 'a trigger as a step',
    spoil: (g) => {
      nodeIn(g, 'comment').config.body = { $expr: 'steps.changed.status' }
    },
    faults: [['graph.nodes[12].config.body', ', character 7 of the expression: No such key: changed.']],
  },
  {
    name: 'a step of a body from outside',
    spoil: (g) => {
      nodeIn(g, 'from').config.overrides = { title: { $expr: 'steps.create.output.task.title' } }
    },
    faults: [
      [
        'graph.nodes[18].config.overrides.title',
        ', character 1 of the expression: steps.create can be used only in the body of checks.',
      ],
    ],
  },
  {
    name: 'an output that a step does not have',
    spoil: (g) => {
      nodeIn(g, 'from').config.overrides = { title: { $expr: 'steps.hook.output.headers' } }
    },
    faults: [['graph.nodes[18].config.overrides.title', ', character 19 of the expression: No such key: headers.']],
  },
  {
    name: 'an item outside of a body',
    spoil: (g) => {
      nodeIn(g, 'from').config.overrides = { title: { $template: '{{ item }} {{ index }}' } }
    },
    faults: [
      [
        'graph.nodes[18].config.overrides.title',
        ', character 4 of the template: item is only available inside the body of a for_each.',
      ],
      [
        'graph.nodes[18].config.overrides.title',
        ', character 15 of the template: index is only available inside the body of a for_each.',
      ],
    ],
  },
  {
    name: 'a step in a trigger',
    spoil: (g) => {
      nodeIn(g, 'due').config.when = "steps.hook.status == 'x'"
    },
    faults: [
      [
        'graph.nodes[2].config.when',
        ', character 1 of the expression: A trigger cannot use steps, because no run has started.',
      ],
    ],
  },
  {
    name: 'the run in a trigger',
    spoil: (g) => {
      nodeIn(g, 'due').config.when = 'run.depth == 0'
    },
    faults: [
      [
        'graph.nodes[2].config.when',
        ', character 1 of the expression: A trigger cannot use run, because no run has started.',
      ],
    ],
  },
  {
    name: 'the event of another trigger',
    spoil: (g) => {
      nodeIn(g, 'due').config.when = "event.type == 'x' || before == null"
    },
    faults: [
      [
        'graph.nodes[2].config.when',
        ', character 1 of the expression: event is not available, because no event starts the run.',
      ],
    ],
  },
  {
    name: 'an event in a flow without one',
    spoil: (g) => {
      g.nodes.splice(0, 1)
      g.edges.splice(0, 1)
      nodeIn(g, 'urgent').config.expr = "event.type == 'x'"
    },
    faults: [
      [
        'graph.nodes[3].config.expr',
        ', character 1 of the expression: event is not available, because no event starts the run.',
      ],
    ],
  },
  {
    name: 'a task in a flow without one',
    spoil: () => ({
      schema_version: 1,
      nodes: [
        { id: 't', type: 'trigger.schedule', config: { cron: '0 9 * * *', timezone: 'UTC' } },
        { id: 'a', type: 'task.complete', config: {} },
        { id: 'b', type: 'task.comment', config: { task: 'tsk_1', body: { $expr: 'task.title' } } },
      ],
      edges: [
        { source: 't', target: 'a' },
        { source: 't', target: 'b' },
      ],
    }),
    faults: [
      ['graph.nodes[1].config.task', 'is required, because no trigger of the flow has a task.'],
      [
        'graph.nodes[2].config.body',
        ', character 1 of the expression: task is not available, because no trigger of the flow has a task.',
      ],
    ],
  },
  {
    name: 'a deleted task',
    spoil: () => ({
      schema_version: 1,
      nodes: [
        {
          id: 't',
          type: 'trigger.event',
          config: { event_types: ['workflow.task.deleted', 'workflow.project.updated'], when: 'task.revision > 1' },
        },
        { id: 'a', type: 'timer.stop', config: { task: '$subject' } },
      ],
      edges: [{ source: 't', target: 'a' }],
    }),
    faults: [
      [
        'graph.nodes[0].config.when',
        ', character 1 of the expression: task is not available, because no trigger of the flow has a task.',
      ],
      ['graph.nodes[1].config.task', 'is required, because no trigger of the flow has a task.'],
    ],
  },
]
