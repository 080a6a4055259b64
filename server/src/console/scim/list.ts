/** Lists of users: a page by `startIndex` and `count`, or the one that a filter names (RFC 7644 §3.4.2). */
import { quoted } from '../../api/declare/quoted.ts'
import type { Request } from '../../api/declare/request.ts'
import type { Services } from '../../api/services.ts'
import { teamsOfUsers } from '../../resources/team_members/shared/queries.ts'
import { console_limits } from '../limits.ts'
import { ScimError } from './errors.ts'
import { readFilter, type UserFilter } from './filter.ts'
import type { Provider } from './provider.ts'
import {
  countScimPeople,
  findPersonByEmail,
  findPersonByExternalId,
  findPersonByUser,
  isDeleted,
  listScimPeople,
  type PersonRow,
} from './queries.ts'
import { showUser } from './user.ts'

export const list_schema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

export async function listUsers(services: Services, provider: Provider, request: Request): Promise<object> {
  const { startIndex, count, filter } = readPage(request)
  const { rows, total } =
    filter === null
      ? await pageOf(services, provider, startIndex, count)
      : await matchOf(services, provider, await readFilter(filter))
  const shownRows = filter === null ? rows : rows.slice(startIndex - 1, startIndex - 1 + count)
  return listEnvelope(total, startIndex, await showUsers(services, provider, shownRows))
}

/** People with their groups. */
export async function showUsers(
  { store, settings }: Pick<Services, 'store' | 'settings'>,
  { organization }: Provider,
  rows: readonly PersonRow[],
): Promise<object[]> {
  const users = JSON.stringify(rows.map(({ user }) => user))
  const teams = rows.length === 0 ? [] : await store.reader('system').all(teamsOfUsers, { organization, users })
  const byUser = Map.groupBy(teams, ({ user }) => user)
  return rows.map((row) => showUser(row, settings.publicUrl, byUser.get(row.user) ?? []))
}

/** The part of a list that a request asks for. */
export function readPage(request: Request) {
  const query = new URLSearchParams(request.rawQuery)
  const most = console_limits.scim_page_max
  return {
    startIndex: Math.max(1, readNumber(query, 'startIndex') ?? 1),
    count: Math.min(most, Math.max(0, readNumber(query, 'count') ?? most)),
    filter: query.get('filter'),
  }
}

export function listEnvelope(totalResults: number, startIndex: number, Resources: readonly object[]): object {
  return { schemas: [list_schema], totalResults, startIndex, itemsPerPage: Resources.length, Resources }
}

function readNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name)
  if (text === null || text === '') return null
  if (/^-?\d{1,9}$/.test(text)) return Number(text)
  throw new ScimError(400, `\`${name}\` cannot be ${quoted(text)}. Use a whole number.`, 'invalidValue')
}

interface Found {
  readonly rows: readonly PersonRow[]
  readonly total: number
}

async function pageOf({ store }: Services, { organization }: Provider, start: number, count: number): Promise<Found> {
  const reader = store.reader('system')
  const total = Number((await reader.first(countScimPeople, { organization }))?.count ?? 0)
  const rows = count === 0 ? [] : await reader.all(listScimPeople, { organization, offset: start - 1, count })
  return { rows, total }
}

async function matchOf({ store }: Services, { organization }: Provider, { by, value }: UserFilter): Promise<Found> {
  const reader = store.reader('system')
  const row =
    by === 'userName'
      ? await reader.first(findPersonByEmail, { organization, value: value.toLowerCase() })
      : await reader.first(by === 'id' ? findPersonByUser : findPersonByExternalId, { organization, value })
  const rows = row === undefined || isDeleted(row) ? [] : [row]
  return { rows, total: rows.length }
}
