import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import fc from 'fast-check'
import { arbitraryGraph } from '../../test/automations/arbitrary-graph.ts'
import { type GoodGraph, goodGraph, nodeIn, type Spoiled } from '../../test/automations/good-graph.ts'
import { known } from '../../test/automations/known.ts'
import { limits } from '../lib/limits.ts'
import { validateGraph } from './validate.ts'

test('a graph that holds every type of node is valid, and what it needs is told', () => {
  const graph = goodGraph()
  const {
    graph: validated,
    faults,
    references,
    warnings,
    required_scopes,
    uses_ai,
    steps_max,
  } = validateGraph(graph, known)
  assert.deepEqual(faults, [])
  assert.equal(validated, graph)
  assert.deepEqual(references, [
    { path: 'graph.nodes[6].config.assignee', kind: 'user', id: 'usr_1' },
    { path: 'graph.nodes[10].config.project', kind: 'project', id: 'prj_1' },
    { path: 'graph.nodes[10].config.column', kind: 'column', id: 'col_1' },
    { path: 'graph.nodes[13].config.secret', kind: 'secret', id: 'hook_key' },
    { path: 'graph.nodes[16].config.project', kind: 'project', id: 'prj_1' },
    { path: 'graph.nodes[17].config.to', kind: 'task', id: 'tsk_1' },
    { path: 'graph.nodes[18].config.template', kind: 'task_template', id: 'tpl_1' },
    { path: 'graph.nodes[19].config.user', kind: 'user', id: 'usr_1' },
  ])
  assert.deepEqual(
    warnings.map(({ code, param }) => [code, param]),
    [['writes_what_it_watches', 'graph.nodes[9]']],
  )
  assert.deepEqual(required_scopes, ['tasks:read', 'tasks:write', 'comments:write', 'time_entries:write'])
  assert.equal(uses_ai, true)
  assert.equal(steps_max, 37)
})

test('the agreed example, where it stands beside the repository, is valid', () => {
  const file = join(import.meta.dirname, '../../../../shared/spec/automation-graph.example.json')
  if (!existsSync(file)) return
  const { faults, warnings, required_scopes, uses_ai } = validateGraph(JSON.parse(readFileSync(file, 'utf8')), known)
  assert.deepEqual(faults, [])
  assert.deepEqual(warnings, [])
  assert.deepEqual(required_scopes, ['tasks:read', 'tasks:write', 'comments:write'])
  assert.equal(uses_ai, false)
})

type Spoil = (graph: Spoiled) => unknown

interface Bad {
  readonly name: string
  readonly spoil: Spoil
  /** Path, and what is said of it. */
  readonly faults: readonly (readonly [string, string])[]
}

