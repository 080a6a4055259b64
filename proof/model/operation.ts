/** An operation as the model knows it: what the contract's table says, what a request may hold, and what comes of it. */
import contract from '../../server/test/conformance/operations.json' with { type: 'json' }
import type { Asked } from './asked.ts'
import type { Form } from './forms.ts'
import type { Model } from './model.ts'
import type { Expected, Fields, Name } from './names.ts'
import type { Numbers } from './numbers.ts'
import type { Credential, Kind, Realm, Thing } from './state.ts'

/** A request whose form is right, and what it is about. */
export interface Context {
  readonly model: Model
  readonly realm: Realm
  readonly credential: Credential
  readonly asked: Asked
  readonly now: number
  readonly params: Readonly<Record<string, string>>
  /** By name: the value, or all of them where there may be several. */
  readonly query: Readonly<Record<string, string>>
  readonly many: Readonly<Record<string, readonly string[]>>
  readonly body: Fields
  /** What the path's last id, and the outer one, stand for. Only where the operation says so. */
  readonly target: Thing
  readonly parent: Thing
  /** What the audit entry of a write is about; a write sets it. */
  readonly audit: {
    target: Thing | null
    room: Name | null
    workspace: Name | null
    reason: string | null
    force: boolean
  }
}

export type Answer = { readonly [name: string]: Expected }

export interface Told {
  /** Kind of what the path's last id names, and of the outer one. */
  readonly target?: Kind
  readonly parent?: Kind
  /** Parameters besides those of pages; those that may be repeated end in `[]`. */
  readonly query?: Readonly<Record<string, Form>>
  readonly needsQuery?: readonly string[]
  readonly body?: Readonly<Record<string, Form>>
  readonly needs?: readonly string[]
  /** Of the request's form beyond single fields. */
  readonly check?: (body: Fields) => void
  /** Finishes a generated body. */
  readonly shape?: (body: Fields, n: Numbers, model: Model) => void
  readonly run: (context: Context) => Answer
  /** How often it is chosen. */
  readonly weight?: number
  /** `revision` protects it. */
  readonly isGuarded?: boolean
  readonly headers?: (n: Numbers, model: Model) => Record<string, string>
}

export interface OperationModel extends Told {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly credits: number
  readonly scope: string | null
  readonly errorClass: string
  readonly paging: string | null
  /** Whether the list takes `fields`. */
  readonly selects: boolean
  /** Path parameters, in their order. */
  readonly names: readonly string[]
}

const table = new Map(contract.operations.map((row) => [row.operation, row]))

export function operation(id: string, told: Told): OperationModel {
  const row = table.get(id)
  if (row === undefined) throw new Error(`the contract has no operation ${id}`)
  const { method, path, credits, scope, paging, fields: selects, error_class: errorClass } = row
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
  return { ...told, id, method, path, credits, scope, paging, selects, errorClass, names }
}

/** The codes that the contract gives each class. */
export const classes = contract.error_codes as Readonly<Record<string, readonly string[]>>
