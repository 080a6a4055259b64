/**
 * Wrong requests: each differs from its operation's valid call in one thing, and names the code and parameter that refuse
 * it. A list of cases is what to set (`undefined` leaves a field out), the parameter at fault and, where it is not
 * the usual one, the code. Names in braces stand for things of `errors.test.ts`.
 */

export interface Wrong {
  readonly operation: string
  readonly place: 'body' | 'query' | 'params'
  readonly set: Readonly<Record<string, unknown>>
  readonly code: string
  /** `null`: none; `undefined`: any. */
  readonly param: string | null | undefined
}

type Case = readonly [set: Readonly<Record<string, unknown>>, param?: string | null, code?: string]

function wrong(place: Wrong['place'], usual: string, operation: string, cases: readonly Case[]): Wrong[] {
  return cases.map(([set, param, code]) => ({ operation, place, set, param, code: code ?? usual }))
}

const body = (operation: string, ...cases: Case[]) => wrong('body', 'invalid_request_body', operation, cases)
const query = (operation: string, ...cases: Case[]) => wrong('query', 'invalid_query_parameter', operation, cases)
const path = (operation: string, ...cases: Case[]) => wrong('params', 'resource_not_found', operation, cases)

const chars = (count: number) => 'x'.repeat(count)
const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i))
const conflict = 'resource_conflict'
const deleted = 'resource_deleted'
const mismatch = 'cursor_filter_mismatch'

const platform = [
  path('organizations.retrieve', [{ id: '{never_organization}' }, null], [{ id: '{workspace}' }, null]),
  query('organizations.retrieve', [{ fields: 'id' }, 'fields'], [{ workspace: '{workspace}' }, 'workspace']),
  query('members.list', [{ workspace: '{workspace}' }, 'workspace'], [{ status: 'active' }, 'status']),
  query('teams.list', [{ limit: '0' }, 'limit'], [{ fields: 'title' }, 'fields']),
  query('api_keys.list', [{ fields: 'id' }, 'fields'], [{ cursor: 'x' }, 'cursor']),
  body(
    'api_keys.create',
    [{ name: undefined }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: chars(501) }, 'name'],
    [{ scopes: undefined }, 'scopes'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: 'tasks:read' }, 'scopes'],
    [{ scopes: ['tasks:admin'] }, 'scopes[0]'],
    [{ scopes: ['tasks:read', 5] }, 'scopes[1]'],
    [{ scopes: ['tasks:read', 'tasks:read'] }, 'scopes'],
    [{ expires_at: 'soon' }, 'expires_at'],
    [{ expires_at: 1 }, 'expires_at'],
    [{ expires_at: 1.5 }, 'expires_at'],
    [{ expires_at: -1 }, 'expires_at'],
    [{ mode: 'live' }, 'mode'],
    [{ secret: 'mine' }, 'secret'],
  ),
  path('api_keys.delete', [{ id: '{never_key}' }, null], [{ id: '{deleted_key}' }, null]),
  path('request_logs.retrieve', [{ id: 'req_x' }, null], [{ id: '{workspace}' }, null]),
  query(
    'audit_logs.list',
    [{ created_after: 'yesterday' }, 'created_after'],
    [{ created_after: '1.5' }, 'created_after'],
    [{ created_before: '-1' }, 'created_before'],
    [{ created_before: '99999999999999999' }, 'created_before'],
    [{ action: '' }, 'action'],
    [{ starting_after: '{task}' }, 'starting_after'],
    [{ cursor: 'x' }, 'cursor', 'cursor_invalid'],
  ),
]

const events = [
  query('events.list', [{ types: '*' }, 'types'], [{ limit: '101' }, 'limit']),
  query(
    'events.stream',
    [{ 'types[]': undefined }, 'types'],
    [{ 'types[]': 'workflow.task.exploded' }, 'types'],
    [{ 'types[]': 'task.*' }, 'types'],
    [{ 'types[]': '' }, 'types'],
    [{ limit: '1' }, 'limit'],
  ),
]

