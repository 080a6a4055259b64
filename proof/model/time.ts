/** Time entries: any two of start, end and duration give the third. Stored in milliseconds, shown in seconds. */
import { requireOpen } from './columns.ts'
import { duration, type Form, flag, id, moment, note as noteForm, nullable } from './forms.ts'
import { stored } from './kinds.ts'
import { shows } from './lists.ts'
import type { Fields, Json } from './names.ts'
import { type Context, operation } from './operation.ts'
import { badBody, badQuery, conflict } from './refused.ts'
import { alive, type Thing } from './state.ts'
import { in_workspace, listOf, note, remove, show } from './things.ts'

const entry_fields: Readonly<Record<string, Form>> = {
  project: nullable(id('project')),
  user: nullable(id('user')),
  note: nullable(noteForm),
  billable: flag,
}
const times: Readonly<Record<string, Form>> = {
  started_at: nullable(moment),
  ended_at: nullable(moment),
  duration_ms: duration,
}

/** In milliseconds. `offset`: time worked before the start. */
interface Span {
  readonly start: number
  readonly end: number | null
  readonly length: number | null
  readonly offset: number
}

const second = (ms: number): number => Math.floor(ms / 1000)
const time_max = 8_640_000_000_000_000
const wrong = ['started_at', 'ended_at', 'duration_ms']

function between(start: number | undefined, end: number | undefined, length: number | undefined): Span {
  const begins = start ?? (end as number) - (length as number)
  const ends = length === undefined || start === undefined ? (end as number) : start + length
  if (end !== undefined && second(ends) !== second(end)) throw badBody(wrong)
  if (ends < begins || begins < 0 || ends > time_max) throw badBody(wrong)
  return { start: begins, end: ends, length: ends - begins, offset: 0 }
}

const ms = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value * 1000 : undefined)

function newSpan(body: Fields, now: number): Span {
  const start = ms(body.started_at)
  const end = ms(body.ended_at)
  const length = body.duration_ms as number | undefined
  if (start === undefined && (end === undefined || length === undefined)) throw badBody(wrong)
  if (end !== undefined || length !== undefined) return between(start, end, length)
  if ((start as number) > now * 1000) throw badBody(wrong)
  return { start: start as number, end: null, length: null, offset: 0 }
}

const spanOf = ({ hidden }: Thing): Span => hidden.span as unknown as Span

const withOffset = (span: Span, offset: number): Span => ({
  ...span,
  length: Math.min(Number.MAX_SAFE_INTEGER, offset + (span.length as number)),
  offset,
})

/** The new times of an entry after PATCH; `null`: unchanged. */
function changedSpan(entry: Span, body: Fields, now: number): Span | null {
  const isShown = (sent: Json | undefined, own: number | null) =>
    sent === undefined || sent === (own === null ? null : second(own))
  const length = body.duration_ms as number | undefined
  if (
    isShown(body.started_at, entry.start) &&
    isShown(body.ended_at, entry.end) &&
    (length === undefined || length === entry.length)
  )
    return null
  const keep = (sent: Json | undefined, own: number | null) =>
    typeof sent !== 'number' ? undefined : own !== null && second(own) === sent ? own : sent * 1000
  const start = keep(body.started_at, entry.start)
  const end = keep(body.ended_at, entry.end)
  const count = [start, end, length].filter((each) => each !== undefined).length
  if (body.started_at === null && count < 2) throw badBody(wrong)
  if (body.ended_at === null && entry.end !== null && count < 2) throw conflict()
  if (count >= 2) return between(start, end, length)
  if (length !== undefined) return between(entry.start, undefined, length)
  if (end !== undefined) return withOffset(between(entry.start, end, undefined), entry.offset)
  if (start === undefined) return null
  if (entry.end !== null) return withOffset(between(start, entry.end, undefined), entry.offset)
  if (start > now * 1000) throw badBody(wrong)
  return { ...entry, start }
}

const shownSpan = ({ start, end, length }: Span): Fields => ({
  started_at: second(start),
  ended_at: end === null ? null : second(end),
  duration_ms: length,
  status: end === null ? 'running' : 'stopped',
})

/** The whole entry as shown, with its times. */
function shownEntry(fields: Fields, span: Span): Fields {
  const { started_at, ended_at, duration_ms, status } = shownSpan(span)
  return { ...fields, ...({ started_at, ended_at, duration_ms, status } as Fields) }
}

function requireIdle({ realm }: Context, user: Json, but: string | null = null): void {
  const runs = ({ id: own, shown }: Thing) => own !== but && shown.status === 'running' && shown.user === user
  if (alive(realm, 'time_entry').some(runs)) throw conflict()
}

function userOf({ model, credential }: Context, sent: Json | undefined): string {
  const own = credential.owner.type === 'user' ? credential.owner.id : model.setting.serviceUser
  if (typeof sent !== 'string' || sent === own) return own
  model.requireUser(sent, 'user')
  return sent
}