const bad: readonly Bad[] = [
  {
    name: 'no object',
    spoil: () => 5,
    faults: [['graph', 'must be an object.']],
  },
  {
    name: 'nothing in it',
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
      g.schema_version = 2
    },
    faults: [['graph.schema_version', 'must be 1.']],
  },
  {
    name: 'an unknown field',
    spoil: (g) => {
      g.extra = 1
    },
    faults: [['graph.extra', 'is not known here.']],
  },
  {
    name: 'one node only',
    spoil: (g) => {
      g.nodes = [g.nodes[3]]
      g.edges = []
    },
    faults: [
      ['graph.nodes', 'must hold at least 2.'],
      ['graph.edges', 'must hold at least 1.'],
      ['graph.nodes[0]', 'leads nowhere: no edge begins at this trigger.'],
    ],
  },
  {
    name: 'nodes that are no array',
    spoil: (g) => {
      g.nodes = {}
      g.edges = [{ source: 'a', target: 'b' }]
    },
    faults: [
      ['graph.nodes', 'must be an array.'],
      ['graph.edges[0].source', 'names no node: there is no a.'],
      ['graph.edges[0].target', 'names no node: there is no b.'],
    ],
  },
  {
    name: 'a node that is no object',
    spoil: (g) => {
      g.nodes.push(7)
    },
    faults: [['graph.nodes[23]', 'must be an object.']],
  },
  {
    name: 'a node without a type',
    spoil: (g) => {
      g.nodes.push({ id: 'x', config: {} })
    },
    faults: [['graph.nodes[23].type', 'is required.']],
  },
  {
    name: 'a node of an unknown type',
    spoil: (g) => {
      g.nodes.push({ id: 'x', type: 'task.delete', config: {} })
    },
    faults: [
      [
        'graph.nodes[23].type',
        'must be one of trigger.event, trigger.schedule, trigger.due, trigger.manual, condition, switch, for_each, delay, wait_until, stop, task.update, task.move, task.complete, task.assign, task.label, task.comment, task.create, task.create_from_template, task.add_dependency, timer.start, timer.stop, http.request, ai.step.',
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
        'graph.nodes[23].type',
        'must be one of trigger.event, trigger.schedule, trigger.due, trigger.manual, condition, switch, for_each, delay, wait_until, stop, task.update, task.move, task.complete, task.assign, task.label, task.comment, task.create, task.create_from_template, task.add_dependency, timer.start, timer.stop, http.request, ai.step.',
      ],
    ],
  },
  {
    name: 'more nodes than allowed',
    spoil: (g) => {
      for (let i = 0; i < 80; i++) g.nodes.push({ id: `x${i}`, type: 'task.complete', config: {} })
    },
    faults: [['graph.nodes', 'must hold at most 100.']],
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
    name: 'an id of a wrong form',
    spoil: (g) => {
      nodeIn(g, 'done').id = 'Done!'
    },
    faults: [
      ['graph.nodes[21].id', 'does not have the right form.'],
      ['graph.edges[23].target', 'names no node: there is no done.'],
    ],
  },
  {
    name: 'an id twice',
    spoil: (g) => {
      nodeIn(g, 'done').id = 'end'
    },
    faults: [
      ['graph.nodes[21].id', 'is the id of graph.nodes[20] too.'],
      ['graph.edges[23].target', 'names no node: there is no done.'],
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
    faults: [['graph.nodes[21].retries', 'is not known here.']],
  },
  {
    name: 'an unknown field in a config',
    spoil: (g) => {
      nodeIn(g, 'done').config.force = true
    },
    faults: [['graph.nodes[21].config.force', 'is not known here.']],
  },
  {
    name: 'a retry on a node that has none',
    spoil: (g) => {
      nodeIn(g, 'wait').retry = {}
    },
    faults: [['graph.nodes[7].retry', 'is not known here.']],
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
    name: 'an id that is no id',
    spoil: (g) => {
      nodeIn(g, 'assign').config.assignee = 'no id'
    },
    faults: [['graph.nodes[6].config.assignee', 'does not have the right form.']],
  },
  {
    name: 'an id that is a number',
    spoil: (g) => {
      nodeIn(g, 'assign').config.assignee = 7
    },
    faults: [['graph.nodes[6].config.assignee', 'must be the id of a user or null or {"$expr"}.']],
  },
  {
    name: 'an object where a value stands',
    spoil: (g) => {
      nodeIn(g, 'assign').config.assignee = { expr: 'task.id' }
    },
    faults: [['graph.nodes[6].config.assignee', 'must be the id of a user or null or {"$expr"}.']],
  },
  {
    name: 'a template where only expressions are',
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
    faults: [['graph.nodes[6].config.assignee.or', 'is not known here.']],
  },
  {
    name: 'an expression that is no string',
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
  {
    name: 'nothing to set',
    spoil: (g) => {
      nodeIn(g, 'update').config.set = {}
    },
    faults: [['graph.nodes[9].config.set', 'must have at least 1 key.']],
  },
  {
    name: 'a due time that is no time',
    spoil: (g) => {
      nodeIn(g, 'update').config.set.due_at = 'tomorrow'
    },
    faults: [['graph.nodes[9].config.set.due_at', 'must be an integer or null or {"$expr"}.']],
  },
  {
    name: 'a status that is none',
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
    name: 'a priority that is none',
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
    faults: [['graph.nodes[9].config.set.labels[2]', 'is there twice: a.']],
  },
  {
    name: 'a custom field of a wrong name',
    spoil: (g) => {
      nodeIn(g, 'update').config.set.custom_fields = { Bad: 1, ok: { a: 1 } }
    },
    faults: [
      [
        'graph.nodes[9].config.set.custom_fields.ok',
        'must be a string or a number or a boolean or null or {"$expr"} or an array.',
      ],
      ['graph.nodes[9].config.set.custom_fields.Bad', 'has a key that custom fields cannot have.'],
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
    name: 'labels that make no sense',
    spoil: (g) => {
      nodeIn(g, 'label').config = { add: ['a', 'a', ''], remove: ['a'] }
    },
    faults: [
      ['graph.nodes[11].config.add[1]', 'is there twice: a.'],
      ['graph.nodes[11].config.add[2]', 'must not be empty.'],
      ['graph.nodes[11].config.remove[0]', 'is added too: a.'],
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
    name: 'an event type that there is not',
    spoil: (g) => {
      nodeIn(g, 'changed').config.event_types = ['workflow.task.updated', 'workflow.task.exploded']
    },
    faults: [['graph.nodes[0].config.event_types[1]', 'names no event type: there is no workflow.task.exploded.']],
  },
  {
    name: 'event types of a wrong form',
    spoil: (g) => {
      nodeIn(g, 'changed').config.event_types = ['workflow.task.*', 'platform.member.created']
    },
    faults: [
      ['graph.nodes[0].config.event_types[0]', 'does not have the right form.'],
      ['graph.nodes[0].config.event_types[1]', 'does not have the right form.'],
    ],
  },
  {
    name: 'an event type twice',
    spoil: (g) => {
      nodeIn(g, 'changed').config.event_types = ['workflow.task.updated', 'workflow.task.updated']
    },
    faults: [['graph.nodes[0].config.event_types', 'holds the same value twice.']],
  },
  {
    name: 'no event type',
    spoil: (g) => {
      nodeIn(g, 'changed').config.event_types = []
    },
    faults: [['graph.nodes[0].config.event_types', 'must hold at least 1.']],
  },
  {
    name: 'a schedule with seconds',
    spoil: (g) => {
      nodeIn(g, 'morning').config.cron = '0 30 8 * * MON-FRI'
    },
    faults: [['graph.nodes[1].config.cron', 'must have five fields: minute, hour, day of month, month, day of week.']],
  },
  {
    name: 'a schedule that is none',
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
    faults: [['graph.nodes[1].config.cron', 'must not fire oftener than every five minutes.']],
  },
  {
    name: 'a schedule that fires twice around midnight',
    spoil: (g) => {
      nodeIn(g, 'morning').config.cron = '1,58 0,23 * * *'
    },
    faults: [['graph.nodes[1].config.cron', 'must not fire oftener than every five minutes.']],
  },
  {
    name: 'a time zone that is none',
    spoil: (g) => {
      nodeIn(g, 'morning').config.timezone = 'Mars/Olympus'
    },
    faults: [['graph.nodes[1].config.timezone', 'names no time zone; Europe/Berlin would be one.']],
  },
  {
    name: 'an offset as time zone',
    spoil: (g) => {
      nodeIn(g, 'morning').config.timezone = '+02:00'
    },
    faults: [['graph.nodes[1].config.timezone', 'names no time zone; Europe/Berlin would be one.']],
  },
  {
    name: 'a task query that is no filter',
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
    faults: [['graph.nodes[1].config.max_tasks', 'needs a task_query.']],
  },
  {
    name: 'an offset beyond a quarter',
    spoil: (g) => {
      nodeIn(g, 'due').config.offset_seconds = 7776001
    },
    faults: [['graph.nodes[2].config.offset_seconds', 'must be at most 7776000.']],
  },
  {
    name: 'a delay of nothing',
    spoil: (g) => {
      nodeIn(g, 'wait').config.seconds = 0
    },
    faults: [['graph.nodes[7].config.seconds', 'must be at least 1.']],
  },
  {
    name: 'items that are written out',
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
    name: 'a URL that is none',
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
    faults: [['graph.nodes[13].config.url', 'must not hold a user name or a password.']],
  },
  {
    name: 'a URL with a fragment',
    spoil: (g) => {
      nodeIn(g, 'hook').config.url = 'https://example.com/#a'
    },
    faults: [['graph.nodes[13].config.url', 'must not hold a fragment.']],
  },
  {
    name: 'a secret to a host that is computed',
    spoil: (g) => {
      nodeIn(g, 'hook').config.url = { $template: 'https://{{ task.key }}.example.com/' }
    },
    faults: [
      ['graph.nodes[13].config.url', 'must begin with a host that is written out, because a secret is sent there.'],
    ],
  },
  {
    name: 'a secret to a URL that is computed',
    spoil: (g) => {
      nodeIn(g, 'hook').config.url = { $expr: "'https://example.com/'" }
    },
    faults: [
      ['graph.nodes[13].config.url', 'must begin with a host that is written out, because a secret is sent there.'],
    ],
  },
  {
    name: 'a body with GET',
    spoil: (g) => {
      nodeIn(g, 'hook').config.method = 'GET'
    },
    faults: [['graph.nodes[13].config.body', 'must not be sent with GET.']],
  },
  {
    name: 'headers that are not for graphs',
    spoil: (g) => {
      nodeIn(g, 'hook').config.headers = { Host: 'x', 'X-A': 'a', 'x-a': 'b', Authorization: 'c', 'X-N': 'a\nb' }
    },
    faults: [
      ['graph.nodes[13].config.headers.Host', 'is not set by a graph.'],
      ['graph.nodes[13].config.headers.x-a', 'is there twice.'],
      ['graph.nodes[13].config.headers.Authorization', 'is what the secret is sent in.'],
      ['graph.nodes[13].config.headers.X-N', 'holds a character that headers cannot.'],
    ],
  },
  {
    name: 'a header with a space',
    spoil: (g) => {
      nodeIn(g, 'hook').config.headers = { 'X A': 'x' }
    },
    faults: [['graph.nodes[13].config.headers.X A', 'is not known here.']],
  },
  {
    name: 'a body nested too deep',
    spoil: (g) => {
      let b: Spoiled = 1
      for (let i = 0; i < 20; i++) b = [b]
      nodeIn(g, 'hook').config.body = b
    },
    faults: [
      ['graph.nodes[13].config.body[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]', 'is nested more than 16 deep.'],
    ],
  },
  {
    name: 'a body with mixed up computing',
    spoil: (g) => {
      nodeIn(g, 'hook').config.body = { a: { $expr: 'now', b: 1 }, c: { $template: 5 } }
    },
    faults: [
      ['graph.nodes[13].config.body.a', 'holds $expr and other fields.'],
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
      ['graph.nodes[5].config.cases[1].port', 'is the port of another case: bug.'],
      ['graph.edges[7].port', 'must be one of bug, bug, default: those are the ports of kind.'],
    ],
  },
  {
    name: 'a case called default',
    spoil: (g) => {
      nodeIn(g, 'kind').config.cases[1].port = 'default'
      g.edges.splice(7, 1)
    },
    faults: [['graph.nodes[5].config.cases[1].port', 'must not be default: that port is taken when no case is met.']],
  },
  {
    name: 'an edge from nowhere',
    spoil: (g) => {
      g.edges.push({ source: 'ghost', target: 'done' })
    },
    faults: [['graph.edges[24].source', 'names no node: there is no ghost.']],
  },
  {
    name: 'an edge to nowhere',
    spoil: (g) => {
      g.edges.push({ source: 'assign', target: 'ghost' })
    },
    faults: [['graph.edges[24].target', 'names no node: there is no ghost.']],
  },
  {
    name: 'an edge without a target',
    spoil: (g) => {
      g.edges.push({ source: 'assign' })
    },
    faults: [['graph.edges[24].target', 'is required.']],
  },
  {
    name: 'an edge into a trigger',
    spoil: (g) => {
      g.edges.push({ source: 'done', target: 'due' })
    },
    faults: [['graph.edges[24].target', 'must not be a trigger.']],
  },
  {
    name: 'an edge out of a stop',
    spoil: (g) => {
      g.edges.push({ source: 'fail', target: 'done' })
    },
    faults: [['graph.edges[24].source', 'must not be a stop: nothing comes after it.']],
  },
  {
    name: 'an edge twice',
    spoil: (g) => {
      g.edges.push({ source: 'urgent', port: 'true', target: 'kind' })
    },
    faults: [['graph.edges[24]', 'is there twice.']],
  },
  {
    name: 'a port that is not there',
    spoil: (g) => {
      g.edges.push({ source: 'assign', port: 'true', target: 'done' })
    },
    faults: [['graph.edges[24].port', 'must be one of out: those are the ports of assign.']],
  },
  {
    name: 'a port of a wrong form',
    spoil: (g) => {
      g.edges.push({ source: 'assign', port: 'Out', target: 'done' })
    },
    faults: [['graph.edges[24].port', 'does not have the right form.']],
  },
  {
    name: 'a case that is not there',
    spoil: (g) => {
      g.edges.push({ source: 'kind', port: 'chore', target: 'done' })
    },
    faults: [['graph.edges[24].port', 'must be one of bug, feature, default: those are the ports of kind.']],
  },
  {
    name: 'a switch without a port',
    spoil: (g) => {
      g.edges.push({ source: 'kind', target: 'done' })
    },
    faults: [['graph.edges[24].port', 'is required: a switch has no port out, but bug, feature, default.']],
  },
  {
    name: 'the port error where failing ends the run',
    spoil: (g) => {
      g.edges.push({ source: 'assign', port: 'error', target: 'done' })
    },
    faults: [
      ['graph.edges[24].port', 'must be one of out: those are the ports of assign (error needs on_error: branch).'],
    ],
  },
  {
    name: 'an edge into a body',
    spoil: (g) => {
      g.edges.push({ source: 'ask', target: 'link' })
    },
    faults: [['graph.edges[24]', 'leads into or out of the body of a for_each.']],
  },
  {
    name: 'an edge out of a body',
    spoil: (g) => {
      g.edges.push({ source: 'link', target: 'from' })
    },
    faults: [['graph.edges[24]', 'leads into or out of the body of a for_each.']],
  },
  {
    name: 'a parent that is not there',
    spoil: (g) => {
      nodeIn(g, 'done').parent = 'ghost'
    },
    faults: [
      ['graph.nodes[21].parent', 'names no node: there is no ghost.'],
      ['graph.edges[23]', 'leads into or out of the body of a for_each.'],
    ],
  },
  {
    name: 'a parent that is no for_each',
    spoil: (g) => {
      nodeIn(g, 'link').parent = 'from'
    },
    faults: [
      ['graph.nodes[17].parent', 'must name a for_each, and from is a task.create_from_template.'],
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
      ['graph.nodes[2].parent', 'is not for triggers: a run begins outside of every body.'],
      ['graph.nodes[16]', 'needs an edge from inside the body of checks, which already begins at due.'],
      ['graph.edges[2]', 'leads into or out of the body of a for_each.'],
    ],
  },
  {
    name: 'a body in itself',
    spoil: (g) => {
      nodeIn(g, 'checks').parent = 'checks'
    },
    faults: [
      ['graph.nodes[15].parent', 'puts the node inside of itself.'],
      ['graph.nodes[16]', 'needs an edge from inside the body of checks, which already begins at checks.'],
      ['graph.edges[18]', 'leads into or out of the body of a for_each.'],
      ['graph.edges[20]', 'leads into or out of the body of a for_each.'],
    ],
  },
  {
    name: 'bodies in each other',
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
      ['graph.nodes[15].parent', 'puts the node inside of itself.'],
      ['graph.nodes[23].parent', 'puts the node inside of itself.'],
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
    faults: [['graph.nodes[23]', 'has no body: no node names it as its parent.']],
  },
  {
    name: 'a body that begins twice',
    spoil: (g) => {
      g.nodes.push({ id: 'also', type: 'task.complete', parent: 'checks', config: {} })
    },
    faults: [['graph.nodes[23]', 'needs an edge from inside the body of checks, which already begins at create.']],
  },
  {
    name: 'a cycle',
    spoil: (g) => {
      g.edges.push({ source: 'done', target: 'wait' })
    },
    faults: [
      [
        'graph.edges[24]',
        'closes a cycle: wait → until → update → move → label → comment → hook → ask → checks → from → start → end → done → wait.',
      ],
    ],
  },
  {
    name: 'a node that leads to itself',
    spoil: (g) => {
      g.edges.push({ source: 'done', target: 'done' })
    },
    faults: [['graph.edges[24]', 'closes a cycle: done → done.']],
  },
  {
    name: 'a cycle in a body',
    spoil: (g) => {
      g.edges.push({ source: 'link', target: 'create' })
    },
    faults: [
      ['graph.nodes[16]', 'cannot be reached from a trigger.'],
      ['graph.nodes[17]', 'cannot be reached from a trigger.'],
      ['graph.edges[24]', 'closes a cycle: create → link → create.'],
    ],
  },
  {
    name: 'a node that nothing leads to',
    spoil: (g) => {
      g.nodes.push(
        { id: 'lost', type: 'task.complete', config: {} },
        { id: 'lost_too', type: 'task.complete', config: {} },
      )
      g.edges.push({ source: 'lost', target: 'lost_too' })
    },
    faults: [
      ['graph.nodes[23]', 'cannot be reached from a trigger.'],
      ['graph.nodes[24]', 'cannot be reached from a trigger.'],
    ],
  },
  {
    name: 'no trigger',
    spoil: (g) => {
      g.nodes.splice(0, 4)
      g.edges.splice(0, 4)
    },
    faults: [['graph.nodes', 'must hold a trigger, or nothing ever starts the flow.']],
  },
  {
    name: 'a trigger that leads nowhere',
    spoil: (g) => {
      g.edges.splice(3, 1)
    },
    faults: [['graph.nodes[3]', 'leads nowhere: no edge begins at this trigger.']],
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
    faults: [['graph.nodes', 'could take a run of 5317 steps; at most 1000 are allowed.']],
  },
  {
    name: 'syntax',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = "task.priority = 'urgent'"
    },
    faults: [['graph.nodes[4].config.expr', ', character 15 of the expression: Unexpected character: =.']],
  },
  {
    name: 'an unknown variable',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = 'issue.urgent'
    },
    faults: [['graph.nodes[4].config.expr', ', character 1 of the expression: There is no variable issue.']],
  },
  {
    name: 'an unknown field of a task',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = 'task.urgent'
    },
    faults: [['graph.nodes[4].config.expr', ', character 6 of the expression: No such key: urgent.']],
  },
  {
    name: 'a condition that is no bool',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = 'task.priority'
    },
    faults: [
      ['graph.nodes[4].config.expr', ', character 1 of the expression: It gives a string, where a bool is needed.'],
    ],
  },
  {
    name: 'a case that is no bool',
    spoil: (g) => {
      nodeIn(g, 'kind').config.cases[0].expr = 'size(task.labels)'
    },
    faults: [
      [
        'graph.nodes[5].config.cases[0].expr',
        ', character 1 of the expression: It gives an int, where a bool is needed.',
      ],
    ],
  },
  {
    name: 'a text where a number is needed',
    spoil: (g) => {
      nodeIn(g, 'wait').config.seconds = { $expr: "'60'" }
    },
    faults: [
      ['graph.nodes[7].config.seconds', ', character 1 of the expression: It gives a string, where an int is needed.'],
    ],
  },
  {
    name: 'a double where an int is needed',
    spoil: (g) => {
      nodeIn(g, 'until').config.at = { $expr: '1.5 * 2.0' }
    },
    faults: [
      ['graph.nodes[8].config.at', ', character 1 of the expression: It gives a double, where an int is needed.'],
    ],
  },
  {
    name: 'items that are no list',
    spoil: (g) => {
      nodeIn(g, 'checks').config.items = { $expr: 'task.title' }
    },
    faults: [
      ['graph.nodes[15].config.items', ', character 1 of the expression: It gives a string, where a list is needed.'],
    ],
  },
  {
    name: 'an operator on wrong types',
    spoil: (g) => {
      nodeIn(g, 'until').config.at = { $expr: 'now + task.title' }
    },
    faults: [['graph.nodes[8].config.at', ', character 1 of the expression: no such overload: int + string.']],
  },
  {
    name: 'a function that there is not',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = "task.title.matches('a')"
    },
    faults: [['graph.nodes[4].config.expr', ', character 1 of the expression: There is no function matches().']],
  },
  {
    name: 'a pattern that is data',
    spoil: (g) => {
      nodeIn(g, 'urgent').config.expr = 'rematch(task.title, task.key)'
    },
    faults: [
      ['graph.nodes[4].config.expr', ', character 21 of the expression: The pattern of rematch() must be written out.'],
    ],
  },
  {
    name: 'a template that does not close',
    spoil: (g) => {
      nodeIn(g, 'comment').config.body = { $template: 'Hello {{ task.title }' }
    },
    faults: [
      ['graph.nodes[12].config.body', ', character 7 of the template: The template does not close what {{ opens.'],
    ],
  },
  {
    name: 'a wrong expression in a template',
    spoil: (g) => {
      nodeIn(g, 'comment').config.body = { $template: 'Hello {{ task.title }} and {{  task.name }}' }
    },
    faults: [['graph.nodes[12].config.body', ', character 37 of the template: No such key: name.']],
  },
  {
    name: 'too many expressions in a template',
    spoil: (g) => {
      nodeIn(g, 'comment').config.body = { $template: '{{ now }}'.repeat(51) }
    },
    faults: [
      ['graph.nodes[12].config.body', ', character 451 of the template: The template holds too many expressions.'],
    ],
  },
  {
    name: 'too many expressions',
    spoil: (g) => {
      nodeIn(g, 'hook').config.body = Array(500).fill({ $expr: 'now' })
    },
    faults: [['graph.nodes', 'hold more than 500 expressions, or more than 100000 characters of them.']],
  },
  {
    name: 'a wrong expression in a body',
    spoil: (g) => {
      nodeIn(g, 'hook').config.body = { a: [{ b: { $expr: 'nope' } }] }
    },
    faults: [['graph.nodes[13].config.body.a[0].b', ', character 1 of the expression: There is no variable nope.']],
  },
  {
    name: 'a step that there is not',
    spoil: (g) => {
      nodeIn(g, 'comment').config.body = { $expr: 'steps.ghost.status' }
    },
    faults: [['graph.nodes[12].config.body', ', character 7 of the expression: No such key: ghost.']],
  },
  {
    name: 'a step that comes later',
    spoil: (g) => {
      nodeIn(g, 'comment').config.body = { $expr: 'steps.hook.status' }
    },
    faults: [
      ['graph.nodes[12].config.body', ', character 1 of the expression: steps.hook does not come before comment.'],
    ],
  },
  {
    name: 'a step beside',
    spoil: (g) => {
      g.nodes.push({ id: 'side', type: 'task.comment', config: { body: { $expr: 'steps.assign.status' } } })
      g.edges.push({ source: 'changed', target: 'side' })
    },
    faults: [
      ['graph.nodes[23].config.body', ', character 1 of the expression: steps.assign does not come before side.'],
    ],
  },
  {
    name: 'itself',
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
        ', character 4 of the template: There is no item outside of the body of a for_each.',
      ],
      [
        'graph.nodes[18].config.overrides.title',
        ', character 15 of the template: There is no index outside of the body of a for_each.',
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
        ', character 1 of the expression: A trigger cannot use steps: no run has begun yet.',
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
        ', character 1 of the expression: A trigger cannot use run: no run has begun yet.',
      ],
    ],
  },
  {
    name: 'an event that did not happen',
    spoil: (g) => {
      nodeIn(g, 'due').config.when = "event.type == 'x' || before == null"
    },
    faults: [
      ['graph.nodes[2].config.when', ', character 1 of the expression: There is no event: no event starts this.'],
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
      ['graph.nodes[3].config.expr', ', character 1 of the expression: There is no event: no event starts this.'],
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
      ['graph.nodes[1].config.task', 'is required: what starts the flow is about no task.'],
      [
        'graph.nodes[2].config.body',
        ', character 1 of the expression: There is no task: what starts the flow is about none.',
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
        ', character 1 of the expression: There is no task: what starts the flow is about none.',
      ],
      ['graph.nodes[1].config.task', 'is required: what starts the flow is about no task.'],
    ],
  },
]

