/** The filters of lists (RFC 7644 §3.4.2.2) that providers send: one attribute that equals a text. */
import { quoted } from '../../api/declare/quoted.ts'
import { console_limits } from '../limits.ts'
import { ScimError } from './errors.ts'
import { withoutSchema } from './user.ts'

export interface UserFilter {
  readonly by: 'id' | 'userName' | 'externalId'
  readonly value: string
}

const filterable: Readonly<Record<string, UserFilter['by']>> = {
  id: 'id',
  username: 'userName',
  externalid: 'externalId',
  // The address is the user name.
  emails: 'userName',
  'emails.value': 'userName',
}

/** The library is imported at the first filter. */
export async function readFilter(text: string): Promise<UserFilter> {
  const use = 'Use userName eq "…", externalId eq "…" or id eq "…".'
  const wrong = () => new ScimError(400, `The filter ${quoted(text)} is not supported. ${use}`, 'invalidFilter')
  if (text.length > console_limits.scim_filter_chars_max) throw wrong()
  const { parse } = await import('scim2-parse-filter')
  let filter: ReturnType<typeof parse>
  try {
    filter = parse(text)
  } catch {
    throw wrong()
  }
  // `emails[type eq "work" and value eq "…"]`: Entra ID, if the address is what it matches by.
  const parts = filter.op === '[]' && filter.attrPath.toLowerCase() === 'emails' ? addressIn(filter.valFilter) : filter
  if (parts?.op !== 'eq' || !('compValue' in parts) || typeof parts.compValue !== 'string') throw wrong()
  const name = withoutSchema(parts.attrPath).toLowerCase()
  const by = Object.hasOwn(filterable, name) ? filterable[name] : undefined
  if (by === undefined) throw wrong()
  return { by, value: parts.compValue }
}

type Filter = ReturnType<typeof import('scim2-parse-filter')['parse']>

function addressIn(filter: Filter): Filter | undefined {
  const all = filter.op === 'and' ? filter.filters : [filter]
  const found = all.find((each) => each.op === 'eq' && each.attrPath.toLowerCase() === 'value')
  const isPlain = all.every((each) => each === found || (each.op === 'eq' && each.attrPath.toLowerCase() === 'type'))
  return found?.op === 'eq' && isPlain ? { ...found, attrPath: 'emails.value' } : undefined
}
