/** Lists of tasks: order, counts and expansions. */
import { bad_filters, isFilterText, makeFilter, type Tree } from './filter.ts'
import { type Form, id, query_flag, query_moment, query_word } from './forms.ts'
import { cursorsOf, envelope, type Row, shows } from './lists.ts'
import type { Model } from './model.ts'
import type { Fields, Json } from './names.ts'
import type { Numbers } from './numbers.ts'
import { type Answer, type Context, operation } from './operation.ts'
import { badQuery, Refused } from './refused.ts'
import { alive, type Realm, type Thing } from './state.ts'
import { priorities, statuses } from './tasks.ts'
import { in_workspace, show } from './things.ts'

/** Generated expressions by their text; other texts are invalid. */
const made = new Map<string, Tree>()

const filter: Form = {
  good(n, finder) {
    const model = finder as Model
    const saved = model.present('saved_filter')
    if (saved.length > 0 && n.chance(15)) return n.pick(saved).id
    const users = model.setting.members.map(({ user }) => user as string)
    return remember(makeFilter(n, model.now, users))
  },
  bad: ['', ...bad_filters],
  faults: (value, path) => (isFilterText(value) ? [] : [path]),
}

function remember(tree: Tree): string {
  made.set(tree.text, tree)
  return tree.text
}

/** The expression of a text or of a saved filter's id. */
export function treeOf(model: Model, realm: Realm, sent: string): Tree | null {
  const own = made.get(sent)
  if (own !== undefined) return own
  const saved = model.seek(realm, 'saved_filter', sent)
  if (saved === undefined || saved.isDeleted) return null
  return made.get(saved.shown.filter as string) ?? null
}

const keys = ['created', 'updated', 'due_at', 'completed_at', 'priority', 'title', 'position'] as const

const sort: Form = {
  good: (n) => {
    const names = [n.pick(keys), n.pick(keys)].slice(0, 1 + n.below(2))
    return [...new Set(names)].map((name) => (n.chance(50) ? `-${name}` : name)).join()
  },
  bad: ['colour', 'title,title', 'title,created,updated', '--title', ''],
  faults: (value) => (sortOf(String(value)) === null ? ['sort'] : []),
}

interface Key {
  readonly name: string
  readonly descends: boolean
}

function sortOf(text: string): Key[] | null {
  const parts = text.split(',').map((part) => ({ name: part.replace(/^-/, ''), descends: part.startsWith('-') }))
  const names = parts.map(({ name }) => name)
  const isKnown = names.every((name) => keys.includes(name as (typeof keys)[number]))
  return isKnown && parts.length <= 2 && new Set(names).size === parts.length ? parts : null
}

const expansions = ['assignee', 'project', 'column', 'project.portfolio']

const expand: Form = {
  good: (n) => [...new Set(Array.from({ length: 1 + n.below(2) }, () => n.pick(expansions)))].join(),
  bad: ['comments', 'assignee,assignee', ''],
  faults: (value) => {
    const names = String(value).split(',')
    const isRight = names.every((name) => expansions.includes(name)) && new Set(names).size === names.length
    return isRight ? [] : ['expand']
  },
}

const question: Readonly<Record<string, Form>> = {
  workspace: id('workspace'),
  'project[]': {
    ...id('project'),
    good: (n, finder) => (n.chance(25) ? 'null' : finder.reference('project', n)),
    bad: [''],
  },
  'status[]': query_word(...statuses),
  'assignee[]': { ...query_word('null'), good: (n, finder) => (n.chance(25) ? 'null' : finder.reference('user', n)) },
  due_before: query_moment,
  is_archived: query_flag,
  filter,
}

function matchesFilter(context: Context): (task: Thing) => boolean {
  const { model, realm, query, many } = context
  const tree = query.filter === undefined ? null : treeOf(model, realm, query.filter)
  if (query.filter !== undefined && tree === null) throw badQuery('filter')
  return ({ shown }) => {
    const among = (name: string): boolean =>
      many[name]?.includes(shown[name] === null ? 'null' : String(shown[name])) ?? true
    if (query.workspace !== undefined && shown.workspace !== query.workspace) return false
    if (!among('project') || !among('status') || !among('assignee')) return false
    if (query.due_before !== undefined && (shown.due_at === null || Number(shown.due_at) >= Number(query.due_before)))
      return false
    if (
      query.is_archived !== undefined
        ? shown.is_archived !== (query.is_archived === 'true')
        : !tree?.namesArchived && shown.is_archived
    )
      return false
    return tree?.fits(shown) ?? true
  }
}

/** The sort value of a task; nulls come last in both directions. */
function sortedBy(shown: Fields, name: string): number | string | null {
  if (name === 'priority') return priorities.indexOf(shown.priority as string)
  return (shown[name] ?? null) as number | string | null
}

const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

function compareBy(order: readonly Key[], a: Standing, b: Standing): number {
  for (const [i, { descends }] of order.entries()) {
    const [one, other] = [a.values[i] ?? null, b.values[i] ?? null]
    if (one === other) continue
    if (one === null) return 1
    if (other === null) return -1
    const found = typeof one === 'string' ? byCodePoint(one, other as string) : one - (other as number)
    if (found !== 0) return descends ? -found : found
  }
  const isDown = order.at(-1)?.descends ?? true
  return (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) * (isDown ? -1 : 1)
}

/** The position of a task in an order. */
interface Standing {
  readonly id: string
  readonly values: readonly (number | string | null)[]
}

const standing = (order: readonly Key[], { id: own, shown }: Thing): Standing => ({
  id: own,
  values: order.map(({ name }) => sortedBy(shown, name)),
})

