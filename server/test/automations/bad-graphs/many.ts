import type { Bad } from './bad.ts'

/** A flow with one step for many tasks. */
function many(
  type: string,
  config: object,
  schema_version = 8,
  trigger: object = { type: 'trigger.manual', config: {} },
) {
  return {
    schema_version,
    nodes: [
      { id: 'start', ...trigger },
      { id: 'many', type, config },
    ],
    edges: [{ source: 'start', target: 'many' }],
  }
}

const set = { title: 'Made' }
const items = { $expr: "['a', 'b']" }

/** Faults of steps for many tasks: which tasks, how many, and what their formulas see. */
export const manyTasks: readonly Bad[] = [
  ...['task.create_many', 'task.update_many', 'task.update_parent'].map((type) => ({
    name: `${type} in a version that does not know it`,
    spoil: () =>
      many(
        type,
        type === 'task.create_many'
          ? { tasks: [set] }
          : { set, ...(type === 'task.update_many' ? { query: 'status = todo', max_tasks: 5 } : {}) },
        7,
      ),
    faults: [['graph.nodes[1].type', `"${type}" requires schema_version 8.`]] as const,
  })),
  {
    name: 'many tasks that are neither listed nor computed',
    spoil: () => many('task.create_many', {}),
    faults: [['graph.nodes[1].config.tasks', 'is required without items.']],
  },
  {
    name: 'many tasks that are listed and computed',
    spoil: () => many('task.create_many', { tasks: [set], items, max_items: 2, set }),
    faults: [['graph.nodes[1].config.items', 'must not be there beside tasks.']],
  },
  {
    name: 'a list of tasks without a bound and without fields',
    spoil: () => many('task.create_many', { items }),
    faults: [
      ['graph.nodes[1].config.max_items', 'is required with items.'],
      ['graph.nodes[1].config.set', 'is required with items.'],
    ],
  },
  {
    name: 'settings of a list beside listed tasks',
    spoil: () => many('task.create_many', { tasks: [set], max_items: 2, on_overflow: 'fail', set }),
    faults: [
      ['graph.nodes[1].config.max_items', 'requires items.'],
      ['graph.nodes[1].config.on_overflow', 'requires items.'],
      ['graph.nodes[1].config.set', 'requires items.'],
    ],
  },
  {
    name: 'too many tasks to create, and no task',
    spoil: () => many('task.create_many', { items, max_items: 101, set }),
    faults: [['graph.nodes[1].config.max_items', 'must be at most 100.']],
  },
  {
    name: 'an empty list of tasks',
    spoil: () => many('task.create_many', { tasks: [] }),
    faults: [['graph.nodes[1].config.tasks', 'must have at least 1 item.']],
  },
  {
    name: 'a listed task with an unknown status',
    spoil: () => many('task.create_many', { tasks: [set, { ...set, status: 'finished' }] }),
    faults: [
      [
        'graph.nodes[1].config.tasks[1].status',
        'must be one of backlog, todo, in_progress, in_review, blocked, done, canceled.',
      ],
    ],
  },
  {
    name: 'the item in a listed task',
    spoil: () => many('task.create_many', { tasks: [{ title: { $expr: 'item' } }] }),
    faults: [
      [
        'graph.nodes[1].config.tasks[0].title',
        ', character 1 of the expression: item is only available in `set` with `items`, and inside the body of a for_each.',
      ],
    ],
  },
  {
    name: 'the item in the list that gives the items',
    spoil: () => many('task.create_many', { items: { $expr: '[item]' }, max_items: 2, set }),
    faults: [
      [
        'graph.nodes[1].config.items',
        ', character 2 of the expression: item is only available in `set` with `items`, and inside the body of a for_each.',
      ],
    ],
  },
  {
    name: 'subtasks of a task that no run has',
    spoil: () =>
      many('task.create_many', { parent: '$subject', tasks: [set] }, 8, { type: 'trigger.mail', config: {} }),
    faults: [['graph.nodes[1].config.parent', 'must not be $subject, because no trigger of the flow has a task.']],
  },
  {
    name: 'a parent of a task that no run has',
    spoil: () => many('task.update_parent', { set }, 8, { type: 'trigger.mail', config: {} }),
    faults: [['graph.nodes[1].config.task', 'is required, because no trigger of the flow has a task.']],
  },
  {
    name: 'a change of all tasks there are',
    spoil: () => many('task.update_many', { max_tasks: 10, set }),
    faults: [['graph.nodes[1].config.query', 'is required without parent.']],
  },
  {
    name: 'a change of many tasks without a bound',
    spoil: () => many('task.update_many', { query: 'status = todo', set }),
    faults: [['graph.nodes[1].config.max_tasks', 'is required.']],
  },
  {
    name: 'a change of many tasks that sets nothing',
    spoil: () => many('task.update_many', { query: 'status = todo', max_tasks: 10, set: {} }),
    faults: [['graph.nodes[1].config.set', 'must have at least 1 key.']],
  },
  {
    name: 'a computed query: data is no filter',
    spoil: () => many('task.update_many', { query: { $template: '{{ task.title }}' }, max_tasks: 10, set }),
    faults: [['graph.nodes[1].config.query', 'must be a string.']],
  },
]
