/** Requests drawn from numbers: mostly sensible ones, with every kind of client error among them. */

import type { Form } from './forms.ts'
import { parametersOf } from './input.ts'
import { cursorsOf } from './lists.ts'
import type { Model } from './model.ts'
import type { ModelRequest, Presented } from './model-request.ts'
import type { Fields, Json } from './names.ts'
import type { Numbers } from './numbers.ts'
import type { OperationModel } from './operation.ts'
import type { Thing } from './state.ts'
import { tagsOf } from './tags.ts'

/** What earlier requests leave for later ones. */
export interface Past {
  /** Writes that were sent. */
  readonly sent: ModelRequest[]
  keys: number
}

/** Secrets without a credential. */
const unknown_secrets: readonly (string | null)[] = [
  null,
  'atr_live_x',
  'atr_at_live_x',
  `atr_live_${'a'.repeat(36)}`,
  'sk_live_1',
]

function presentedOf(n: Numbers, model: Model): Presented {
  const odd = n.below(100)
  const of = (name: string): Presented => {
    const is = model.data.credentials.find((each) => each.id === name) ?? null
    return { secret: is?.secret ?? null, is }
  }
  const [live, test] = model.data.credentials
  if (odd >= 96) return { secret: n.pick(unknown_secrets), is: null }
  const known = model.data.credentials.slice(2).filter(({ secret }) => model.isKnown(secret))
  if (odd >= 91 && known.length > 0) return of(n.pick(known.toReversed()).id)
  return of((odd >= 86 ? test : live)?.id ?? '')
}

const outer = ({ shown }: Thing): string => String(shown.task ?? shown.from ?? shown.board)

function paramsOf(operation: OperationModel, n: Numbers, model: Model): Record<string, string> {
  const { names, target, parent, id } = operation
  const [first, second] = names
  if (first === undefined) return {}
  if (parent === undefined) return { [first]: model.reference(target ?? loggedKind(id), n) }
  if (second === undefined) return { [first]: model.reference(parent, n) }
  const kind = target ?? 'board_item'
  const present = model.present(kind)
  const inner = model.reference(kind, n)
  const thing = present.find((each) => each.id === inner)
  const isNear = thing !== undefined && !n.chance(7)
  const reference = kind === 'board_member' ? String(thing?.shown.user ?? model.reference('user', n)) : inner
  return { [first]: isNear ? outer(thing) : model.reference(parent, n), [second]: reference }
}

function loggedKind(operation: string): string {
  if (operation.startsWith('events.')) return 'event'
  return operation === 'organizations.retrieve' ? 'organization' : 'request_log'
}

/** The thing that a request is about, if it can be determined before sending. */
function subjectOf(
  operation: OperationModel,
  params: Readonly<Record<string, string>>,
  model: Model,
  mode: 'live' | 'test',
): Thing | undefined {
  const kind = operation.target ?? operation.parent
  const reference = params[operation.names.at(-1) ?? ''] ?? ''
  if (kind === undefined) return undefined
  return model
    .realm(mode)
    .things.find((thing) => thing.kind === kind && (thing.id === reference || thing.shown.key === reference))
}

const isBroken = (n: Numbers): boolean => n.chance(4)

function queryOf(operation: OperationModel, n: Numbers, model: Model, subject: Thing | undefined): [string, string][] {
  const query: [string, string][] = []
  const forms = Object.entries(parametersOf(operation))
  for (const [name, form] of forms) {
    const isNeeded = operation.needsQuery?.includes(name.replace('[]', '')) === true
    if (!isNeeded && !n.chance(22)) continue
    if (name === 'starting_after' || name === 'ending_before' || name === 'cursor') {
      if (query.every(([other]) => other !== 'starting_after') || n.chance(5))
        query.push([name, cursorOf(operation, n, model)])
      continue
    }
    if (name === 'fields') {
      query.push([name, fieldsOf(n)])
      continue
    }
    const isOne = !name.endsWith('[]')
    const bad = form.bad.filter((each) => typeof each === 'string')
    const value = String(bad.length > 0 && n.chance(3) ? n.pick(bad) : form.good(n, model))
    const isAligned = name === 'workspace' && subject !== undefined && 'workspace' in subject.shown && !n.chance(10)
    query.push([
      isOne || n.chance(50) ? name.replace('[]', '') : name,
      isAligned ? String(subject.shown.workspace) : value,
    ])
    if (!isOne && n.chance(30)) query.push([name, String(form.good(n, model))])
  }
  if (n.chance(2))
    query.push(
      n.pick([
        ['nonsense', '1'],
        ['limit', '2'],
        ['offset', '5'],
      ] as [string, string][]),
    )
  return query
}

