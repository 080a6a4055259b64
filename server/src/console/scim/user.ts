/**
 * A user of SCIM (RFC 7643 §4.1) is a member. `userName` is the e-mail address, and the only entry of `emails`; `id` is the id
 * of the user. Attributes that Atrium does not have are accepted and not stored, because providers send them to everyone.
 */
import { quoted } from '../../api/declare/quoted.ts'
import { limits } from '../../api/limits.ts'
import type { Plain } from './body.ts'
import { invalidValue } from './errors.ts'
import type { PersonRow } from './queries.ts'

export const user_schema = 'urn:ietf:params:scim:schemas:core:2.0:User'

/** What a provider can set. */
export interface ScimFields {
  readonly userName: string
  readonly externalId: string | null
  readonly givenName: string | null
  readonly familyName: string | null
  readonly active: boolean
}

export function fieldsOf(row: PersonRow): ScimFields {
  return {
    userName: row.email ?? row.user,
    externalId: row.external_id,
    givenName: row.first_name,
    familyName: row.last_name,
    active: row.status !== 'inactive',
  }
}

export function locationOf(publicUrl: string, user: string): string {
  return `${publicUrl}/scim/v2/Users/${user}`
}

/** A team that a person is in. */
export interface GroupOfUser {
  readonly id: string
  readonly name: string
}

export function showUser(row: PersonRow, publicUrl: string, groups: readonly GroupOfUser[]): object {
  const { userName, externalId, givenName, familyName, active } = fieldsOf(row)
  const names = [givenName, familyName].filter((name) => name !== null)
  const changed = Math.max(row.updated, row.provisioned_at ?? 0)
  return {
    schemas: [user_schema],
    id: row.user,
    ...(externalId === null ? {} : { externalId }),
    userName,
    name: {
      ...(givenName === null ? {} : { givenName }),
      ...(familyName === null ? {} : { familyName }),
      ...(names.length === 0 ? {} : { formatted: names.join(' ') }),
    },
    displayName: names.length === 0 ? userName : names.join(' '),
    active,
    emails: row.email === null ? [] : [{ value: row.email, type: 'work', primary: true }],
    ...(groups.length === 0 ? {} : { groups: groups.map((group) => showMembership(group, publicUrl)) }),
    meta: {
      resourceType: 'User',
      created: new Date(row.created).toISOString(),
      lastModified: new Date(changed).toISOString(),
      location: locationOf(publicUrl, row.user),
    },
  }
}

function showMembership({ id, name }: GroupOfUser, publicUrl: string): object {
  return { value: id, display: name, type: 'direct', $ref: `${publicUrl}/scim/v2/Groups/${id}` }
}

/** The writable attributes by their names and paths in lower case; each reads its value into a field. */
const attributes: Readonly<Record<string, (value: unknown) => Partial<ScimFields>>> = {
  username: (value) => ({ userName: readUserName(value) }),
  externalid: (value) => ({ externalId: readText(value, 'externalId', external_id_chars_max) }),
  'name.givenname': (value) => ({ givenName: readText(value, 'name.givenName', limits.person_name_chars_max) }),
  'name.familyname': (value) => ({ familyName: readText(value, 'name.familyName', limits.person_name_chars_max) }),
  active: (value) => ({ active: readActive(value) }),
}
export const external_id_chars_max = 256

/** The change that an attribute means. A complex one, such as `name`, is an object of others; one that is not stored means nothing. */
export function readAttribute(path: string, value: unknown): Partial<ScimFields> {
  const name = withoutSchema(path).toLowerCase()
  const read = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  if (read !== undefined) return read(value)
  if (name !== 'name') return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    if (value === null) return { givenName: null, familyName: null }
    throw invalidValue(`\`name\` cannot be ${quoted(value)}. Use an object with givenName and familyName.`)
  }
  return readAttributes(Object.entries(value).map(([key, part]) => [`name.${key}`, part]))
}

export function readAttributes(entries: readonly (readonly [path: string, value: unknown])[]): Partial<ScimFields> {
  return Object.assign({}, ...entries.map(([path, value]) => readAttribute(path, value)))
}

/** `urn:ietf:params:scim:schemas:core:2.0:User:userName` is `userName`. */
export function withoutSchema(path: string): string {
  const prefix = `${user_schema}:`
  return path.toLowerCase().startsWith(prefix.toLowerCase()) ? path.slice(prefix.length) : path
}

/** The fields of a user that a provider sends whole: what it leaves out is unset, and `active` is true. */
export function readUser(body: Plain): ScimFields {
  const none = { externalId: null, givenName: null, familyName: null, active: true }
  const read = readAttributes(Object.entries(body).filter(([key]) => key !== 'schemas' && key !== 'id'))
  if (read.userName === undefined) throw invalidValue('`userName` is required: the e-mail address of the person.')
  return { ...none, ...read, userName: read.userName }
}

function readUserName(value: unknown): string {
  const isAddress =
    typeof value === 'string' &&
    value.length <= limits.email_chars_max &&
    /^[^\s@<>,;:"()[\]\\\p{C}]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/iu.test(value)
  if (isAddress && /^[ -~]+$/.test(value)) return value
  throw invalidValue(`\`userName\` cannot be ${quoted(value)}. Use the e-mail address of the person.`)
}

export function readText(value: unknown, name: string, chars_max: number): string | null {
  if (value === null || value === undefined || value === '') return null
  if (typeof value !== 'string' || /\p{Cc}/u.test(value))
    throw invalidValue(`\`${name}\` cannot be ${quoted(value)}. Use a text.`)
  if (value.length <= chars_max) return value
  throw invalidValue(`\`${name}\` has ${value.length} characters. Use at most ${chars_max}.`)
}

/** Entra ID sends the words `True` and `False` as text. */
function readActive(value: unknown): boolean {
  const word = typeof value === 'string' ? value.toLowerCase() : value
  if (word === true || word === 'true') return true
  if (word === false || word === 'false') return false
  throw invalidValue(`\`active\` cannot be ${quoted(value)}. Use true or false.`)
}
