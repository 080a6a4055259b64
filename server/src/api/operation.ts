/**
 * The declaration of an operation: what is true of this one and of no other. Routes, validation, documents and
 * conformance tests are derived from it. `readOperation`, `listOperation` and `writeOperation` make one each.
 */
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox'
import type { MaybePromise } from '../db/query.ts'
import type { Reader, Tx } from '../db/store.ts'
import type { Caller } from './caller.ts'
import type { Precondition } from './conditional.ts'
import { type ErrorClass, type ErrorCode, errorClasses } from './errors.ts'
import type { EventType } from './event.ts'
import type { AnyNoun, Noun, NounRow } from './noun.ts'
import type { Page, PageQuery } from './page-shape.ts'
import {
  cursorParameter,
  endingBefore,
  fieldsParameter,
  idParameter,
  limitParameter,
  type Parameters,
  type ParameterValues,
  startingAfter,
} from './parameters.ts'
import type { Request } from './request.ts'
import type { Scope } from './scopes.ts'
import type { Services } from './services.ts'
import { Id } from './shapes.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
export type Paging = 'id' | 'id_forward' | 'opaque'

/** What every handler gets. `now` is in milliseconds. */
interface Common<T, P> {
  readonly params: Readonly<Record<string, string>>
  readonly caller: Caller
  readonly now: number
  readonly services: Services
  /** The row that the last id of the path stands for: it exists, is the caller's, and is not deleted. */
  readonly target: T
  /** The row of the outer id of a nested path. */
  readonly parent: P
  readonly requestId: string
  /** The version that the request speaks, and the answer will speak. */
  readonly version: string
}

export interface ReadContext<Q, T, P> extends Common<T, P> {
  readonly query: Q
  readonly reader: Reader
  readonly path: string
  readonly request: Request
}

export interface ListContext<Q, P> extends ReadContext<Q & PageQuery, never, P> {
  readonly operation: Operation
}

/** What the audit entry says beyond what the events tell. */
export interface AuditNote {
  readonly target?: { readonly object: string; readonly id: string; readonly workspace?: string }
  readonly reason?: string
  readonly room?: string
  /** The write is audited although no event tells of it. */
  readonly unannounced?: true
}

export interface WriteContext<B, T, P, E extends EventType> extends Common<T, P> {
  readonly body: B
  readonly tx: Tx
  /** What `If-Match` said; already compared with the target's revision. */
  readonly precondition: Precondition | null
  /** Records what happened to an object: its state after and, unless it is new, before. */
  emit(event: E, after: object, before?: object): void
  note(note: AuditNote): void
}

interface Shared<T, P> {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly scope: Scope | null
  readonly credits: number
  /** The noun of the path's last id; the pipeline finds it and refuses what cannot be used. */
  readonly target?: Noun<T>
  /** The noun of the outer id of a nested path. */
  readonly parent?: Noun<P>
  /** A target counts only below this parent (decisions §6). */
  readonly within?: (target: T, parent: P) => boolean
  readonly example?: Example
}

