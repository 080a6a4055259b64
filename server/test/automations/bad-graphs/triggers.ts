import { type GoodGraph, nodeIn } from '../good-graph.ts'
import type { Bad } from './bad.ts'

/** Faults of a trigger: its events, schedule, time zone, query. */
export const triggers: readonly Bad[] = [
  {
    name: 'an unknown event type',
    spoil: (g) => {
      nodeIn(g, 'changed').config.event_types = ['workflow.task.updated', 'workflow.task.exploded']
    },
    faults: [['graph.nodes[0].config.event_types[1]', 'names the unknown event type "workflow.task.exploded".']],
  },
  {
    name: 'malformed event types',
    spoil: (g) => {
      nodeIn(g, 'changed').config.event_types = ['workflow.task.*', 'platform.member.created']
    },
    faults: [
      ['graph.nodes[0].config.event_types[0]', 'has an invalid format.'],
      ['graph.nodes[0].config.event_types[1]', 'has an invalid format.'],
    ],
  },
  {
    name: 'an event type twice',
    spoil: (g) => {
      nodeIn(g, 'changed').config.event_types = ['workflow.task.updated', 'workflow.task.updated']
    },
    faults: [['graph.nodes[0].config.event_types', 'repeats a value.']],
  },
  {
    name: 'no event type',
    spoil: (g) => {
      nodeIn(g, 'changed').config.event_types = []
    },
    faults: [['graph.nodes[0].config.event_types', 'must have at least 1 item.']],
  },
  {
    name: 'a schedule with seconds',
    spoil: (g) => {
      nodeIn(g, 'morning').config.cron = '0 30 8 * * MON-FRI'
    },
    faults: [['graph.nodes[1].config.cron', 'must have five fields: minute, hour, day of month, month, day of week.']],
  },
  {
    name: 'an invalid schedule',
    spoil: (g) => {
      nodeIn(g, 'morning').config.cron = '30 8 * * FUNDAY'
    },
    faults: [
      ['graph.nodes[1].config.cron', 'is not a schedule: configuration entry 5 (FUNDAY) contains illegal characters.'],
    ],
  },
  {
    name: 'a schedule with an odd minute',
    spoil: (g) => {
      nodeIn(g, 'morning').config.cron = '30-10 8 * * *'
    },
    faults: [['graph.nodes[1].config.cron', 'must have numbers, ranges, lists and steps as minute and hour.']],
  },
  {
    name: 'a schedule that never fires',
    spoil: (g) => {
      nodeIn(g, 'morning').config.cron = '0 0 30 2 *'
    },
    faults: [['graph.nodes[1].config.cron', 'must fire at least once in five years.']],
  },
  {
    name: 'a schedule that fires too often',
    spoil: (g) => {
      nodeIn(g, 'morning').config.cron = '*/4 * * * *'
    },
    faults: [['graph.nodes[1].config.cron', 'must not fire more than once in five minutes.']],
  },
  {
    name: 'a schedule that fires twice around midnight',
    spoil: (g) => {
      nodeIn(g, 'morning').config.cron = '1,58 0,23 * * *'
    },
    faults: [['graph.nodes[1].config.cron', 'must not fire more than once in five minutes.']],
  },
  {
    name: 'an unknown time zone',
    spoil: (g) => {
      nodeIn(g, 'morning').config.timezone = 'Mars/Olympus'
    },
    faults: [['graph.nodes[1].config.timezone', 'must be an IANA time zone, such as Europe/Berlin.']],
  },
  {
    name: 'an offset as time zone',
    spoil: (g) => {
      nodeIn(g, 'morning').config.timezone = '+02:00'
    },
    faults: [['graph.nodes[1].config.timezone', 'must be an IANA time zone, such as Europe/Berlin.']],
  },
  {
    name: 'a task query that is not a filter',
    spoil: (g) => {
      nodeIn(g, 'morning').config.task_query = 'status = (todo'
    },
    faults: [['graph.nodes[1].config.task_query', 'is not a filter: a parenthesis is not closed.']],
  },
  {
    name: 'tasks of a schedule without a query',
    spoil: (g) => {
      delete nodeIn(g, 'morning').config.task_query
    },
    faults: [['graph.nodes[1].config.max_tasks', 'requires a task_query.']],
  },
  {
    name: 'an offset beyond a quarter',
    spoil: (g) => {
      nodeIn(g, 'due').config.offset_seconds = 7776001
    },
    faults: [['graph.nodes[2].config.offset_seconds', 'must be at most 7776000.']],
  },
  {
    name: 'a delay of zero',
    spoil: (g) => {
      nodeIn(g, 'wait').config.seconds = 0
    },
    faults: [['graph.nodes[7].config.seconds', 'must be at least 1.']],
  },
  {
    name: 'an incoming webhook in a graph of version 2',
    spoil: (g) => {
      receive(g, {})
      g.schema_version = 2
    },
    faults: [['graph.nodes[24].type', '"trigger.webhook" requires schema_version 3.']],
  },
  {
    name: 'two incoming webhooks',
    spoil: (g) => {
      receive(g, {})
      receive(g, {}, 'received_too')
    },
    faults: [['graph.nodes[25].type', 'must not be a second trigger.webhook: a flow has one address.']],
  },
  {
    name: 'a signature without a secret, and headers that hold credentials or are not names',
    spoil: (g) => receive(g, { signature: 'github', headers: ['cookie', 'X-Origin', 'authorization'] }),
    faults: [
      ['graph.nodes[24].config.headers[1]', 'has an invalid format.'],
      ['graph.nodes[24].config.signature', 'requires a secret.'],
      ['graph.nodes[24].config.headers[0]', 'cannot be cookie, which holds a credential.'],
      ['graph.nodes[24].config.headers[2]', 'cannot be authorization, which holds a credential.'],
    ],
  },
  {
    name: 'a condition of an incoming webhook about a task, an event, and a field that requests do not have',
    spoil: (g) => receive(g, { when: "task.title == 'x' || event.id == 'y' || request.path == 'z'" }),
    faults: [['graph.nodes[24].config.when', ', character 49 of the expression: No such key: path.']],
  },
  {
    name: 'a request where no incoming webhook starts the run',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = 'request.body != null'
    },
    faults: [
      [
        'graph.nodes[4].config.expr',
        ', character 1 of the expression: request is not available, because no incoming webhook starts the run.',
      ],
    ],
  },
  {
    name: 'a form in a graph of version 4',
    spoil: (g) => {
      ask(g, {})
      g.schema_version = 4
    },
    faults: [['graph.nodes[24].type', '"trigger.form" requires schema_version 5.']],
  },
  {
    name: 'two forms',
    spoil: (g) => {
      ask(g, {})
      ask(g, {}, 'asked_too')
    },
    faults: [['graph.nodes[25].type', 'must not be a second trigger.form: a flow has one form.']],
  },
  {
    name: 'a form whose fields have the same name, no options, options of no select, and no label',
    spoil: (g) =>
      ask(g, {
        title: ' ',
        fields: [
          { key: 'day', label: 'Day', kind: 'date' },
          { key: 'day_at', label: 'At', kind: 'number' },
          { key: 'area', label: 'Area', kind: 'select' },
          { key: 'text', label: ' ', kind: 'short_text', options: ['a', ' b'] },
        ],
      }),
    faults: [
      ['graph.nodes[24].config.title', 'must not be empty.'],
      ['graph.nodes[24].config.fields[1].key', 'must differ from those of other fields: form.day_at exists.'],
      ['graph.nodes[24].config.fields[2].options', 'is required for a select.'],
      ['graph.nodes[24].config.fields[3].label', 'must not be empty.'],
      ['graph.nodes[24].config.fields[3].options', 'is only for a select.'],
      ['graph.nodes[24].config.fields[3].options[1]', 'must not be empty or begin or end with a space.'],
    ],
  },
  {
    name: 'a condition of a form about a task, and an answer that the form does not ask',
    spoil: (g) => ask(g, { when: "task.title == 'x' || form.colour == 'red'" }),
    faults: [['graph.nodes[24].config.when', ', character 27 of the expression: No such key: colour.']],
  },
  {
    name: 'an answer as another type',
    spoil: (g) => ask(g, { when: 'form.title > 3' }),
    faults: [['graph.nodes[24].config.when', ', character 1 of the expression: no such overload: string > int.']],
  },
  {
    name: 'answers where no form starts the run',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = "form.title == 'x'"
    },
    faults: [
      [
        'graph.nodes[4].config.expr',
        ', character 1 of the expression: form is not available, because no form starts the run.',
      ],
    ],
  },
  {
    name: 'a trigger for mail in a graph of version 5',
    spoil: (g) => {
      post(g, {})
      g.schema_version = 5
    },
    faults: [['graph.nodes[24].type', '"trigger.mail" requires schema_version 6.']],
  },
  {
    name: 'two triggers for mail',
    spoil: (g) => {
      post(g, {})
      post(g, {}, 'received_too')
    },
    faults: [['graph.nodes[25].type', 'must not be a second trigger.mail: a flow has one mailbox.']],
  },
  {
    name: 'a condition about a field that a mail does not have',
    spoil: (g) => post(g, { when: "mail.body == 'x'" }),
    faults: [['graph.nodes[24].config.when', ', character 6 of the expression: No such key: body.']],
  },
  {
    name: 'a subject as another type',
    spoil: (g) => post(g, { when: 'mail.subject > 3' }),
    faults: [['graph.nodes[24].config.when', ', character 1 of the expression: no such overload: string > int.']],
  },
  {
    name: 'a mail where no mail starts the run',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = "mail.subject == 'x'"
    },
    faults: [
      [
        'graph.nodes[4].config.expr',
        ', character 1 of the expression: mail is not available, because no mail starts the run.',
      ],
    ],
  },
]

function post(g: GoodGraph, config: object, id = 'received'): void {
  g.schema_version = 6
  g.nodes.push({ id, type: 'trigger.mail', config })
  g.edges.push({ source: id, target: 'done' })
}

function ask(g: GoodGraph, config: object, id = 'asked'): void {
  g.schema_version = 5
  const fields = [{ key: 'title', label: 'Title', kind: 'short_text', required: true }]
  g.nodes.push({ id, type: 'trigger.form', config: { title: 'Ask us', fields, ...config } })
  g.edges.push({ source: id, target: 'done' })
}

function receive(g: GoodGraph, config: object, id = 'received'): void {
  g.schema_version = 3
  g.nodes.push({ id, type: 'trigger.webhook', config })
  g.edges.push({ source: id, target: 'done' })
}
