/**
 * Finds the people, projects, columns and teams that filters and parameters name by `me`, an e-mail address or a name instead of an
 * id (contract/06#names-in-filters). Names are compared without regard to case and Unicode composition.
 */
import { type RawBuilder, sql } from 'kysely'
import { type Caller, guestOf, type Tenant } from '../../../api/declare/caller.ts'
import type { Dialect } from '../../../db/dialect.ts'
import { onceQuery } from '../../../db/query.ts'
import type { Reader } from '../../../db/store.ts'
import { userInstead } from '../../members/member.ts'
import { peopleSeenBy } from '../../members/shared/people-of-guest.ts'
import { membersOfTeam } from '../../team_members/shared/queries.ts'
import { isTaskKey, taskNoun } from '../task.ts'
import { type CheckedFilter, type Condition, isIdFor, type Reference, type ReferenceColumn } from './check.ts'
import type { FilterError } from './parse.ts'
import { foldedText, lowerText } from './sql.ts'
import { excerpt, FilterFault } from './tokens.ts'

/** The scope of a look-up. */
export interface ReferenceScope {
  readonly reader: Reader
  readonly tenant: Tenant | Caller
  /** Limits projects and columns to this workspace. */
  readonly workspace?: string | undefined
  /** In milliseconds; without it, dates of custom fields are not relative. */
  readonly now?: number | undefined
  /** The user that `me` means; null in an automation. */
  readonly me: string | null
}

/** Maximum number of objects with the same name that a refusal lists. */
const named_max = 3

/** The filter with ids in place of its references. Refuses a reference that matches no object or several. */
export async function resolveReferences(
  filter: CheckedFilter,
  scope: ReferenceScope,
): Promise<CheckedFilter | FilterError> {
  const found = new Map<Reference, Condition>()
  for (const reference of referencesOf(filter.condition)) {
    const named = await findNamed(scope, reference)
    if ('fault' in named) {
      const { message, position } = new FilterFault(named.fault, reference.position, named.advice)
      return { ok: false, message, position }
    }
    found.set(reference, await conditionOf(scope, reference.column, named.id))
  }
  return found.size === 0 ? filter : { ...filter, condition: replaced(filter.condition, found) }
}

/** That the column has the id; of a team, that one of its people is the assignee. */
async function conditionOf(
  { reader, tenant }: ReferenceScope,
  column: ReferenceColumn,
  id: string,
): Promise<Condition> {
  if (column !== 'team') return { kind: 'equals', column, value: id }
  // A guest sees no teams: every id is that of an unknown one.
  if (guestOf(tenant) !== null) return { kind: 'constant', holds: false }
  const rows = await reader.all(membersOfTeam, { organization: tenant.organization, team: id })
  return { kind: 'assigned', users: rows.map(({ user }) => user) }
}

/** Whether the filter contains `me`, so that its result depends on the caller. */
export function namesMe(condition: Condition): boolean {
  return referencesOf(condition).some(isMe)
}

type LookUp = { readonly id: string } | { readonly fault: string; readonly advice: string }

/** The only object that a text names. */
export async function findNamed(
  scope: ReferenceScope,
  reference: Pick<Reference, 'column' | 'text' | 'quoted'>,
): Promise<LookUp> {
  const { column, text } = reference
  if (isMe(reference))
    return scope.me === null ? refusal(column, text, 'An automation has no user. ') : { id: scope.me }
  const rows = await candidates[column](scope, text)
  const [first] = rows
  if (first !== undefined && rows.length === 1) return { id: first.id }
  if (first !== undefined) {
    const ids = rows.slice(0, named_max).map(({ id }) => id)
    const others = rows.length > named_max ? ' and others' : ''
    return { fault: `${excerpt(text)} matches several: ${ids.join(', ')}${others}`, advice: 'Use the id.' }
  }
  const instead = column === 'assignee' ? await userInstead(scope.reader, scope.tenant, text) : null
  return refusal(column, text, instead === null ? '' : `${instead} `)
}

function refusal(column: ReferenceColumn, text: string, hint: string): LookUp {
  return { fault: `${column} cannot be ${excerpt(text)}`, advice: `${hint}${accepted[column]}` }
}

const accepted: Readonly<Record<ReferenceColumn, string>> = {
  assignee: 'Use a user id (usr_…), the e-mail address or full name of one member, me or none.',
  project: 'Use a project id (prj_…), the name of exactly one project, or none.',
  column: 'Use a column id (col_…), the name of exactly one column, or none.',
  parent: 'Use the id (tsk_…) or key of a task, or none.',
  team: 'Use a team id (team_…) or the name of exactly one team.',
}