/** The position that a cursor names. */
function placeOf(context: Context, order: readonly Key[], sent: string, param: string): Standing {
  const { model, realm, query } = context
  const token = cursorsOf(model).get(sent)
  if (token !== undefined) {
    if (token.operation !== 'tasks.list' || token.mode !== realm.mode) throw new Refused('cursor_invalid', param)
    if (token.filters !== (query.sort ?? '')) throw new Refused('cursor_filter_mismatch', param)
    return token.behind as unknown as Standing
  }
  const found = context.model.seek(realm, 'task', sent)
  if (found === undefined) throw new Refused('cursor_invalid', param)
  if (query.workspace !== undefined && found.shown.workspace !== query.workspace)
    throw new Refused('cursor_filter_mismatch', param)
  return standing(order, found)
}

function listTasks(context: Context): Answer {
  const { model, realm, query } = context
  requireScopes(context)
  const order = query.sort === undefined ? [] : (sortOf(query.sort) as Key[])
  const incoming = matchesFilter(context)
  const sent = query.starting_after ?? query.ending_before
  const isBack = query.ending_before !== undefined
  const from = sent === undefined ? null : placeOf(context, order, sent, isBack ? 'ending_before' : 'starting_after')
  const things = alive(realm, 'task')
    .filter(incoming)
    .map((thing) => ({ thing, at: standing(order, thing) }))
    .sort((a, b) => compareBy(order, a.at, b.at))
    .filter(({ at }) => from === null || (isBack ? compareBy(order, at, from) < 0 : compareBy(order, at, from) > 0))
  const size = Number(query.limit ?? 20)
  const taken = isBack ? things.slice(-size) : things.slice(0, size)
  const has_more = things.length > taken.length
  const last = isBack ? taken[0] : taken.at(-1)
  const rows: Row[] = taken.map(({ thing }) => ({ id: thing.id, shown: expanded(context, thing) }))
  if (!has_more || last === undefined) return envelope(context, rows, has_more, null)
  if (order.length === 0) return envelope(context, rows, true, last.at.id)
  const next = model.name('cursor')
  const behind = last.at as unknown as Json
  cursorsOf(model).set(next, { operation: 'tasks.list', mode: realm.mode, filters: query.sort ?? '', behind })
  return envelope(context, rows, true, next)
}

const scopes: Readonly<Record<string, string>> = {
  assignee: 'api:read',
  project: 'projects:read',
  column: 'projects:read',
  'project.portfolio': 'projects:read',
}

function requireScopes({ query, credential }: Context): void {
  const names = query.expand?.split(',') ?? []
  if (names.some((name) => !credential.scopes.includes(scopes[name] as string))) throw new Refused('insufficient_scope')
}

/** Replaces the ids named by `expand` with objects. */
function expanded(context: Context, task: Thing): Row['shown'] {
  const { model, realm, query } = context
  const names = query.expand?.split(',') ?? []
  const shown = { ...task.shown } as Record<string, Row['shown'][string]>
  const put = (kind: string, reference: Json | undefined): Row['shown'][string] => {
    if (typeof reference !== 'string') return null
    const found = realm.things.find((thing) => thing.kind === kind && thing.id === reference)
    if (found?.isDeleted) return { id: reference, object: kind, deleted: true }
    return found === undefined ? null : ({ ...found.shown } as Row['shown'])
  }
  if (names.includes('assignee') && typeof shown.assignee === 'string') {
    shown.assignee = (model.setting.members.find(({ user }) => user === shown.assignee) ?? null) as Row['shown'] | null
  }
  if (names.includes('column')) shown.column = put('column', task.shown.column as Json)
  const isProject = names.includes('project') || names.includes('project.portfolio')
  if (isProject) shown.project = put('project', task.shown.project as Json)
  const project = shown.project as Fields | null
  if (names.includes('project.portfolio') && project !== null && project.deleted !== true) {
    shown.project = { ...project, portfolio: put('portfolio', project.portfolio as Json) } as Row['shown']
  }
  return shown
}

/** A count is cached for a minute. */
function countTasks(context: Context): Answer {
  const { realm, incoming, now } = context
  const isOne = matchesFilter(context)
  const name = JSON.stringify(incoming.query.toSorted())
  const known = realm.counts[name]
  const isFresh = known !== undefined && known.computed + 60 > now
  const found = isFresh ? known : { count: alive(realm, 'task').filter(isOne).length, computed: now }
  realm.counts[name] = found
  return { object: 'task_count', count: found.count, computed_at: found.computed, expires_at: found.computed + 60 }
}

export const task_lists = [
  operation('tasks.list', { query: { ...question, sort, expand }, weight: 10, run: listTasks }),
  operation('tasks.count', { query: question, weight: 2, run: countTasks }),
  operation('tasks.retrieve', {
    target: 'task',
    query: { ...in_workspace, expand },
    weight: 4,
    run(context) {
      if (context.query.expand === undefined) return show(context)
      requireScopes(context)
      return expanded(context, context.target)
    },
  }),
]

shows('tasks.list', [
  ...['id', 'object', 'created', 'updated', 'workspace', 'number', 'key', 'project', 'column', 'title', 'description'],
  ...[
    'mentions',
    'status',
    'priority',
    'assignee',
    'creator',
    'start_at',
    'due_at',
    'completed_at',
    'is_archived',
    'labels',
    'custom_fields',
  ],
  ...['parent', 'subtask_count', 'subtask_done_count', 'position', 'template', 'revision'],
])

export function generatedFilter(n: Numbers, model: Model): string {
  return remember(
    makeFilter(
      n,
      model.now,
      model.setting.members.map(({ user }) => user as string),
    ),
  )
}
