/**
 * PATCH of a group (RFC 7644 §3.5.2), as providers send it: members to remove in a path (`members[value eq "…"]`) or as the value
 * of the path `members`, values with and without a path, `Add` in capitals.
 */
import { quoted } from '../../api/declare/quoted.ts'
import { isPlain, type Plain } from './body.ts'
import { invalidValue, ScimError } from './errors.ts'
import { type GroupFields, readGroupAttributes, readMembers, withoutGroupSchema } from './group.ts'
import { type PatchOperation, readOperations } from './patch.ts'

/** What an operation makes of a group. */
export type GroupChange = (group: GroupFields) => GroupFields

/** The changes of the operations, in their order. */
export async function readGroupPatch(body: Plain): Promise<readonly GroupChange[]> {
  return await Promise.all(readOperations(body).map(readChange))
}

async function readChange({ op, path, value }: PatchOperation, i: number): Promise<GroupChange> {
  const name = path === undefined ? undefined : withoutGroupSchema(path)
  if (name !== undefined && /^members\s*\[/i.test(name)) {
    if (op === 'remove') return remove(await membersInPath(name, i))
    const use = 'Use members to add or replace people.'
    throw new ScimError(400, `\`Operations[${i}].path\` cannot be ${quoted(path)} with ${op}. ${use}`, 'invalidPath')
  }
  if (op === 'remove') return readRemoval(name, value, i)
  if (name === undefined && !isPlain(value))
    throw invalidValue(`\`Operations[${i}].value\` must be an object, because there is no path.`)
  const sent = readGroupAttributes(name === undefined ? Object.entries(value as Plain) : [[name, value]])
  const { members } = sent
  if (op === 'replace' || members === undefined) return (group) => ({ ...group, ...sent })
  return (group) => ({ ...group, ...sent, members: [...new Set([...group.members, ...members])] })
}

function readRemoval(name: string | undefined, value: unknown, i: number): GroupChange {
  if (name === undefined) throw new ScimError(400, `\`Operations[${i}].path\` is required to remove.`, 'noTarget')
  switch (name.toLowerCase()) {
    case 'members':
      // Without a value, all of them.
      return value === undefined || value === null ? (group) => ({ ...group, members: [] }) : remove(readMembers(value))
    case 'externalid':
      return (group) => ({ ...group, externalId: null })
    case 'displayname':
      throw new ScimError(400, '`displayName` is required and cannot be removed.', 'mutability')
    default:
      return (group) => group
  }
}

/** Removes people. One who is not in the group changes nothing. */
function remove(users: readonly string[]): GroupChange {
  const gone = new Set(users)
  return (group) => ({ ...group, members: group.members.filter((user) => !gone.has(user)) })
}

/** The ids in `members[value eq "a" or value eq "b"]`. The library is imported at the first path. */
async function membersInPath(path: string, i: number): Promise<readonly string[]> {
  const use = 'Use members[value eq "…"].'
  const wrong = () => new ScimError(400, `\`Operations[${i}].path\` cannot be ${quoted(path)}. ${use}`, 'invalidPath')
  const { parse } = await import('scim2-parse-filter')
  let filter: ReturnType<typeof parse>
  try {
    filter = parse(path)
  } catch {
    throw wrong()
  }
  if (filter.op !== '[]') throw wrong()
  const { valFilter } = filter
  return (valFilter.op === 'or' ? valFilter.filters : [valFilter]).map((each) => {
    if (each.op === 'eq' && each.attrPath.toLowerCase() === 'value' && typeof each.compValue === 'string')
      return each.compValue
    throw wrong()
  })
}
