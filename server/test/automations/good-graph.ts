/** A valid graph with every type of node; tests make copies of it invalid. */
export function goodGraph() {
  return {
    schema_version: 2,
    settings: { concurrency: { scope: 'task', limit: 1 }, max_runs_per_hour: 100 },
    nodes: [
      {
        id: 'changed',
        type: 'trigger.event',
        config: {
          event_types: ['workflow.task.updated'],
          changed_fields: ['status'],
          when: "task.status == 'in_review'",
        },
      },
      {
        id: 'morning',
        type: 'trigger.schedule',
        config: {
          cron: '30 8 * * MON-FRI',
          timezone: 'Europe/Berlin',
          task_query: 'status = in_review',
          max_tasks: 20,
        },
      },
      { id: 'due', type: 'trigger.due', config: { offset_seconds: -3600, only_open: true, when: 'task.due_at > now' } },
      { id: 'by_hand', type: 'trigger.manual', config: { label: 'Check' } },
      { id: 'urgent', type: 'condition', config: { expr: "task.priority == 'urgent'" } },
      {
        id: 'kind',
        type: 'switch',
        config: {
          cases: [
            { port: 'bug', expr: "'bug' in task.labels" },
            { port: 'feature', expr: "rematch(task.title, '^Add ')" },
          ],
        },
      },
      { id: 'assign', type: 'task.assign', config: { assignee: 'usr_1' } },
      { id: 'wait', type: 'delay', config: { seconds: { $expr: '60 * 60' } } },
      { id: 'until', type: 'wait_until', config: { at: { $expr: 'now + 60' }, if_past: 'continue' } },
      {
        id: 'update',
        type: 'task.update',
        config: {
          set: {
            title: { $template: '{{ task.title }} ({{ task.key }})' },
            status: 'in_progress',
            priority: { $expr: 'task.priority' },
            assignee: null,
            due_at: { $expr: 'now + 86400' },
            labels: ['checked'],
            custom_fields: { checks: ['a', 'b'], round: { $expr: '1 + 1' } },
          },
        },
      },
      { id: 'move', type: 'task.move', config: { project: 'prj_1', column: 'col_1' } },
      {
        id: 'label',
        type: 'task.label',
        config: { add: ['checked', { $template: 'p-{{ task.priority }}' }], remove: ['new'] },
      },
      {
        id: 'comment',
        type: 'task.comment',
        config: { body: { $template: 'Moved: {{ steps.move.output.changed }}' } },
      },
      {
        id: 'hook',
        type: 'http.request',
        on_error: 'branch',
        retry: { max_attempts: 3, jitter: 'full' },
        config: {
          method: 'POST',
          url: { $template: 'https://example.com/tasks/{{ task.id }}' },
          headers: { 'X-Task': { $expr: 'task.key' } },
          secret: 'hook_key',
          body: { task: { $expr: 'task' }, list: [{ $template: '{{ now }}' }] },
          output: 'json',
        },
      },
      {
        id: 'ask',
        type: 'ai.step',
        config: {
          operation: 'classify',
          instructions: 'Which part is it?',
          input: { title: { $expr: 'task.title' } },
          labels: ['api', 'web'],
          max_output_tokens: 10,
        },
      },
      {
        id: 'checks',
        type: 'for_each',
        config: { items: { $expr: 'task.custom_fields.checks' }, max_items: 10, on_item_error: 'continue' },
      },
      {
        id: 'create',
        type: 'task.create',
        parent: 'checks',
        config: { project: 'prj_1', set: { title: { $template: 'Check: {{ item }}' } } },
      },
      {
        id: 'link',
        type: 'task.add_dependency',
        parent: 'checks',
        config: { task: { $expr: 'steps.create.output.task.id' }, to: 'tsk_1', kind: 'blocks' },
      },
      {
        id: 'from',
        type: 'task.create_from_template',
        config: { template: 'tpl_1', overrides: { title: 'From a template' } },
      },
      { id: 'start', type: 'timer.start', config: { user: 'usr_1', note: 'Started', billable: true } },
      { id: 'end', type: 'timer.stop', config: {} },
      { id: 'done', type: 'task.complete', config: { only_if_open: true } },
      {
        id: 'fail',
        type: 'stop',
        config: { outcome: 'failed', message: { $template: 'status {{ steps.hook.status }}' } },
      },
      { id: 'tell', type: 'chat.post', config: { secret: 'hook_key', text: { $template: 'Done: {{ task.title }}' } } },
    ] as Record<string, unknown>[],
    edges: [
      { source: 'changed', target: 'urgent' },
      { source: 'morning', target: 'urgent' },
      { source: 'due', target: 'urgent' },
      { source: 'by_hand', target: 'urgent' },
      { source: 'urgent', target: 'kind' },
      { source: 'urgent', port: 'false', target: 'assign' },
      { source: 'kind', port: 'bug', target: 'assign' },
      { source: 'kind', port: 'feature', target: 'assign' },
      { source: 'kind', port: 'default', target: 'wait' },
      { source: 'assign', target: 'wait' },
      { source: 'wait', target: 'until' },
      { source: 'until', target: 'update' },
      { source: 'update', target: 'move' },
      { source: 'move', target: 'label' },
      { source: 'label', target: 'comment' },
      { source: 'comment', target: 'hook' },
      { source: 'hook', target: 'ask' },
      { source: 'hook', port: 'error', target: 'fail' },
      { source: 'ask', target: 'checks' },
      { source: 'create', target: 'link' },
      { source: 'checks', target: 'from' },
      { source: 'from', target: 'start' },
      { source: 'start', target: 'end' },
      { source: 'end', target: 'done' },
      { source: 'end', target: 'tell' },
    ] as Record<string, unknown>[],
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an invalid node has no type
export type Spoiled = any

export type GoodGraph = ReturnType<typeof goodGraph>

/** A node of the graph, to be changed. */
export function nodeIn(graph: GoodGraph, id: string): Spoiled {
  return graph.nodes.find((node) => node.id === id)
}
