/**
 * Declares operations. A declaration says what is specific to one operation; routes, validation, documents and conformance
 * tests are derived from it. `readOperation`, `listOperation` and `writeOperation` are the constructors.
 */
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox'
import type { MaybePromise } from '../../db/query.ts'
import type { Reader, Tx } from '../../db/store.ts'
import type { Upload } from '../../files/upload.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { AiSettings, Services } from '../services.ts'
import type { Caller } from './caller.ts'
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
import type { Precondition, Request } from './request.ts'
import type { Scope } from './scopes.ts'
import { described, Id, inheritDescriptions, listOf } from './shapes.ts'
import type { Versions } from './version.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Paging = 'id' | 'id_forward' | 'opaque'

/** The context of every handler. `now` is in milliseconds. */
interface Common<T, P> {
  readonly params: Readonly<Record<string, string>>
  readonly caller: Caller
  readonly now: number
  /** The row of the path's last id: it exists, belongs to the tenant and is not deleted. */
  readonly target: T
  /** The row of the outer id of a nested path. */
  readonly parent: P
  readonly requestId: string
  /** The version of request and answer. */
  readonly version: string
  /** Translates answers and events into the request's version. */
  readonly versions: Versions
}

export interface ReadContext<Q, T, P> extends Common<T, P> {
  readonly services: Services
  readonly query: Q
  readonly reader: Reader
  readonly path: string
  readonly request: Request
}

export interface ListContext<Q, P> extends ReadContext<Q & PageQuery, never, P> {
  readonly operation: Operation
}

/** Content of the audit entry that does not follow from the events. */
export interface AuditNote {
  readonly target?: { readonly object: string; readonly id: string; readonly workspace?: string }
  /** Several objects, with an audit entry each. */
  readonly targets?: readonly { readonly object: string; readonly id: string; readonly workspace?: string }[]
  readonly reason?: string
  readonly room?: string
  /** Audits a write that emits no event. */
  readonly unannounced?: true
}

interface WriteContext<B, T, P, E extends EventType, Q = object> extends Common<T, P> {
  readonly body: B
  readonly query: Q
  readonly tx: Tx
  /** Seals secrets before they are stored. */
  readonly sealer: Sealer
  /** What the operator lets AI steps use. */
  readonly ai: AiSettings
  /** The `If-Match` precondition, already compared with the target's revision. */
  readonly precondition: Precondition | null
  /** Emits an event with the object's new state and, unless it is new, its previous state. */
  /** The content of an operation with `uploads`. */
  readonly upload: UploadedContent | null
  emit(event: E, after: object, before?: object): void
  note(note: AuditNote): void
}

/** The contexts of the pipeline, which knows the kind of an operation but not its types. */
type AnyReadContext = ReadContext<object, NounRow | null, NounRow | null>
type AnyWriteContext = WriteContext<unknown, NounRow | null, NounRow | null, EventType> & {
  readonly prepared: unknown
}

interface Shared<T extends NounRow, P extends NounRow> {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly scope: Scope | null
  readonly credits: number
  /** A console session needs a recent confirmation, because the effect reaches beyond the object. */
  readonly confirmed?: true
  /** The noun of the path's last id. The pipeline finds the row and refuses an unusable one. */
  readonly target?: Noun<T>
  /** The noun of the outer id of a nested path. */
  readonly parent?: Noun<P>
  /** Whether the target belongs to this parent; otherwise it is not found (contract/06#nested-ids). */
  readonly within?: (target: T, parent: P) => boolean
  readonly example?: Example
  /** Not among the contract's operations (contract/17#declaration). Default: false. */
  readonly extension?: boolean
}

/** Content that a request has sent and that lies in a file of its own. */
export interface UploadedContent {
  readonly content: Upload
  /** Where the content was made durable; null until then. */
  key: string | null
  /** Whether a row names `key`. Otherwise the content is removed after the request. */
  isReferenced: boolean
}

