import type { Bad } from './bad.ts'

/** Steps after a trigger with a task: a loop over a list, whose body comments, and a step for many tasks. */
function loop(items: string, body: string, set: string = 'item.title') {
  return {
    schema_version: 8,
    nodes: [
      { id: 'start', type: 'trigger.manual', config: {} },
      {
        id: 'all',
        type: 'task.update_many',
        config: { query: 'status = todo', max_tasks: 5, set: { description: { $expr: set } } },
      },
      { id: 'each', type: 'for_each', config: { items: { $expr: items }, max_items: 5 } },
      { id: 'say', type: 'task.comment', parent: 'each', config: { body: { $template: `{{ ${body} }}` } } },
    ],
    edges: [
      { source: 'start', target: 'all' },
      { source: 'all', target: 'each' },
    ],
  }
}

const related = 'id, key, title, status, priority, assignee, due_at, open_blockers'
const listed = 'id, key, title, status, priority, assignee, due_at'
const body = 'graph.nodes[3].config.body'

/** Paths into items and into objects of lists that no value has. */
export const fields: readonly Bad[] = [
  ...['teams', 'blocks', 'blocked_by', 'nonsense'].map((name) => ({
    name: `the ${name} of a task that a step for many changes`,
    spoil: () => loop('task.labels', 'item', `string(size(item.${name}))`),
    faults: [
      ['graph.nodes[1].config.set.description', `, character 13 of the expression: No such key: ${name}.`],
    ] as const,
  })),
  {
    name: 'a field of a label',
    spoil: () => loop('task.labels', 'item.name'),
    faults: [[body, ", character 4 of the template: Cannot index type 'string'."]],
  },
  {
    name: 'a field that a related task lacks, as the item of a loop',
    spoil: () => loop('task.blocks', 'item.labels'),
    faults: [[body, `, character 4 of the template: No such key: labels; the keys are ${related}.`]],
  },
  {
    name: 'a field that a task of an earlier step lacks, as the item of a loop over some of them',
    spoil: () => loop("steps.all.output.tasks.filter(t, t.status == 'todo')", 'item.description'),
    faults: [[body, `, character 4 of the template: No such key: description; the keys are ${listed}.`]],
  },
  {
    name: 'a field that a task of an earlier step lacks, by its number',
    spoil: () => loop('task.labels', 'steps.all.output.tasks[0].labels'),
    faults: [[body, `, character 4 of the template: No such key: labels; the keys are ${listed}.`]],
  },
  {
    name: 'a field that a blocker lacks, within a comprehension',
    spoil: () => loop('task.blocked_by.map(b, b.parent)', 'item'),
    faults: [
      [
        'graph.nodes[2].config.items',
        `, character 24 of the expression: No such key: parent; the keys are ${related}.`,
      ],
    ],
  },
]