const workspaces = [
  body(
    'workspaces.create',
    [{ title: undefined }, 'title'],
    [{ title: '' }, 'title'],
    [{ title: null }, 'title'],
    [{ title: 5 }, 'title'],
    [{ title: ['a'] }, 'title'],
    [{ title: chars(501) }, 'title'],
    [{ key: 'KEY' }, 'key'],
    [{ id: 'wsp_x' }, 'id'],
    [{ workspace: '{workspace}' }, 'workspace'],
  ),
  body('workspaces.update', [{ title: null }, 'title'], [{ title: '' }, 'title'], [{ status: 'archived' }, 'status']),
  path('workspaces.retrieve', [{ id: 'wsp_x' }, null], [{ id: '{task}' }, null], [{ id: 'a b' }, null]),
  path('workspaces.update', [{ id: 'wsp_x' }, null]),
]

const projects = [
  query('projects.list', [{ workspace: 'wsp_x' }, 'workspace'], [{ workspace: 'a b' }, 'workspace'], [{ q: 'x' }, 'q']),
  body(
    'projects.create',
    [{ workspace: undefined }, 'workspace'],
    [{ workspace: null }, 'workspace'],
    [{ workspace: '' }, 'workspace'],
    [{ workspace: 'a b' }, 'workspace'],
    [{ workspace: '{project}' }, 'workspace'],
    [{ name: undefined }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: chars(501) }, 'name'],
    [{ description: 5 }, 'description'],
    [{ description: chars(65_537) }, 'description'],
    [{ portfolio: 5 }, 'portfolio'],
    [{ portfolio: '' }, 'portfolio'],
    [{ portfolio: '{other_portfolio}' }, 'portfolio'],
    [{ portfolio: '{deleted_portfolio}' }, 'portfolio'],
    [{ status: 'archived' }, 'status'],
  ),
  body(
    'projects.update',
    [{ name: null }, 'name'],
    [{ archived_at: 'now' }, 'archived_at'],
    [{ archived_at: -1 }, 'archived_at'],
    [{ archived_at: 1.5 }, 'archived_at'],
    [{ portfolio: '{other_portfolio}' }, 'portfolio'],
    [{ workspace: '{other_workspace}' }, null, 'resource_not_found'],
    [{ revision: 1 }, 'revision'],
  ),
  path(
    'projects.update',
    [{ id: '{archived_project}' }, undefined, conflict],
    [{ id: '{deleted_project}' }, null, deleted],
  ),
  path('projects.archive', [{ id: '{deleted_project}' }, null, deleted], [{ id: '{portfolio}' }, null]),
  body(
    'projects.duplicate',
    [{ name: '' }, 'name'],
    [{ name: chars(501) }, 'name'],
    [{ portfolio: null }, 'portfolio'],
  ),
  path('projects.duplicate', [{ id: 'prj_x' }, null], [{ id: '{deleted_project}' }, null, deleted]),
  body(
    'portfolios.create',
    [{ name: undefined }, 'name'],
    [{ description: {} }, 'description'],
    [{ workspace: 1 }, 'workspace'],
  ),
  body('portfolios.update', [{ archived_at: true }, 'archived_at'], [{ name: '' }, 'name']),
  path('portfolios.retrieve', [{ id: '{deleted_portfolio}' }, null, deleted]),
  path('portfolios.delete', [{ id: '{deleted_portfolio}' }, null, deleted]),
]

const columns = [
  query('columns.list', [{ project: 'prj_x' }, 'project'], [{ project: '' }, 'project']),
  body(
    'columns.create',
    [{ project: undefined }, 'project'],
    [{ project: null }, 'project'],
    [{ project: '{deleted_project}' }, 'project'],
    [{ project: '{archived_project}' }, undefined, conflict],
    [{ name: '' }, 'name'],
    [{ position: 'first' }, 'position'],
    [{ position: 1e16 }, 'position'],
    [{ position: null }, 'position'],
    [{ color: 'red' }, 'color'],
    [{ color: '#12345' }, 'color'],
    [{ color: '#GGGGGG' }, 'color'],
    [{ color: '' }, 'color'],
  ),
  body(
    'columns.update',
    [{ color: 5 }, 'color'],
    [{ position: '1' }, 'position'],
    [{ project: '{project}' }, 'project'],
  ),
  body(
    'columns.reorder',
    [{ data: undefined }, 'data'],
    [{ data: [] }, 'data'],
    [{ data: {} }, 'data'],
    [{ data: times(101, (i) => `col_${i}`) }, 'data'],
    [{ data: ['{column}', 'col_x'] }, 'data[1]'],
    [{ data: ['{column}', '{column}'] }, 'data[1]'],
    [{ data: ['{other_column}'] }, 'data[0]'],
    [{ data: [{ id: '{column}', position: 'x' }] }, undefined],
    [{ data: [{ position: 1 }] }, undefined],
    [{ project: 'prj_x' }, 'project'],
  ),
  path('columns.retrieve', [{ id: '{deleted_column}' }, null, deleted]),
]