for (const { name, spoil, faults } of bad) {
  test(`refused: ${name}`, () => {
    const graph = goodGraph()
    const spoiled = spoil(graph) ?? graph
    const found = validateGraph(spoiled, known)
    const said = found.faults.map(({ param, message }) => [param, message.slice(param.length).trimStart()])
    assert.deepEqual(said, faults)
    assert.equal(found.graph, null)
  })
}

test('refused: more edges than allowed', () => {
  const edges = Array.from({ length: 201 }, () => ({ source: 'done', target: 'done' }))
  const { faults } = validateGraph({ ...goodGraph(), edges }, known)
  assert.deepEqual(faults, [{ param: 'graph.edges', message: 'graph.edges must hold at most 200.' }])
})

test('all faults are told at once, in the order of the graph', () => {
  const graph = goodGraph()
  nodeIn(graph, 'urgent').config = { expr: 'task.urgent' }
  nodeIn(graph, 'assign').config = { assignee: 7 }
  nodeIn(graph, 'morning').config.cron = '* * * * *'
  graph.edges.push({ source: 'ghost', target: 'done' }, { source: 'done', target: 'wait' })
  const { faults } = validateGraph(graph, known)
  assert.deepEqual(
    faults.map(({ param }) => param),
    [
      'graph.nodes[1].config.cron',
      'graph.nodes[4].config.expr',
      'graph.nodes[6].config.assignee',
      'graph.edges[24].source',
      'graph.edges[25]',
    ],
  )
})