/** A cursor: mostly one that a list returned, or one of its objects. */
function cursorOf(operation: OperationModel, n: Numbers, model: Model): string {
  const given = [...cursorsOf(model)].filter(([name, place]) => place.operation === operation.id && model.isKnown(name))
  const last = given.at(-1 - n.below(2))?.[0]
  if (last !== undefined && !n.chance(15)) return last
  if (operation.paging === 'opaque')
    return n.pick(['x', 'AAAA', [...cursorsOf(model).keys()].find((name) => model.isKnown(name)) ?? 'x'])
  return model.reference(kindOf(operation), n)
}

const plural: Readonly<Record<string, string>> = {
  task_comments: 'comment',
  task_dependencies: 'dependency',
  time_entries: 'time_entry',
  jobs: 'export_job',
}
const kindOf = ({ id }: OperationModel): string => {
  const noun = id.slice(0, id.indexOf('.'))
  return plural[noun] ?? noun.slice(0, -1)
}

function fieldsOf(n: Numbers): string {
  const some = ['id', 'created', 'workspace', 'name', 'title', 'revision', 'object', 'nonsense']
  return [...new Set(Array.from({ length: 1 + n.below(3) }, () => n.pick(some)))].join()
}

function bodyOf(operation: OperationModel, n: Numbers, model: Model, subject: Thing | undefined): Json | undefined {
  const { body: forms, needs = [], shape } = operation
  if (forms === undefined) return n.chance(20) ? {} : undefined
  if (needs.length === 0 && n.chance(12)) return n.pick([undefined, {}])
  const body: Fields = {}
  for (const [name, form] of Object.entries(forms)) {
    if (needs.includes(name) || n.chance(name === 'workspace' ? 15 : 35)) body[name] = form.good(n, model)
  }
  align(body, n, model, subject)
  shape?.(body, n, model)
  if (!isBroken(n)) return body
  return corrupted(body, forms, n)
}

/** Makes workspaces mostly match the other objects in a body. */
function align(body: Fields, n: Numbers, model: Model, subject: Thing | undefined): void {
  if (!('workspace' in body) || n.chance(6)) return
  const named = [body.project, body.task, body.portfolio, body.to].filter((each) => typeof each === 'string')
  const things = [
    subject,
    ...named.map((each) =>
      ['project', 'task', 'portfolio'].flatMap((kind) => model.present(kind)).find(({ id }) => id === each),
    ),
  ]
  const found = things.find((each) => each !== undefined && 'workspace' in each.shown)
  if (found !== undefined) body.workspace = found.shown.workspace as Json
}

function corrupted(body: Fields, forms: Readonly<Record<string, Form>>, n: Numbers): Json {
  const names = Object.keys(forms)
  const name = n.pick(names)
  const bad = (forms[name] as Form).bad
  const ways: readonly (() => Json)[] = [
    () => ({ ...body, ...(bad.length === 0 ? {} : { [name]: n.pick(bad) }) }),
    () => Object.fromEntries(Object.entries(body).filter(([each]) => each !== name)),
    () => ({ ...body, nonsense: 1 }),
    () => ({ ...body, id: 'mine' }),
    () => n.pick([[], 'x', 5, null]),
  ]
  return n.pick(ways)()
}