const taskFields: Case[] = [
  [{ status: 'open' }, 'status'],
  [{ status: 'Done' }, 'status'],
  [{ status: null }, 'status'],
  [{ priority: 'highest' }, 'priority'],
  [{ priority: 1 }, 'priority'],
  [{ labels: 'bug' }, 'labels'],
  [{ labels: ['ok', ''] }, 'labels[1]'],
  [{ labels: [chars(81)] }, 'labels[0]'],
  [{ labels: ['a', 'a'] }, 'labels'],
  [{ labels: times(51, (i) => `l${i}`) }, 'labels'],
  [{ custom_fields: [] }, 'custom_fields'],
  [{ custom_fields: { 'Bad-Key': 1 } }, 'custom_fields.Bad-Key'],
  [{ custom_fields: { a: {} } }, 'custom_fields.a'],
  [{ custom_fields: { a: [1] } }, undefined],
  [{ custom_fields: { a: chars(2001) } }, 'custom_fields.a'],
  [{ custom_fields: { a: times(51, String) } }, 'custom_fields.a'],
  [{ custom_fields: Object.fromEntries(times(51, (i) => [`k${i}`, i])) }, 'custom_fields'],
  [{ due_at: '2026-08-03' }, 'due_at'],
  [{ due_at: -1 }, 'due_at'],
  [{ due_at: 1.5 }, 'due_at'],
  [{ completed_at: true }, 'completed_at'],
  [{ completed_at: 1, status: 'todo' }, undefined],
  [{ assignee: '' }, 'assignee'],
  [{ assignee: '{workspace}' }, 'assignee'],
  [{ column: '{other_column}' }, 'column'],
  [{ column: '{deleted_column}' }, 'column'],
  [{ project: '{deleted_project}' }, 'project'],
  [{ project: '{archived_project}' }, undefined, conflict],
  [{ project: '{foreign_workspace_project}' }, 'project'],
  [{ description: chars(65_537) }, 'description'],
  [{ position: 5 }, 'position'],
  [{ number: 5 }, 'number'],
  [{ is_archived: true }, 'is_archived'],
]

const question: Case[] = [
  [{ workspace: 'wsp_x' }, 'workspace'],
  [{ project: 'prj_x' }, 'project'],
  [{ due_before: 'tomorrow' }, 'due_before'],
  [{ due_before: '-5' }, 'due_before'],
  [{ is_archived: 'yes' }, 'is_archived'],
  [{ is_archived: '' }, 'is_archived'],
  [{ filter: 'status =' }, 'filter'],
  [{ filter: 'nope = 1' }, 'filter'],
  [{ filter: '(' }, 'filter'],
  [{ filter: chars(2049) }, 'filter'],
  [{ filter: 'flt_01J00000000000000000000000' }, 'filter'],
  [{ status: '' }, 'status'],
]

