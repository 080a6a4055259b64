/**
 * A group of SCIM (RFC 7643 §4.2) is a team: `displayName` is its name, `members` are its people, `id` is its id. Attributes that
 * Atrium does not have are accepted and not stored. Groups in groups are refused.
 */
import { quoted } from '../../api/declare/quoted.ts'
import { limits } from '../../api/limits.ts'
import type { TeamRow } from '../../db/schema.ts'
import { console_limits } from '../limits.ts'
import { isPlain, type Plain } from './body.ts'
import { invalidValue } from './errors.ts'
import { external_id_chars_max, locationOf, readText } from './user.ts'

export const group_schema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/** What a provider can set. `members` are ids of users, each once. */
export interface GroupFields {
  readonly displayName: string
  readonly externalId: string | null
  readonly members: readonly string[]
}

/** A person of a group. */
export interface GroupPerson {
  readonly user: string
  readonly email: string | null
  readonly first_name: string | null
  readonly last_name: string | null
}

export function locationOfGroup(publicUrl: string, team: string): string {
  return `${publicUrl}/scim/v2/Groups/${team}`
}

/** `people` is null if the request leaves them out. */
export function showGroup(
  row: TeamRow,
  people: readonly GroupPerson[] | null,
  changed: number,
  publicUrl: string,
): object {
  const members = people?.map((person) => ({
    value: person.user,
    display: nameOf(person),
    type: 'User',
    $ref: locationOf(publicUrl, person.user),
  }))
  return {
    schemas: [group_schema],
    id: row.id,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    displayName: row.name,
    ...(members === undefined ? {} : { members }),
    meta: {
      resourceType: 'Group',
      created: new Date(row.created).toISOString(),
      lastModified: new Date(Math.max(row.updated, changed)).toISOString(),
      location: locationOfGroup(publicUrl, row.id),
    },
  }
}

function nameOf({ user, email, first_name, last_name }: GroupPerson): string {
  const names = [first_name, last_name].filter((name) => name !== null)
  return names.length > 0 ? names.join(' ') : (email ?? user)
}

/** The fields of a group that a provider sends whole. `externalId` is unset if it is left out; `members` stay. */
export function readGroup(body: Plain): Omit<GroupFields, 'members'> & Partial<GroupFields> {
  const read = { externalId: null, ...readGroupAttributes(Object.entries(body)) }
  if (read.displayName === undefined) throw invalidValue('`displayName` is required: the name of the team.')
  return { ...read, displayName: read.displayName }
}

export function readGroupAttributes(entries: readonly (readonly [path: string, value: unknown])[]) {
  return Object.assign({}, ...entries.map(([path, value]) => readGroupAttribute(path, value))) as Partial<GroupFields>
}

/** The change that an attribute means; one that is not stored means nothing. */
function readGroupAttribute(path: string, value: unknown): Partial<GroupFields> {
  switch (withoutGroupSchema(path).toLowerCase()) {
    case 'displayname':
      return { displayName: readName(single(value)) }
    case 'externalid':
      return { externalId: readText(single(value), 'externalId', external_id_chars_max) }
    case 'members':
      return { members: readMembers(value) }
    default:
      return {}
  }
}

export function withoutGroupSchema(path: string): string {
  const prefix = `${group_schema}:`
  return path.toLowerCase().startsWith(prefix.toLowerCase()) ? path.slice(prefix.length) : path
}

/** Entra ID may send `[{ "$ref": null, "value": "…" }]` for an attribute of one value. */
function single(value: unknown): unknown {
  const [first] = Array.isArray(value) && value.length === 1 ? value : []
  return isPlain(first) && 'value' in first ? first.value : value
}

function readName(value: unknown): string {
  const name = readText(value, 'displayName', limits.title_chars_max)
  if (name !== null && name.trim() !== '') return name
  throw invalidValue(`\`displayName\` cannot be ${quoted(value)}. Use the name of the team.`)
}

/** The ids of a list of members, which providers send as objects with `value`, as texts, or as one of these alone. */
export function readMembers(value: unknown): readonly string[] {
  if (value === null || value === undefined) return []
  const list = Array.isArray(value) ? value : [value]
  if (list.length > console_limits.scim_members_max)
    throw invalidValue(`\`members\` has ${list.length} entries. Use at most ${console_limits.scim_members_max}.`)
  return [...new Set(list.map(readMember))]
}

function readMember(sent: unknown, i: number): string {
  const id = isPlain(sent) ? sent.value : sent
  const type = isPlain(sent) && typeof sent.type === 'string' ? sent.type : 'User'
  if (type.toLowerCase() !== 'user')
    throw invalidValue(`\`members[${i}].type\` cannot be ${quoted(type)}. Only users can be in a group.`)
  if (typeof id === 'string' && id !== '') return id
  throw invalidValue(`\`members[${i}].value\` cannot be ${quoted(id)}. Use the id of a user.`)
}