/** Arguments for documents and tests. Names in braces are replaced by ids of the test world. */
interface Example {
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
  readonly confirmed: boolean
  /** Clients may store its answers for conditional requests. Streams and answers with fresh URLs are excluded. */
  readonly cached: boolean
  readonly kind: 'read' | 'list' | 'write'
  readonly errorClass: ErrorClass
  readonly codes: ReadonlySet<ErrorCode>
  readonly query: Parameters
  readonly body: TObject | null
  /** The body is optional because it has no required field. */
  readonly bodyOptional: boolean
  readonly returns: TSchema
  readonly lists: AnyNoun | null
  readonly paging: Paging | null
  readonly fields: boolean
  readonly emits: readonly EventType[]
  readonly target: AnyNoun | null
  readonly parent: AnyNoun | null
  within?(target: NounRow, parent: NounRow | null): boolean
  /** The answer contains a secret, so the stored answer is sealed (contract/03#secrets). */
  readonly sealed: boolean
  /** Changes what both realms of the organization share, so both logs record it (contract/10#event-types). */
  readonly inBothRealms: boolean
  readonly example: Example
  /** Not among the contract's operations (contract/17#declaration). */
  readonly extension: boolean
  /** Answers with an event stream instead of an object. */
  readonly streams: boolean
  /** Skips the checks of parameters and version (contract/02#operations-without-a-400). */
  readonly lenient: boolean
  /** Answered although the credits are used up (contract/04#beyond-the-credits). */
  readonly beyondCredits: boolean
  /** The handler of its declaration, which has checked the types of its own context. */
  handle(context: AnyReadContext | AnyWriteContext): MaybePromise<object>
  /** The body is any content, which is streamed to a file, instead of JSON. */
  readonly uploads: boolean
  /** Requests rows that the handler will certainly look up, so that writes of one transaction request them together. */
  lookAhead?(from: LookAhead, body: unknown): void
  /** Makes an outside call before the transaction. Its result is the handler's `prepared`. */
  prepare?(context: WritePreparation<unknown, NounRow | null, NounRow | null>): Promise<unknown>
  /** Runs after the commit and before the answer, such as waking a worker. */
  readonly afterCommit: ((services: Services) => void) | null
}

interface ReadDeclaration<Q extends Parameters, T extends NounRow, P extends NounRow> extends Shared<T, P> {
  readonly query?: Q
  readonly returns: TSchema
  readonly lenient?: boolean
  /** Answered although the credits are used up (contract/04#beyond-the-credits). */
  readonly beyondCredits?: true
  /** Every answer differs, such as one with a freshly signed URL, so clients must not store it. */
  readonly uncached?: true
  /** The handler returns an `OpenStream` instead of an object. */
  readonly streams?: boolean
  readonly handle: (context: ReadContext<ParameterValues<Q>, T, P>) => MaybePromise<object>
}

/** GET of one thing. */
export function readOperation<const Q extends Parameters, T extends NounRow = NounRow, P extends NounRow = NounRow>(
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
    beyondCredits: declared.beyondCredits ?? false,
    cached: declared.uncached !== true && declared.streams !== true,
    streams: declared.streams ?? false,
    handle: declared.handle,
  }
}

interface ListDeclaration<Q extends Parameters, P extends NounRow> extends Omit<Shared<never, P>, 'target' | 'within'> {
  readonly query?: Q
  readonly lists: AnyNoun
  readonly paging: Paging
  readonly fields?: boolean
  /** Every answer differs, such as one with freshly signed URLs, so clients must not store it. */
  readonly uncached?: true
  /** Fields that its envelope has besides those of every list; the handler returns them as `more`. */
  readonly envelope?: TProperties
  readonly handle: (context: ListContext<ParameterValues<Q>, P>) => MaybePromise<Page>
}

const pageParameters: Record<Paging, Parameters> = {
  id: { limit: limitParameter, starting_after: startingAfter, ending_before: endingBefore },
  id_forward: { limit: limitParameter, starting_after: startingAfter },
  opaque: { limit: limitParameter, cursor: cursorParameter },
}

/** GET of a list. The handler returns a page; the pipeline adds the envelope. */
export function listOperation<const Q extends Parameters, P extends NounRow = NounRow>(
  declared: ListDeclaration<Q, P>,
): Operation {
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
    returns: listOf(declared.lists.schema, declared.fields ?? false, declared.envelope),
    lists: declared.lists,
    paging: declared.paging,
    cached: declared.uncached !== true,
    fields: declared.fields ?? false,
    handle: declared.handle,
  }
}