const tasks = [
  query(
    'tasks.list',
    ...question,
    [{ sort: 'colour' }, 'sort'],
    [{ sort: 'title,title' }, 'sort'],
    [{ sort: 'title,created,updated' }, 'sort'],
    [{ sort: '' }, 'sort'],
    [{ sort: '--title' }, 'sort'],
    [{ expand: 'comments' }, 'expand'],
    [{ expand: 'assignee,assignee' }, 'expand'],
    [
      { starting_after: '{task}', workspace: '{other_workspace}', sort: undefined, status: undefined },
      'starting_after',
      mismatch,
    ],
  ),
  query(
    'tasks.count',
    ...question,
    [{ limit: '1' }, 'limit'],
    [{ sort: 'title' }, 'sort'],
    [{ fields: 'id' }, 'fields'],
  ),
  query('tasks.retrieve', [{ fields: 'id' }, 'fields'], [{ expand: 'x' }, 'expand'], [{ workspace: '' }, 'workspace']),
  query('tasks.retrieve', [{ workspace: '{other_workspace}' }, null, 'resource_not_found']),
  path('tasks.retrieve', [{ id: 'RES-99999' }, null], [{ id: 'RES-0' }, null], [{ id: 'res-1' }, null]),
  path('tasks.retrieve', [{ id: '{deleted_task}' }, null, deleted], [{ id: '{deleted_task_key}' }, null, deleted]),
  body(
    'tasks.create',
    [{ title: undefined }, 'title'],
    [{ title: '' }, 'title'],
    [{ workspace: undefined }, 'workspace'],
    ...taskFields,
  ),
  body(
    'tasks.update',
    [{ title: null }, 'title'],
    [{ workspace: '{other_workspace}' }, null, 'resource_not_found'],
    ...taskFields,
  ),
  path('tasks.update', [{ id: '{archived_task}' }, undefined, conflict], [{ id: '{deleted_task}' }, null, deleted]),
  path('tasks.complete', [{ id: '{deleted_task}' }, null, deleted], [{ id: '{archived_task}' }, undefined, conflict]),
  body('tasks.complete', [{ completed_at: 5 }, 'completed_at']),
  body(
    'tasks.move',
    [{ project: '{project}', column: '{other_column}' }, 'column'],
    [{ project: null, column: '{column}' }, 'column'],
    [{ project: 5 }, 'project'],
    [{ status: 'done' }, 'status'],
  ),
  body(
    'tasks.batch',
    [{ data: undefined }, 'data'],
    [{ data: [] }, 'data'],
    [{ data: times(101, (i) => ({ title: `${i}` })) }, 'data'],
    [{ data: [{ title: 'a' }, {}] }, 'data[1].title'],
    [{ data: [{ title: 'a' }, { title: 'b', workspace: '{workspace}' }] }, 'data[1].workspace'],
    [{ data: [{ title: 'a' }, { title: 'b', assignee: 'usr_x' }] }, 'data[1].assignee'],
    [{ data: [{ title: 'a', labels: ['x', ''] }] }, 'data[0].labels[1]'],
    [{ data: ['a'] }, 'data[0]'],
    [{ data: [null] }, 'data[0]'],
  ),
]

const below = [
  body(
    'task_comments.create',
    [{ body: undefined }, 'body'],
    [{ body: '' }, 'body'],
    [{ body: chars(65_537) }, 'body'],
    [{ body: null }, 'body'],
  ),
  body('task_comments.create', [{ workspace: undefined }, 'workspace'], [{ author: 'me' }, 'author']),
  body(
    'task_comments.update',
    [{ body: undefined }, 'body'],
    [{ body: '' }, 'body'],
    [{ workspace: '{other_workspace}' }, null, 'resource_not_found'],
  ),
  path(
    'task_comments.retrieve',
    [{ id: '{deleted_comment}' }, null, deleted],
    [{ task_id: '{other_task}' }, null],
    [{ id: 'cmt_x' }, null],
  ),
  path('task_comments.list', [{ task_id: '{deleted_task}' }, null, deleted], [{ task_id: 'tsk_x' }, null]),
  path('task_comments.delete', [{ task_id: '{other_task}' }, null], [{ task_id: '{deleted_task}' }, null, deleted]),
  path('task_comments.create', [{ task_id: '{archived_task}' }, undefined, conflict]),
  body(
    'task_dependencies.create',
    [{ to: undefined }, 'to'],
    [{ to: '{task}' }, 'to'],
    [{ to: 'tsk_x' }, 'to'],
    [{ to: '{deleted_task}' }, 'to'],
    [{ to: '{elsewhere_task}' }, undefined, conflict],
    [{ to: '{dependent_task}' }, undefined, conflict],
    [{ to: '{blocking_task}' }, undefined, conflict],
    [{ kind: 'needs' }, 'kind'],
    [{ kind: null }, 'kind'],
  ),
  path('task_dependencies.delete', [{ id: 'dep_x' }, null], [{ task_id: '{other_task}' }, null]),
  query('time_entries.list', [{ task: 'tsk_x' }, 'task'], [{ user: '{user}' }, 'user']),
  body(
    'time_entries.create',
    [{ task: undefined }, 'task'],
    [{ task: null }, 'task'],
    [{ task: '{deleted_task}' }, 'task'],
    [{ started_at: undefined }, undefined],
    [{ duration_ms: -1 }, 'duration_ms'],
    [{ duration_ms: 1.5 }, 'duration_ms'],
    [{ duration_ms: '60' }, 'duration_ms'],
    [{ ended_at: 1 }, undefined],
    [{ started_at: 100, ended_at: 50, duration_ms: undefined }, undefined],
    [{ started_at: 100, ended_at: 200, duration_ms: 5 }, undefined],
    [{ billable: 'yes' }, 'billable'],
    [{ note: chars(2001) }, 'note'],
    [{ user: 'usr_x' }, 'user'],
    [{ project: 'prj_x' }, 'project'],
    [{ status: 'running' }, 'status'],
  ),
  body(
    'time_entries.start',
    [{ started_at: 5 }, 'started_at'],
    [{ ended_at: 5 }, 'ended_at'],
    [{ task: undefined }, 'task'],
  ),
  path('time_entries.stop', [{ id: '{time_entry}' }, undefined, conflict], [{ id: 'tme_x' }, null]),
  path('time_entries.retrieve', [{ id: '{deleted_time_entry}' }, null, deleted]),
  body(
    'time_entries.update',
    [{ duration_ms: null }, 'duration_ms'],
    [{ task: 'tsk_x' }, 'task'],
    [{ source: 'timer' }, 'source'],
  ),
  path('saved_filters.retrieve', [{ id: 'flt_x' }, null]),
  path('task_templates.retrieve', [{ id: 'tpl_x' }, null]),
  query('task_templates.list', [{ project: 'prj_x' }, 'project']),
  body(
    'task_templates.instantiate',
    [{ status: 'open' }, 'status'],
    [{ completed_at: 5 }, 'completed_at'],
    [{ title: '' }, 'title'],
  ),
]