test('however wrong a graph is, validation answers, and lists a bounded number of faults', () => {
  const nodes = Array.from({ length: 100 }, () => ({
    ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, i])),
    type: 'task.complete',
  }))
  const { faults } = validateGraph({ schema_version: 1, nodes, edges: [] }, known)
  assert.equal(faults.length, limits.automation_faults_max)
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.notDeepEqual(validateGraph(value, known).faults, [])
      assert.notDeepEqual(validateGraph({ nodes: [value, value], edges: [value] }, known).faults, [])
    }),
  )
})

test('random graphs are valid, in whatever order their nodes and edges stand', () => {
  fc.assert(
    fc.property(arbitraryGraph({ outside: true }), (graph) => assert.deepEqual(validateGraph(graph, known).faults, [])),
  )
})

/** The codes and paths of the warnings of a spoiled graph. */
function warnings(spoil: (graph: GoodGraph) => void): string[] {
  const graph = goodGraph()
  spoil(graph)
  const found = validateGraph(graph, known)
  assert.deepEqual(found.faults, [])
  return found.warnings
    .map(({ code, param }) => `${code} ${param}`)
    .filter((one) => one !== 'writes_what_it_watches graph.nodes[9]')
}

test('warned: the output of a step that may have been skipped, have failed or gone another way', () => {
  const use = (graph: GoodGraph, step: string) => {
    nodeIn(graph, 'from').config.overrides = { title: { $expr: `steps.${step}` } }
  }
  const told = ['output_may_be_missing graph.nodes[18].config.overrides.title']
  assert.deepEqual(
    warnings((graph) => use(graph, 'update.output.task.title')),
    [],
  )
  assert.deepEqual(
    warnings((graph) => use(graph, 'assign.output.task.title')),
    told,
  )
  assert.deepEqual(
    warnings((graph) => use(graph, 'hook.output.body')),
    [],
  )
  const asking = "assign.status == 'succeeded' ? steps.assign.output.task.title : ''"
  assert.deepEqual(
    warnings((graph) => use(graph, asking)),
    [],
  )
  const failing = warnings((graph) => {
    nodeIn(graph, 'move').on_error = 'continue'
    use(graph, 'move.output.task.title')
  })
  assert.deepEqual(failing, ['output_may_be_missing graph.nodes[12].config.body', ...told])
})