const raws: readonly { text: string; type: string | null }[] = [
  { text: '{"broken', type: 'application/json' },
  { text: '{"a":1,"a":2}', type: 'application/json' },
  { text: '{}', type: 'text/plain' },
  { text: '{}', type: null },
  { text: '{}', type: 'application/json; charset=latin1' },
  { text: '{"a":1e999}', type: 'application/json' },
  { text: `${'['.repeat(40)}${']'.repeat(40)}`, type: 'application/json' },
  { text: '\ufeff{}', type: 'application/json' },
  { text: '{} {}', type: 'application/json' },
]

function headersOf(
  operation: OperationModel,
  n: Numbers,
  model: Model,
  subject: Thing | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {}
  if (operation.id === 'events.stream') return operation.headers?.(n, model) ?? {}
  if (n.chance(3)) headers['service-version'] = n.pick(['2026-08-03', '2020-01-01', 'never'])
  if (operation.method === 'GET') {
    const tags = tagsOf(model).filter((tag) => model.isKnown(tag))
    if (n.chance(15) && tags.length > 0) {
      const tag = tags.at(-1 - n.below(Math.min(6, tags.length))) as string
      headers['if-none-match'] = n.pick([tag, `W/${tag}`, `"x", ${tag}`, '"x"', '*'])
    }
    return headers
  }
  if (n.chance(4)) headers.prefer = n.pick(['dry-run', 'dry-run', 'dry-run=false'])
  const revision = subject?.shown.revision
  if (operation.isGuarded === true && operation.method !== 'POST' && typeof revision === 'number' && n.chance(18)) {
    headers['if-match'] = n.pick([
      `"${revision}"`,
      String(revision),
      '*',
      `"${revision}-abc"`,
      `"${revision + 1}"`,
      String(revision - 1),
      'abc',
      'W/"x"',
    ])
  }
  return headers
}

function keysOf(n: Numbers, past: Past): string[] {
  const key = `idem-${++past.keys}`
  const odd = n.below(100)
  if (odd >= 98) return []
  if (odd >= 96) return n.pick([['a b'], [''], ['x'.repeat(256)], ['ä'], [key, key]])
  return odd >= 92 ? [`"${key}"`] : [key]
}

/** A request for an operation. */
export function makeRequest(operation: OperationModel, n: Numbers, model: Model, past: Past): ModelRequest {
  const presented = presentedOf(n, model)
  const mode = presented.is?.mode ?? 'live'
  model.setMode(mode)
  const again = operation.method !== 'GET' && n.chance(6) ? past.sent.at(-1 - n.below(3)) : undefined
  if (again !== undefined) return repeated(again, n, model)
  const inUrl = n.chance(1)
  const params = paramsOf(operation, n, model)
  const subject = subjectOf(operation, params, model, mode)
  const query =
    operation.id.endsWith('.retrieve') && !n.chance(20) && operation.needsQuery === undefined
      ? []
      : queryOf(operation, n, model, subject)
  const isWrite = operation.method !== 'GET'
  const body = isWrite ? bodyOf(operation, n, model, subject) : undefined
  const raw = isWrite && n.chance(1) ? n.pick(raws) : null
  const headers = headersOf(operation, n, model, subject)
  return { operation, presented, inUrl, params, query, body, raw, keys: isWrite ? keysOf(n, past) : [], headers }
}

/** Repeats a request, or sends something else under its key. */
function repeated(again: ModelRequest, n: Numbers, model: Model): ModelRequest {
  const is = model.data.credentials.find(({ id }) => id === again.presented.is?.id) ?? null
  const same: ModelRequest = { ...again, presented: { secret: again.presented.secret, is } }
  if (!n.chance(35)) return same
  const { body } = again
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { ...same, query: [...again.query, ['nonsense', '1']] }
  const [name] = Object.keys(body)
  return name === undefined ? same : { ...same, body: Object.fromEntries(Object.entries(body).slice(1)) as Json }
}