interface WriteDeclaration<
  B extends TProperties,
  T extends NounRow,
  P extends NounRow,
  E extends EventType,
  Q extends Parameters,
> extends Shared<T, P> {
  readonly body?: B
  readonly query?: Q
  /** The body is any content, which is streamed to a file, instead of JSON. */
  readonly uploads?: true
  readonly returns: TSchema
  readonly emits: readonly E[]
  readonly sealed?: boolean
  readonly inBothRealms?: true
  readonly errorClass?: 'webhook_write'
  readonly lookAhead?: (from: LookAhead, body: BodyOf<B>) => void
  readonly prepare?: (context: WritePreparation<BodyOf<B>, T, P, ParameterValues<Q>>) => Promise<unknown>
  readonly afterCommit?: (services: Services) => void
  readonly handle: (
    context: WriteContext<BodyOf<B>, T, P, E, ParameterValues<Q>> & { readonly prepared: unknown },
  ) => MaybePromise<object>
}

/** What `lookAhead` reads with. Its results and errors are ignored. */
export interface LookAhead {
  readonly tx: Reader
  readonly caller: Caller
}

/** The context of `prepare`, which runs outside a transaction. */
type WritePreparation<B, T, P, Q = object> = Common<T, P> & {
  readonly body: B
  readonly query: Q
  readonly upload: UploadedContent | null
  readonly reader: Reader
  readonly services: Services
}

type BodyOf<B extends TProperties> = Static<TObject<B>> & { readonly workspace?: string }

/** POST, PATCH or DELETE: one transaction. */
export function writeOperation<
  const B extends TProperties,
  T extends NounRow = NounRow,
  P extends NounRow = NounRow,
  E extends EventType = EventType,
  const Q extends Parameters = Parameters,
>(declared: WriteDeclaration<B, T, P, E, Q>): Operation {
  const errorClass = declared.errorClass ?? 'write'
  const named = declared.target?.workspaced || declared.parent?.workspaced
  const fields = inheritDescriptions(declared.body ?? {}, declared.returns)
  const body = Type.Object(
    { ...(named ? { workspace: described(Type.Optional(Id), of_workspace) } : {}), ...fields },
    { additionalProperties: false },
  )
  const inQuery = declared.method === 'DELETE' ? workspaceParameter(declared.target) : {}
  return {
    ...shared(declared),
    kind: 'write',
    errorClass,
    codes: new Set(errorClasses[errorClass]),
    query: { ...inQuery, ...declared.query },
    body: declared.uploads ? null : body,
    bodyOptional: !body.required?.length,
    uploads: declared.uploads ?? false,
    returns: declared.returns,
    emits: declared.emits,
    sealed: declared.sealed ?? false,
    inBothRealms: declared.inBothRealms ?? false,
    ...(declared.lookAhead && { lookAhead: declared.lookAhead }),
    ...(declared.prepare && { prepare: declared.prepare }),
    afterCommit: declared.afterCommit ?? null,
    handle: declared.handle,
  }
}

const declared_ids = new Set<string>()

/** The ids of all operations that are declared. */
export const operationIds: ReadonlySet<string> = declared_ids

function shared<T extends NounRow, P extends NounRow>(declared: Shared<T, P>) {
  declared_ids.add(declared.id)
  return {
    id: declared.id,
    method: declared.method,
    path: declared.path,
    summary: declared.summary,
    description: declared.description ?? '',
    scope: declared.scope,
    credits: declared.credits,
    confirmed: declared.confirmed ?? false,
    cached: false,
    target: declared.target ?? null,
    parent: declared.parent ?? null,
    ...(declared.within && { within: declared.within }),
    example: declared.example ?? {},
    extension: declared.extension ?? false,
    body: null,
    bodyOptional: true,
    lists: null,
    paging: null,
    fields: false,
    emits: [],
    sealed: false,
    inBothRealms: false,
    lenient: false,
    beyondCredits: false,
    streams: false,
    uploads: false,
    afterCommit: null,
  }
}

const of_workspace = 'Workspace that the object must belong to; with another one the answer is 404.'

function workspaceParameter(noun: { readonly workspaced: boolean } | undefined): Parameters {
  return noun?.workspaced ? { workspace: idParameter(of_workspace) } : {}
}
