/** An operation in the model: its row of the contract's table, its input, and its effect. */
import contract from '../../docs/contract/operations.json' with { type: 'json' }
import type { Form } from './forms.ts'
import type { Model } from './model.ts'
import type { Expected, Fields, Json, Name } from './names.ts'
import type { Numbers } from './numbers.ts'
import type { Credential, Kind, Realm, Thing } from './state.ts'

/** A valid request and its objects. */
export interface Context {
  readonly model: Model
  readonly realm: Realm
  readonly credential: Credential
  readonly incoming: ModelRequest
  readonly now: number
  readonly params: Readonly<Record<string, string>>
  /** By name: the value, or all values where several are allowed. */
  readonly query: Readonly<Record<string, string>>
  readonly many: Readonly<Record<string, readonly string[]>>
  readonly body: Fields
  /** The objects that the path's last and first id name, if the operation declares them. */
  readonly target: Thing
  readonly parent: Thing
  /** The object of a write's audit entry, set by the write. */
  readonly audit: {
    target: Thing | null
    room: Name | null
    workspace: Name | null
    reason: string | null
    force: boolean
  }
}

export type Answer = { readonly [name: string]: Expected }

export interface OperationBehaviour {
  /** The kinds of the objects that the path's last and first id name. */
  readonly target?: Kind
  readonly parent?: Kind
  /** Parameters besides paging; repeatable ones end in `[]`. */
  readonly query?: Readonly<Record<string, Form>>
  readonly needsQuery?: readonly string[]
  readonly body?: Readonly<Record<string, Form>>
  readonly needs?: readonly string[]
  /** Checks the body beyond single fields. */
  readonly check?: (body: Fields) => void
  /** Completes a generated body. */
  readonly shape?: (body: Fields, n: Numbers, model: Model) => void
  readonly run: (context: Context) => Answer
  /** How often it is drawn. */
  readonly weight?: number
  /** It accepts If-Match. */
  readonly isGuarded?: boolean
  readonly headers?: (n: Numbers, model: Model) => Record<string, string>
}

export interface OperationModel extends OperationBehaviour {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly credits: number
  readonly scope: string | null
  readonly errorClass: string
  readonly paging: string | null
  /** Whether the list accepts `fields`. */
  readonly selects: boolean
  /** Path parameters in order. */
  readonly names: readonly string[]
}

export interface Presented {
  /** The secret or its name; `null`: no header. */
  readonly secret: string | null
  /** The credential it belongs to; `null`: none. */
  readonly is: Credential | null
}

export interface ModelRequest {
  readonly operation: OperationModel
  readonly presented: Presented
  /** The credential is repeated in the URL. */
  readonly inUrl: boolean
  readonly params: Readonly<Record<string, string>>
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly body: Json | undefined
  /** Sent instead of the body. */
  readonly raw: { readonly text: string; readonly type: string | null } | null
  /** The Idempotency-Key headers of a write. */
  readonly keys: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

const table = new Map(contract.operations.map((row) => [row.operation, row]))

export function operation(id: string, behaviour: OperationBehaviour): OperationModel {
  const row = table.get(id)
  if (row === undefined) throw new Error(`unknown operation ${id}`)
  const { method, path, credits, scope, paging, fields: selects, error_class: errorClass } = row
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
  return { ...behaviour, id, method, path, credits, scope, paging, selects, errorClass, names }
}

/** The codes of each error class in the contract. */
export const classes = contract.error_codes as Readonly<Record<string, readonly string[]>>
