/** Lists of users: a page by `startIndex` and `count`, or the one that a filter names (RFC 7644 §3.4.2). */
import type { Request } from '../../api/declare/request.ts'
import type { Services } from '../../api/services.ts'
import { console_limits } from '../limits.ts'
import { ScimError, shown } from './errors.ts'
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
  const query = new URLSearchParams(request.rawQuery)
  const startIndex = Math.max(1, readNumber(query, 'startIndex') ?? 1)
  const most = console_limits.scim_page_max
  const count = Math.min(most, Math.max(0, readNumber(query, 'count') ?? most))
  const text = query.get('filter')
  const { rows, total } =
    text === null
      ? await pageOf(services, provider, startIndex, count)
      : await matchOf(services, provider, await readFilter(text))
  const shownRows = text === null ? rows : rows.slice(startIndex - 1, startIndex - 1 + count)
  return {
    schemas: [list_schema],
    totalResults: total,
    startIndex,
    itemsPerPage: shownRows.length,
    Resources: shownRows.map((row) => showUser(row, services.settings.publicUrl)),
  }
}

function readNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name)
  if (text === null || text === '') return null
  if (/^-?\d{1,9}$/.test(text)) return Number(text)
  throw new ScimError(400, `\`${name}\` cannot be ${shown(text)}. Use a whole number.`, 'invalidValue')
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