test('warned: a step beside that always runs is not one that may be skipped', () => {
  const graph = {
    schema_version: 1,
    nodes: [
      { id: 't', type: 'trigger.manual', config: {} },
      { id: 'a', type: 'task.create', config: { set: { title: 'A' } } },
      { id: 'b', type: 'task.complete', config: {} },
      { id: 'c', type: 'task.comment', config: { body: { $expr: 'steps.a.output.task.key' } } },
    ],
    edges: [
      { source: 't', target: 'a' },
      { source: 't', target: 'b' },
      { source: 'a', target: 'c' },
      { source: 'b', target: 'c' },
    ],
  }
  assert.deepEqual(validateGraph(graph, known).warnings, [])
})

test('warned: runs without the task or the event that steps need', () => {
  const told = warnings((graph) => {
    nodeIn(graph, 'changed').config.event_types = ['workflow.task.updated', 'workflow.project.updated']
    delete nodeIn(graph, 'changed').config.when
    nodeIn(graph, 'wait').config.seconds = { $expr: 'event.sequence' }
  })
  assert.ok(told.includes('event_may_be_missing graph.nodes[7].config.seconds'))
  assert.ok(told.includes('task_may_be_missing graph.nodes[4].config.expr'))
  assert.ok(told.includes('task_may_be_missing graph.nodes[21].config'))
})

test('warned: a failure that branches to nowhere', () => {
  const told = warnings((graph) => {
    nodeIn(graph, 'done').on_error = 'branch'
  })
  assert.deepEqual(told, ['failure_goes_nowhere graph.nodes[21].on_error'])
})