const money = [
  body(
    'expenses.create',
    [{ category: undefined }, 'category'],
    [{ category: '' }, 'category'],
    [{ expense_date: '2026-02-30' }, 'expense_date'],
    [{ expense_date: '03.08.2026' }, 'expense_date'],
    [{ expense_date: 1 }, 'expense_date'],
    [{ currency: 'eur' }, 'currency'],
    [{ currency: 'XQZ' }, 'currency'],
    [{ currency: 'EURO' }, 'currency'],
    [{ gross_amount_minor: undefined }, 'gross_amount_minor'],
    [{ gross_amount_minor: -1 }, 'gross_amount_minor'],
    [{ gross_amount_minor: 1.5 }, 'gross_amount_minor'],
    [{ gross_amount_minor: '100' }, 'gross_amount_minor'],
    [{ gross_amount_minor: 100, net_amount_minor: 90, tax_amount_minor: 9 }, undefined],
    [{ tax_rate_bp: 100_001 }, 'tax_rate_bp'],
    [{ tax_rate_bp: -1 }, 'tax_rate_bp'],
    [{ extra_fields: { A: 1 } }, 'extra_fields.A'],
    [{ vendor: 5 }, 'vendor'],
    [{ project: 'prj_x' }, 'project'],
    [{ status: 'approved' }, 'status'],
  ),
  body(
    'expenses.update',
    [{ revision: 99 }, undefined, conflict],
    [{ revision: '1' }, 'revision'],
    [{ currency: null }, 'currency'],
  ),
  query('expenses.list', [{ project: 'prj_x' }, 'project'], [{ workspace: 'wsp_x' }, 'workspace']),
  body(
    'billing_rates.create',
    [{ scope: 'team' }, 'scope'],
    [{ scope: 'workspace' }, 'target'],
    [{ target: undefined }, 'target'],
    [{ target: 'prj_x' }, 'target'],
    [{ target: '{rated_project}' }, undefined, conflict],
    [{ amount_minor: undefined }, 'amount_minor'],
    [{ amount_minor: -5 }, 'amount_minor'],
  ),
  body(
    'invoice_drafts.create',
    [{ gross_amount_minor: 1 }, undefined],
    [{ status: 'finalized' }, 'status'],
    [{ status: 'paid' }, 'status'],
    [{ project: null }, 'project'],
    [{ net_amount_minor: undefined }, 'net_amount_minor'],
  ),
  body('invoice_drafts.update', [{ status: 'finalized' }, 'status', conflict], [{ gross_amount_minor: 5 }, undefined]),
  path('invoice_drafts.retrieve', [{ id: 'inv_x' }, null]),
]

