/** All SQL about provisioning: tokens, and the people of an organization as providers see them. */
import { limits } from '../../api/limits.ts'
import { isOneOf } from '../../db/dialect.ts'
import { literal, type Placeholder, query } from '../../db/query.ts'
import { console_limits } from '../limits.ts'

export const listScimTokens = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('scim_tokens')
    .selectAll()
    .where('organization', '=', p('organization'))
    .orderBy('id', 'desc')
    .limit(literal(console_limits.scim_tokens_max)),
)

export const findScimToken = query((db, p: Placeholder<{ digest: string }>) =>
  db.selectFrom('scim_tokens').selectAll().where('digest', '=', p('digest')),
)

export const deleteScimToken = query((db, p: Placeholder<{ organization: string; id: string }>) =>
  db.deleteFrom('scim_tokens').where('organization', '=', p('organization')).where('id', '=', p('id')),
)

export const touchScimToken = query((db, p: Placeholder<{ now: number | null; id: string }>) =>
  db
    .updateTable('scim_tokens')
    .set({ last_used_at: p('now') })
    .where('id', '=', p('id')),
)

/** A page in the order of their creation, without the people for whom `isDeleted`. */
export const listScimPeople = query((db, p: Placeholder<{ organization: string; offset: number; count: number }>) =>
  db
    .selectFrom('members')
    .leftJoin('scim_people', (join) =>
      join
        .onRef('scim_people.organization', '=', 'members.organization')
        .onRef('scim_people.user', '=', 'members.user'),
    )
    .selectAll('members')
    .select(['scim_people.external_id', 'scim_people.updated as provisioned_at', 'scim_people.deleted_at'])
    .where('members.organization', '=', p('organization'))
    .where((or) => or.or([or('scim_people.deleted_at', 'is', null), or('members.status', '<>', 'inactive')]))
    .orderBy('members.id')
    .limit(p('count'))
    .offset(p('offset')),
)

export const countScimPeople = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('members')
    .leftJoin('scim_people', (join) =>
      join
        .onRef('scim_people.organization', '=', 'members.organization')
        .onRef('scim_people.user', '=', 'members.user'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('members.organization', '=', p('organization'))
    .where((or) => or.or([or('scim_people.deleted_at', 'is', null), or('members.status', '<>', 'inactive')])),
)

const findBy = (column: 'members.user' | 'scim_people.external_id') =>
  query((db, p: Placeholder<{ organization: string; value: string }>) =>
    db
      .selectFrom('members')
      .leftJoin('scim_people', (join) =>
        join
          .onRef('scim_people.organization', '=', 'members.organization')
          .onRef('scim_people.user', '=', 'members.user'),
      )
      .selectAll('members')
      .select(['scim_people.external_id', 'scim_people.updated as provisioned_at', 'scim_people.deleted_at'])
      .where('members.organization', '=', p('organization'))
      .where(column, '=', p('value')),
  )
export type PersonRow = NonNullable<(typeof listScimPeople)['row']>

/** Whether a provider has deleted the person. It sees one again who was activated or invited in the console since. */
export function isDeleted({ deleted_at, status }: Pick<PersonRow, 'deleted_at' | 'status'>): boolean {
  return deleted_at !== null && status === 'inactive'
}

/** These also find people that a provider has deleted. */
export const findPersonByUser = findBy('members.user')
export const findPersonByExternalId = findBy('scim_people.external_id')
export const findPersonByEmail = query((db, p: Placeholder<{ organization: string; value: string }>) =>
  db
    .selectFrom('members')
    .leftJoin('scim_people', (join) =>
      join
        .onRef('scim_people.organization', '=', 'members.organization')
        .onRef('scim_people.user', '=', 'members.user'),
    )
    .selectAll('members')
    .select(['scim_people.external_id', 'scim_people.updated as provisioned_at', 'scim_people.deleted_at'])
    .where('members.organization', '=', p('organization'))
    .where((eb) => eb(eb.fn<string>('lower', ['members.email']), '=', p('value'))),
)

export const putScimPerson = query(
  (
    db,
    p: Placeholder<{
      organization: string
      user: string
      external_id: string | null
      now: number
      deleted_at: number | null
    }>,
  ) =>
    db
      .insertInto('scim_people')
      .values({
        organization: p('organization'),
        user: p('user'),
        external_id: p('external_id'),
        updated: p('now'),
        deleted_at: p('deleted_at'),
      })
      .onConflict((conflict) =>
        conflict.columns(['organization', 'user']).doUpdateSet((eb) => ({
          external_id: eb.ref('excluded.external_id'),
          updated: eb.ref('excluded.updated'),
          deleted_at: eb.ref('excluded.deleted_at'),
        })),
      ),
)

/** People by a JSON array of user ids, also those whom a provider has deleted. */
export const findPeopleByUsers = query((db, p: Placeholder<{ organization: string; users: string }>, dialect) =>
  db
    .selectFrom('members')
    .leftJoin('scim_people', (join) =>
      join
        .onRef('scim_people.organization', '=', 'members.organization')
        .onRef('scim_people.user', '=', 'members.user'),
    )
    .select(['members.user', 'members.status', 'scim_people.deleted_at'])
    .where('members.organization', '=', p('organization'))
    .where(isOneOf(dialect, 'members.user', p('users'))),
)

/** All teams in the order of their creation. */
export const listTeamsOfOrganization = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('teams')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(literal(limits.teams_max)),
)

/** The people of a team in the order in which they were added. */
export const peopleOfTeam = query((db, p: Placeholder<{ organization: string; team: string }>) =>
  db
    .selectFrom('team_members')
    .innerJoin('members', (join) =>
      join
        .onRef('members.organization', '=', 'team_members.organization')
        .onRef('members.user', '=', 'team_members.user'),
    )
    .select(['members.user', 'members.email', 'members.first_name', 'members.last_name'])
    .where('team_members.organization', '=', p('organization'))
    .where('team_members.team', '=', p('team'))
    .where('team_members.deleted_at', 'is', null)
    .orderBy('team_members.id')
    .limit(literal(limits.team_members_max)),
)

/** When people were last added to a team or removed. */
export const changedOfTeam = query((db, p: Placeholder<{ organization: string; team: string }>) =>
  db
    .selectFrom('team_members')
    .select((eb) => eb.fn.max(eb.fn.coalesce('deleted_at', 'created')).as('changed'))
    .where('organization', '=', p('organization'))
    .where('team', '=', p('team')),
)
