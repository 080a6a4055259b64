/** Lists of groups: a page by `startIndex` and `count`, or those that a filter names (RFC 7644 §3.4.2). */
import { quoted } from '../../api/declare/quoted.ts'
import type { Request } from '../../api/declare/request.ts'
import type { Services } from '../../api/services.ts'
import type { TeamRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { membershipsOfUser } from '../../resources/team_members/shared/queries.ts'
import { console_limits } from '../limits.ts'
import { ScimError } from './errors.ts'
import { showGroup, withoutGroupSchema } from './group.ts'
import { listEnvelope, readPage } from './list.ts'
import type { Provider } from './provider.ts'
import { changedOfTeam, listTeamsOfOrganization, peopleOfTeam } from './queries.ts'

/** Whether a request wants `members`, by `attributes` and `excludedAttributes` (RFC 7644 §3.9). */
export function wantsMembers(request: Request): boolean {
  const query = new URLSearchParams(request.rawQuery)
  const names = (name: string) =>
    (query.get(name) ?? '')
      .split(',')
      .map((each) => withoutGroupSchema(each.trim()).toLowerCase())
      .filter((each) => each !== '')
  const wanted = names('attributes')
  if (wanted.length > 0) return wanted.some((each) => each === 'members' || each.startsWith('members.'))
  return !names('excludedAttributes').includes('members')
}

export async function readGroupShown(
  reader: Reader,
  row: TeamRow,
  withMembers: boolean,
  publicUrl: string,
): Promise<object> {
  const key = { organization: row.organization, team: row.id }
  const people = withMembers ? await reader.all(peopleOfTeam, key) : null
  return showGroup(row, people, Number((await reader.first(changedOfTeam, key))?.changed ?? 0), publicUrl)
}

/** A page with members ends early after the bound of people; the provider asks for the rest by `startIndex`. */
export async function listGroups(services: Services, { organization }: Provider, request: Request): Promise<object> {
  const { startIndex, count, filter } = readPage(request)
  const reader = services.store.reader('system')
  const withMembers = wantsMembers(request)
  const all = await reader.all(listTeamsOfOrganization, { organization })
  const found = filter === null ? all : await matching({ reader, organization }, all, await readGroupFilter(filter))
  const shownGroups: object[] = []
  let people = 0
  for (const row of found.slice(startIndex - 1, startIndex - 1 + count)) {
    const group = await readGroupShown(reader, row, withMembers, services.settings.publicUrl)
    shownGroups.push(group)
    people += 'members' in group ? (group.members as readonly object[]).length : 0
    if (people >= console_limits.scim_listed_members_max) break
  }
  return listEnvelope(found.length, startIndex, shownGroups)
}

interface Comparison {
  readonly by: 'id' | 'displayName' | 'externalId' | 'member'
  readonly value: string
}

const filterable: Readonly<Record<string, Comparison['by']>> = {
  id: 'id',
  displayname: 'displayName',
  externalid: 'externalId',
  members: 'member',
  'members.value': 'member',
}

interface Searched {
  readonly reader: Reader
  readonly organization: string
}

async function matching(
  searched: Searched,
  all: readonly TeamRow[],
  comparisons: readonly Comparison[],
): Promise<TeamRow[]> {
  let found = [...all]
  for (const { by, value } of comparisons) {
    if (by === 'id') found = found.filter(({ id }) => id === value)
    else if (by === 'externalId') found = found.filter(({ external_id }) => external_id === value)
    else if (by === 'displayName') found = found.filter(({ name }) => isSameName(name, value))
    else found = await withMember(searched, found, value)
  }
  return found
}

async function withMember(
  { reader, organization }: Searched,
  teams: readonly TeamRow[],
  user: string,
): Promise<TeamRow[]> {
  // PostgreSQL has no text with a NUL, which no id has either.
  if (user.includes('\0')) return []
  const rows = await reader.all(membershipsOfUser, { organization, user })
  const own = new Set(rows.map(({ team }) => team))
  return teams.filter(({ id }) => own.has(id))
}

/** Names of groups ignore case (RFC 7643 §8.7.1). */
export function isSameName(a: string, b: string): boolean {
  return a.normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase()
}

type Filter = ReturnType<typeof import('scim2-parse-filter')['parse']>

/** One comparison, or several joined by `and`. The library is imported at the first filter. */
async function readGroupFilter(text: string): Promise<readonly Comparison[]> {
  const use = 'Use displayName eq "…", members.value eq "…", externalId eq "…" or id eq "…", also joined by and.'
  const wrong = () => new ScimError(400, `The filter ${quoted(text)} is not supported. ${use}`, 'invalidFilter')
  if (text.length > console_limits.scim_filter_chars_max) throw wrong()
  const { parse } = await import('scim2-parse-filter')
  let filter: Filter
  try {
    filter = parse(text)
  } catch {
    throw wrong()
  }
  return (filter.op === 'and' ? filter.filters : [filter]).map((each) => {
    const found = comparisonOf(each)
    if (found === null) throw wrong()
    return found
  })
}

function comparisonOf(filter: Filter): Comparison | null {
  const isNested = filter.op === '[]' && withoutGroupSchema(filter.attrPath).toLowerCase() === 'members'
  const inner = isNested ? filter.valFilter : filter
  if (inner.op !== 'eq' || typeof inner.compValue !== 'string') return null
  const name = `${isNested ? 'members.' : ''}${withoutGroupSchema(inner.attrPath).toLowerCase()}`
  const by = Object.hasOwn(filterable, name) ? filterable[name] : undefined
  return by === undefined ? null : { by, value: inner.compValue }
}