const boards = [
  query(
    'boards.list',
    [{ include_archived: 'maybe' }, 'include_archived'],
    [{ starting_after: '{board}' }, 'starting_after'],
  ),
  body(
    'boards.create',
    [{ name: undefined }, 'name'],
    [{ name: '' }, 'name'],
    [{ description: 5 }, 'description'],
    [{ owner: '{user}' }, 'owner'],
  ),
  body('boards.update', [{ name: null }, 'name'], [{ status: 'archived' }, 'status']),
  path('boards.update', [{ id: '{archived_board}' }, undefined, conflict], [{ id: 'brd_x' }, null]),
  path('boards.delete', [{ id: '{archived_board}' }, undefined, conflict]),
  body(
    'board_members.create',
    [{ role: undefined }, 'role'],
    [{ role: 'admin' }, 'role'],
    [{ role: 'owner' }, 'role'],
    [{ user: 'usr_x' }, 'user'],
    [{ user: '{inactive_user}' }, 'user'],
  ),
  path(
    'board_members.update',
    [{ user_id: 'usr_x' }, null],
    [{ id: 'brd_x' }, null],
    [{ id: '{archived_board}' }, undefined],
  ),
  query('board_members.list', [{ ending_before: '{board}' }, 'ending_before'], [{ fields: 'id' }, 'fields']),
  path('board_items.retrieve', [{ item_id: 'itm_x' }, null], [{ id: 'brd_x' }, null]),
  query('board_items.list', [{ cursor: 'x' }, 'cursor', 'cursor_invalid']),
]

const exported = [
  body(
    'exports.create',
    [{ resource: undefined }, 'resource'],
    [{ resource: 'projects' }, 'resource'],
    [{ project: 'prj_x' }, 'project'],
    [{ project: ['prj_x'] }, 'project[0]'],
    [{ filter: 'status =' }, 'filter'],
    [{ is_archived: 'false' }, 'is_archived'],
    [{ due_before: 'x' }, 'due_before'],
    [{ workspace: 'wsp_x' }, 'workspace'],
    [{ format: 'csv' }, 'format'],
  ),
  path('jobs.retrieve', [{ id: 'job_x' }, null]),
  query('jobs.retrieve', [{ wait: 'true' }, 'wait']),
]

const webhook = 'invalid_webhook_url'

const webhooks = [
  body(
    'webhook_endpoints.create',
    [{ url: undefined }, 'url'],
    [{ url: 5 }, 'url'],
    [{ url: 'hooks' }, 'url', webhook],
    [{ url: 'http://hooks.example.com/' }, 'url', webhook],
    [{ url: 'ftp://hooks.example.com/' }, 'url', webhook],
    [{ url: 'https://me:secret@hooks.example.com/' }, 'url', webhook],
    [{ url: 'https://hooks.example.com/#top' }, 'url', webhook],
    [{ url: 'https://hooks.example.com:8080/' }, 'url', webhook],
    [{ url: 'https://10.0.0.1/' }, 'url', webhook],
    [{ url: 'https://[::1]/' }, 'url', webhook],
    [{ event_types: undefined }, 'event_types'],
    [{ event_types: [] }, 'event_types'],
    [{ event_types: 'workflow.*' }, 'event_types'],
    [{ event_types: ['workflow.*', 'task.created'] }, undefined],
    [{ event_types: ['platform.webhook_endpoint.verify'] }, undefined],
    [{ exclude_own_events: 'no' }, 'exclude_own_events'],
    [{ secret: 'mine' }, 'secret'],
  ),
  body(
    'webhook_endpoints.update',
    [{ status: 'disabled' }, 'status'],
    [{ status: 'on' }, 'status'],
    [{ url: null }, 'url'],
  ),
  body(
    'webhook_endpoints.update',
    [{ url: 'https://192.168.0.1/' }, 'url', webhook],
    [{ event_types: ['x'] }, undefined],
  ),
  path('webhook_endpoints.retrieve', [{ id: 'whe_x' }, null]),
  path('webhook_endpoints.delete', [{ id: 'whe_x' }, null]),
  query('webhook_endpoints.list', [{ cursor: 'x' }, 'cursor', 'cursor_invalid'], [{ fields: 'id' }, 'fields']),
  path('events.retrieve', [{ id: 'evt_x' }, null]),
  path('events.resend', [{ id: 'evt_x' }, null]),
  path('events.replay', [{ id: 'evt_x' }, null]),
]

export const wrongRequests: readonly Wrong[] = [
  platform,
  events,
  workspaces,
  projects,
  columns,
  tasks,
  below,
  money,
  boards,
  exported,
  webhooks,
].flat(2)