function add(context: Context, span: Span, source: string, type: string) {
  const { model, realm, body } = context
  const workspace = model.workspaceOf(realm, body.workspace as string).id
  const task = model.referred(realm, 'task', body.task as string, 'task')
  if (task.shown.workspace !== workspace) throw badBody('task')
  requireOpen(realm, task.shown.project)
  const project =
    typeof body.project === 'string' && body.project !== task.shown.project
      ? model.usableProject(realm, body.project, workspace).id
      : body.project === undefined
        ? (task.shown.project as Json)
        : (body.project as Json)
  const user = userOf(context, body.user)
  if (span.end === null) requireIdle(context, user)
  const place: Fields = { ...model.head('time_entry'), workspace, task: task.id, project, user }
  const rest = { note: stored(body.note), billable: body.billable ?? false, source, revision: 1 }
  const made = model.add(realm, 'time_entry', { ...shownEntry(place, span), ...rest }, { span: { ...span } })
  model.recordEvent(type, made)
  note(context, made)
  return { ...made.shown }
}

/** Makes most bodies have two of the three times. */
function shape(body: Fields): void {
  if (body.started_at === undefined && body.ended_at === undefined) body.started_at = 1_700_000_000
  if (typeof body.started_at === 'number' && typeof body.ended_at === 'number') delete body.duration_ms
}

const create = operation('time_entries.create', {
  body: { workspace: id('workspace'), task: id('task'), ...entry_fields, ...times },
  needs: ['workspace', 'task'],
  shape: (body, n) => (n.chance(10) ? undefined : shape(body)),
  weight: 4,
  run: (context) => add(context, newSpan(context.body, context.now), 'manual', 'workflow.time_entry.created'),
})

const start = operation('time_entries.start', {
  body: { workspace: id('workspace'), task: id('task'), ...entry_fields, duration_ms: duration },
  needs: ['workspace', 'task'],
  weight: 3,
  run(context) {
    const offset = (context.body.duration_ms as number | undefined) ?? 0
    const span: Span = { start: context.now * 1000, end: null, length: null, offset }
    return add(context, span, 'timer', 'workflow.time_entry.started')
  },
})

function requireOpenEntry({ realm }: Context, entry: Thing): void {
  requireOpen(realm, entry.shown.project)
  const task = realm.things.find((thing) => thing.id === entry.shown.task)
  if (task !== undefined && !task.isDeleted) requireOpen(realm, task.shown.project)
}

const stop = operation('time_entries.stop', {
  target: 'time_entry',
  body: in_workspace,
  weight: 3,
  run(context) {
    const { model, target, now } = context
    requireOpenEntry(context, target)
    const before = spanOf(target)
    if (before.end !== null) throw conflict()
    const span = withOffset(between(before.start, Math.max(now * 1000, before.start), undefined), before.offset)
    target.hidden.span = { ...span }
    model.change(target, shownSpan(span), 'workflow.time_entry.stopped')
    note(context, target)
    return { ...target.shown }
  },
})

const update = operation('time_entries.update', {
  target: 'time_entry',
  body: { workspace: id('workspace'), task: nullable(id('task')), ...entry_fields, ...times },
  isGuarded: true,
  weight: 3,
  run(context) {
    const { model, realm, target, body, now } = context
    requireOpenEntry(context, target)
    const span = changedSpan(spanOf(target), body, now)
    const { workspace } = target.shown
    const fields: Fields = span === null ? {} : shownSpan(span)
    if ('task' in body) fields.task = taskOf(context, body.task as Json)
    if (typeof body.project === 'string' && body.project !== target.shown.project) {
      fields.project = model.usableProject(realm, body.project, workspace as Json).id
    } else if (body.project === null) fields.project = null
    if ('user' in body) fields.user = body.user === target.shown.user ? (body.user as Json) : userOf(context, body.user)
    if ('note' in body) fields.note = stored(body.note)
    if ('billable' in body) fields.billable = body.billable as Json
    const runs = (fields.status ?? target.shown.status) === 'running'
    if (runs && fields.user !== undefined && fields.user !== target.shown.user)
      requireIdle(context, fields.user, target.id)
    const stops = !runs && target.shown.status === 'running'
    if (span !== null) target.hidden.span = { ...span }
    model.change(target, fields, `workflow.time_entry.${stops ? 'stopped' : 'updated'}`)
    note(context, target)
    return { ...target.shown }
  },
})

function taskOf({ model, realm, target }: Context, sent: Json): Json {
  if (typeof sent !== 'string' || sent === target.shown.task) return sent
  const task = model.referred(realm, 'task', sent, 'task')
  if (task.shown.workspace !== target.shown.workspace) throw badBody('task')
  requireOpen(realm, task.shown.project)
  return task.id
}

export const time = [
  create,
  start,
  stop,
  update,
  operation('time_entries.delete', {
    target: 'time_entry',
    query: in_workspace,
    body: in_workspace,
    isGuarded: true,
    run(context) {
      requireOpenEntry(context, context.target)
      return remove(context, 'workflow.time_entry.deleted')
    },
  }),
  operation('time_entries.list', {
    query: { ...in_workspace, task: id('task') },
    run(context) {
      const { model, realm, query } = context
      if (query.task === undefined) return listOf(context, 'time_entry')
      const task = model.seek(realm, 'task', query.task)
      // A deleted task keeps its entries.
      if (task === undefined) throw badQuery('task')
      return listOf(context, 'time_entry', ({ shown }) => shown.task === task.id)
    },
  }),
  operation('time_entries.retrieve', { target: 'time_entry', query: in_workspace, run: show }),
]

shows('time_entries.list', [
  ...[
    'id',
    'object',
    'created',
    'updated',
    'workspace',
    'task',
    'project',
    'user',
    'started_at',
    'ended_at',
    'duration_ms',
  ],
  ...['status', 'note', 'billable', 'source', 'revision'],
])