/** Arguments with which the operation is tried in documents and tests; names in braces are filled from the world. */
export interface Example {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface Operation {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly scope: Scope | null
  readonly credits: number
  readonly kind: 'read' | 'list' | 'write'
  readonly errorClass: ErrorClass
  readonly codes: ReadonlySet<ErrorCode>
  readonly query: Parameters
  readonly body: TObject | null
  /** The body may be left out, because nothing in it is required. */
  readonly bodyOptional: boolean
  readonly returns: TSchema
  readonly lists: AnyNoun | null
  readonly paging: Paging | null
  readonly fields: boolean
  readonly emits: readonly EventType[]
  readonly target: AnyNoun | null
  readonly parent: AnyNoun | null
  readonly within: ((target: never, parent: never) => boolean) | null
  /** The answer holds a secret: what is kept for a replay is sealed (decisions §3). */
  readonly sealed: boolean
  readonly example: Example
  /** Answers with a stream of events instead of one object. */
  readonly streams: boolean
  /** Answers without the checks of parameters and version that others make (decisions §2). */
  readonly lenient: boolean
  readonly handle: (context: never) => MaybePromise<unknown>
  /** An outside call that has to be made before the transaction; its result reaches the handler. */
  readonly prepare: ((context: never) => Promise<unknown>) | null
  /** What this process has to do at once when the change is committed, before the answer leaves. */
  readonly afterCommit: ((services: Services) => void) | null
}

interface ReadDeclaration<Q extends Parameters, T, P> extends Shared<T, P> {
  readonly query?: Q
  readonly returns: TSchema
  readonly lenient?: boolean
  /** The handler returns an `OpenStream` instead of an object. */
  readonly streams?: boolean
  readonly handle: (context: ReadContext<ParameterValues<Q>, T, P>) => MaybePromise<object>
}

/** GET of one thing. */
export function readOperation<const Q extends Parameters, T = NounRow, P = NounRow>(
  declared: ReadDeclaration<Q, T, P>,
): Operation {
  const lenient = declared.lenient ?? false
  const errorClass = !lenient ? 'single_read' : declared.scope === null ? 'base' : 'scoped_read'
  return {
    ...shared(declared),
    kind: 'read',
    errorClass,
    codes: new Set(errorClasses[errorClass]),
    query: { ...workspaceParameter(declared.target), ...declared.query },
    returns: declared.returns,
    lenient,
    streams: declared.streams ?? false,
    handle: declared.handle as never,
  }
}

interface ListDeclaration<Q extends Parameters, P> extends Omit<Shared<never, P>, 'target' | 'within'> {
  readonly query?: Q
  readonly lists: AnyNoun
  readonly paging: Paging
  readonly fields?: boolean
  readonly handle: (context: ListContext<ParameterValues<Q>, P>) => MaybePromise<Page>
}

const pageParameters: Record<Paging, Parameters> = {
  id: { limit: limitParameter, starting_after: startingAfter, ending_before: endingBefore },
  id_forward: { limit: limitParameter, starting_after: startingAfter },
  opaque: { limit: limitParameter, cursor: cursorParameter },
}

/** GET of a list. The handler returns a page; the envelope is made by the pipeline. */
export function listOperation<const Q extends Parameters, P = NounRow>(declared: ListDeclaration<Q, P>): Operation {
  const errorClass = declared.parent === undefined ? 'list' : 'nested_list'
  return {
    ...shared(declared as Shared<never, P>),
    kind: 'list',
    errorClass,
    codes: new Set(errorClasses[errorClass]),
    query: {
      ...pageParameters[declared.paging],
      ...(declared.fields ? { fields: fieldsParameter } : {}),
      ...workspaceParameter(declared.parent),
      ...declared.query,
    },
    returns: listOf(declared.lists.schema, declared.fields ?? false),
    lists: declared.lists,
    paging: declared.paging,
    fields: declared.fields ?? false,
    handle: declared.handle as never,
  }
}

interface WriteDeclaration<B extends TProperties, T, P, E extends EventType> extends Shared<T, P> {
  readonly body?: B
  readonly query?: Parameters
  readonly returns: TSchema
  readonly emits: readonly E[]
  readonly sealed?: boolean
  readonly errorClass?: 'webhook_write'
  readonly prepare?: (context: WritePreparation<BodyOf<B>, T, P>) => Promise<unknown>
  readonly afterCommit?: (services: Services) => void
  readonly handle: (context: WriteContext<BodyOf<B>, T, P, E> & { readonly prepared: unknown }) => MaybePromise<object>
}

/** What `prepare` sees: no transaction is open while it waits for the outside. */
export type WritePreparation<B, T, P> = Common<T, P> & { readonly body: B; readonly reader: Reader }

type BodyOf<B extends TProperties> = Static<TObject<B>> & { readonly workspace?: string }

/** POST, PATCH or DELETE: one transaction. */
export function writeOperation<const B extends TProperties, T = NounRow, P = NounRow, E extends EventType = EventType>(
  declared: WriteDeclaration<B, T, P, E>,
): Operation {
  const errorClass = declared.errorClass ?? 'write'
  const named = declared.target?.workspaced || declared.parent?.workspaced
  const body = Type.Object(
    { ...(named ? { workspace: Type.Optional(Id) } : {}), ...declared.body },
    { additionalProperties: false },
  )
  const inQuery = declared.method === 'DELETE' ? workspaceParameter(declared.target) : {}
  return {
    ...shared(declared),
    kind: 'write',
    errorClass,
    codes: new Set(errorClasses[errorClass]),
    query: { ...inQuery, ...declared.query },
    body,
    bodyOptional: !body.required?.length,
    returns: declared.returns,
    emits: declared.emits,
    sealed: declared.sealed ?? false,
    prepare: (declared.prepare as never) ?? null,
    afterCommit: declared.afterCommit ?? null,
    handle: declared.handle as never,
  }
}

function shared<T, P>(declared: Shared<T, P>) {
  return {
    id: declared.id,
    method: declared.method,
    path: declared.path,
    summary: declared.summary,
    description: declared.description ?? '',
    scope: declared.scope,
    credits: declared.credits,
    target: declared.target ?? null,
    parent: declared.parent ?? null,
    within: (declared.within as never) ?? null,
    example: declared.example ?? {},
    body: null,
    bodyOptional: true,
    lists: null,
    paging: null,
    fields: false,
    emits: [],
    sealed: false,
    lenient: false,
    streams: false,
    prepare: null,
    afterCommit: null,
  }
}

function workspaceParameter(noun: { readonly workspaced: boolean } | undefined): Parameters {
  return noun?.workspaced ? { workspace: idParameter('The workspace that the object must belong to.') } : {}
}

/** The list envelope (contract §2.6). */
export function listOf(item: TSchema, fields: boolean): TObject {
  return Type.Object({
    object: Type.Literal('list'),
    url: Type.String({ pattern: '^/v1/' }),
    has_more: Type.Boolean(),
    next_cursor: Type.Union([Type.String({ maxLength: 1024 }), Type.Null()]),
    data: Type.Array(fields ? Type.Partial(item as TObject) : item, { maxItems: 100 }),
    ...(fields ? { fields_selected: Type.Optional(Type.Literal(true)) } : {}),
  })
}
