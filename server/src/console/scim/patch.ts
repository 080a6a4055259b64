/**
 * PATCH of a user (RFC 7644 §3.5.2), as providers send it: Okta without a path and with an object as value, Entra ID with
 * `Replace` in capitals, `active` as text, and keys such as `name.givenName` in an object.
 */
import { quoted } from '../../api/declare/quoted.ts'
import { console_limits } from '../limits.ts'
import { isPlain, type Plain } from './body.ts'
import { invalidValue, ScimError } from './errors.ts'
import { readAttribute, readAttributes, type ScimFields, withoutSchema } from './user.ts'

const patch_schema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
/** What `remove` can remove. */
const removable = ['externalid', 'name', 'name.givenname', 'name.familyname']

/** An operation whose form is right. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string | undefined
  readonly value: unknown
}

/** The change that the operations mean, in their order. */
export function readPatch(body: Plain): Partial<ScimFields> {
  return Object.assign({}, ...readOperations(body).map(readChange))
}

export function readOperations(body: Plain): readonly PatchOperation[] {
  const named = Object.entries(body).find(([key]) => key.toLowerCase() === 'operations')?.[1]
  const { schemas } = body
  if (!Array.isArray(schemas) || !schemas.includes(patch_schema))
    throw invalidValue(`\`schemas\` must contain ${patch_schema}.`)
  if (!Array.isArray(named) || named.length === 0)
    throw invalidValue('`Operations` must be a list of at least one operation.')
  if (named.length > console_limits.scim_operations_max)
    throw invalidValue(`\`Operations\` has ${named.length} entries. Use at most ${console_limits.scim_operations_max}.`)
  return named.map(readOperation)
}

function readOperation(sent: unknown, i: number): PatchOperation {
  if (!isPlain(sent)) throw invalidValue(`\`Operations[${i}]\` must be an object.`)
  const op = typeof sent.op === 'string' ? sent.op.toLowerCase() : ''
  const { path, value } = sent
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw invalidValue(`\`Operations[${i}].op\` cannot be ${quoted(sent.op)}. Use add, replace or remove.`)
  if (path !== undefined && (typeof path !== 'string' || path === ''))
    throw new ScimError(400, `\`Operations[${i}].path\` cannot be ${quoted(path)}.`, 'invalidPath')
  return { op, path, value }
}

function readChange({ op, path, value }: PatchOperation, i: number): Partial<ScimFields> {
  if (op === 'remove') return readRemoval(path, i)
  if (path !== undefined) return readAttribute(path, value)
  if (isPlain(value)) return readAttributes(Object.entries(value))
  throw invalidValue(`\`Operations[${i}].value\` must be an object, because there is no path.`)
}

function readRemoval(path: string | undefined, i: number): Partial<ScimFields> {
  if (path === undefined) throw new ScimError(400, `\`Operations[${i}].path\` is required to remove.`, 'noTarget')
  const name = withoutSchema(path).toLowerCase()
  if (removable.includes(name)) return readAttribute(name, null)
  if (name !== 'username' && name !== 'active') return {}
  throw new ScimError(400, `\`${withoutSchema(path)}\` is required and cannot be removed.`, 'mutability')
}
