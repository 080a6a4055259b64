/**
 * The operators of the installation. An operator is a member of an organization, not an email address: addresses are
 * not verified, and another organization may invite the same one.
 */
import { refuse } from '../../api/declare/errors.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { Tx } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import { requireRealms } from '../../resources/organizations/shared/queries.ts'
import { console_limits } from '../limits.ts'

export interface Operator {
  readonly organization: string
  readonly organization_name: string
  readonly user: string
  readonly email: string | null
  readonly status: string
  /** Unix seconds. */
  readonly created: number
}

/** How the command line names a member: `organization` is needed if several organizations have the address. */
export interface MemberName {
  readonly email: string
  readonly organization?: string | undefined
}

type OperatorServices = Pick<Services, 'store' | 'clock' | 'committed'>

const findOperator = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db
    .selectFrom('operators')
    .select('created')
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user')),
)

const listAll = query((db) =>
  db
    .selectFrom('operators')
    .innerJoin('organizations', 'organizations.organization', 'operators.organization')
    .innerJoin('members', (join) =>
      join.onRef('members.organization', '=', 'operators.organization').onRef('members.user', '=', 'operators.user'),
    )
    .select(['operators.organization', 'organizations.name as organization_name', 'operators.user'])
    .select(['members.email', 'members.status', 'operators.created'])
    .orderBy('operators.created')
    .orderBy('operators.user')
    .limit(console_limits.operators_max),
)

const deleteOperator = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db.deleteFrom('operators').where('organization', '=', p('organization')).where('user', '=', p('user')),
)

const findMembers = query((db, p: Placeholder<{ email: string }>) =>
  db
    .selectFrom('members')
    .select(['organization', 'user'])
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', p('email')))
    .where('status', '<>', 'inactive')
    .orderBy('organization')
    .limit(console_limits.accounts_per_email_max),
)

export async function isOperator(
  { store }: Pick<Services, 'store'>,
  member: { readonly organization: string; readonly user: string },
): Promise<boolean> {
  const { organization, user } = member
  return (await store.reader('system').first(findOperator, { organization, user })) !== undefined
}

/** Lists the operators, the earliest first. */
export async function listOperators({ store }: Pick<Services, 'store'>): Promise<Operator[]> {
  const rows = await store.reader('system').all(listAll)
  return rows.map((row) => ({ ...row, created: seconds(row.created) }))
}

/** Makes a member an operator; an operator stays one. Refused if the installation has `operators_max` of them. */
export async function addOperator(services: OperatorServices, name: MemberName): Promise<Operator> {
  const member = findOne(name, await services.store.reader('system').all(findMembers, lowerCase(name)))
  await change(services, member.organization, 'operators.create', async ({ tx, now, note }) => {
    if ((await tx.first(findOperator, member)) !== undefined) return
    await insertOperator(tx, member, now)
    note({ target: { object: 'user', id: member.user } })
  })
  const isAdded = (each: Operator) => each.organization === member.organization && each.user === member.user
  return (await listOperators(services)).find(isAdded) as Operator
}

/** Inserts an operator. Refused if the installation has `operators_max` of them. */
export async function insertOperator(
  tx: Tx,
  { organization, user }: { readonly organization: string; readonly user: string },
  now: number,
): Promise<void> {
  const max = console_limits.operators_max
  if ((await tx.all(listAll)).length >= max) {
    throw refuse('resource_conflict', { message: `The installation has ${max} operators. Remove one first.` })
  }
  tx.insert('operators', { organization, user, created: now })
}

/** Removes an operator, who stays a member of the organization. */
export async function removeOperator(services: OperatorServices, name: MemberName): Promise<Operator> {
  const email = name.email.toLowerCase()
  const operators = (await listOperators(services)).filter((each) => each.email?.toLowerCase() === email)
  const operator = findOne(name, operators)
  const { organization, user } = operator
  await change(services, organization, 'operators.delete', async ({ tx, note }) => {
    tx.write(deleteOperator, { organization, user })
    note({ target: { object: 'user', id: user } })
  })
  return operator
}

async function change(
  services: OperatorServices,
  organization: string,
  action: string,
  handle: Parameters<typeof commitSystemChange<void>>[2],
): Promise<void> {
  const realms = await requireRealms(services.store, organization)
  await commitSystemChange(services, { organization, realms, action }, handle)
}

function lowerCase({ email }: MemberName): { email: string } {
  return { email: email.toLowerCase() }
}

/** The only candidate, of the named organization if one is named. */
function findOne<T extends { readonly organization: string }>(name: MemberName, candidates: readonly T[]): T {
  const found = candidates.filter((each) => name.organization === undefined || each.organization === name.organization)
  const [first] = found
  if (first === undefined) {
    const message = `No matching member has the email address "${name.email}".`
    throw refuse('resource_not_found', { param: 'email', message })
  }
  if (found.length === 1) return first
  const ids = found.map(({ organization }) => organization).join(', ')
  const message = `Members of several organizations have the email address "${name.email}". Use --organization with one of ${ids}.`
  throw refuse('resource_conflict', { param: 'email', message })
}