function isMe({ column, text, quoted }: Pick<Reference, 'column' | 'text' | 'quoted'>): boolean {
  return column === 'assignee' && text === 'me' && !quoted
}

type Candidates = (scope: ReferenceScope, text: string) => Promise<{ readonly id: string }[]>

const candidates: Readonly<Record<ReferenceColumn, Candidates>> = {
  assignee: findPeople,
  project: (scope, name) => findByName(scope, 'projects', name),
  column: (scope, name) => findByName(scope, 'columns', name),
  parent: findByKey,
  team: findTeams,
}

/** A task by its key. */
async function findByKey({ reader, tenant, workspace }: ReferenceScope, text: string): Promise<{ id: string }[]> {
  const key = text.toUpperCase()
  const row = isTaskKey(key) ? await taskNoun.find(reader, tenant, key) : undefined
  const isUsable = row?.deleted_at === null && (workspace === undefined || row.workspace === workspace)
  return row !== undefined && isUsable ? [row] : []
}

/** A team by its id, which may be unknown, or its name. */
async function findTeams({ reader, tenant }: ReferenceScope, text: string): Promise<{ id: string }[]> {
  if (isIdFor('team', text)) return [{ id: text }]
  if (guestOf(tenant) !== null) return []
  const found = onceQuery<{ id: string }>((db, dialect) =>
    db
      .selectFrom('teams')
      .select('id')
      .where('organization', '=', tenant.organization)
      .where('deleted_at', 'is', null)
      .where(isNamed(sql.ref('name'), text, dialect))
      .orderBy('id')
      .limit(named_max + 1),
  )
  return await reader.all(found, {})
}

/** Compiled for each request: the text of `foldedText` depends on the letters of the name. */
async function findByName(
  { reader, tenant, workspace }: ReferenceScope,
  table: 'projects' | 'columns',
  name: string,
): Promise<{ id: string }[]> {
  const guest = guestOf(tenant)
  const found = onceQuery<{ id: string }>((db, dialect) => {
    const query = db
      .selectFrom(table)
      .select('id')
      .where('realm', '=', tenant.realm)
      .where('deleted_at', 'is', null)
      .where(isNamed(sql.ref('name'), name, dialect))
      .orderBy('id')
      .limit(named_max + 1)
    const ofWorkspace = workspace === undefined ? query : query.where('workspace', '=', workspace)
    if (guest === null) return ofWorkspace
    const column = table === 'projects' ? 'id' : 'project'
    return ofWorkspace.where(sql.ref<string>(column), 'in', ['', ...guest.projects])
  })
  return await reader.all(found, {})
}

/** Whether a name is this one, composed or decomposed, ignoring case. */
function isNamed(column: RawBuilder<unknown>, name: string, dialect: Dialect): RawBuilder<boolean> {
  const composed = name.normalize('NFC')
  const decomposed = name.normalize('NFD')
  const is = (form: string) => sql<boolean>`${foldedText(column, form, dialect)} = ${lowerText(form)}`
  return composed === decomposed ? is(name) : sql<boolean>`(${is(composed)} or ${is(decomposed)})`
}

async function findPeople({ reader, tenant }: ReferenceScope, text: string): Promise<{ id: string }[]> {
  const seen = await peopleSeenBy(reader, tenant)
  const found = onceQuery<{ id: string }>((db, dialect) => {
    const fullName = sql`trim(coalesce(first_name, '') || ' ' || coalesce(last_name, ''))`
    const query = db
      .selectFrom('members')
      .select('user as id')
      .where('organization', '=', tenant.organization)
      .where(sql<boolean>`(lower(email) = ${text.toLowerCase()} or ${isNamed(fullName, text, dialect)})`)
      .orderBy('user')
      .limit(named_max + 1)
    return seen === null ? query : query.where('user', 'in', [...seen])
  })
  return await reader.all(found, {})
}

function referencesOf(condition: Condition): Reference[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.operands.flatMap(referencesOf)
    case 'not':
      return referencesOf(condition.operand)
    case 'reference':
      return [condition]
    default:
      return []
  }
}

function replaced(condition: Condition, by: ReadonlyMap<Reference, Condition>): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return { kind: condition.kind, operands: condition.operands.map((operand) => replaced(operand, by)) }
    case 'not':
      return { kind: 'not', operand: replaced(condition.operand, by) }
    case 'reference':
      return by.get(condition) as Condition
    default:
      return condition
  }
}
