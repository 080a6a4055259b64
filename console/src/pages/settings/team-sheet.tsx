/** A team with its people, whom owners and admins add and remove. */
import '../../design/item-list.css'
import { Pencil, UserX } from 'lucide-react'
import { useState } from 'react'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { NotFoundSheet } from '../../app/not-found-sheet.tsx'
import { useApp, useAppWrite, useDirectory, useHasRole } from '../../data/index.ts'
import type { Team } from '../../data/shapes.ts'
import {
  Avatar,
  Button,
  Combobox,
  CopyId,
  Fact,
  Facts,
  IconButton,
  Section,
  Sheet,
  SkeletonLines,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { PersonStatus } from './person-status.tsx'
import { TeamDialog } from './team-dialog.tsx'
import { teams_shown, useTeamMembers } from './team-reads.ts'

interface TeamSheetProps {
  /** Undefined if no team has the ID in the URL. */
  readonly team: Team | undefined
  readonly onClose: () => void
}

export function TeamSheet({ team, onClose }: TeamSheetProps) {
  const may = useHasRole('admin')
  const [isEditing, setEditing] = useState(false)
  if (team === undefined) {
    return (
      <NotFoundSheet noun={t('team')} onClose={onClose}>
        {t('The team was deleted, or belongs to another organization.')}
      </NotFoundSheet>
    )
  }
  return (
    <Sheet open onClose={onClose} title={team.name}>
      <div className="stack">
        {team.description !== null && <p>{team.description}</p>}
        <TeamPeople team={team} may={may} />
        <Facts>
          <Fact name={t('Team ID')}>
            <CopyId id={team.id} label={t('Copy team ID')} />
          </Fact>
        </Facts>
        {may && (
          <div className="row">
            <Button icon={Pencil} onClick={() => setEditing(true)}>
              {t('Edit')}
            </Button>
            <DeleteTeam team={team} onDone={onClose} />
          </div>
        )}
        {isEditing && <TeamDialog team={team} onClose={() => setEditing(false)} />}
      </div>
    </Sheet>
  )
}

function DeleteTeam({ team, onDone }: { readonly team: Team; readonly onDone: () => void }) {
  const write = useAppWrite('DELETE teams/{id}', {
    invalidates: teams_shown,
    toastErrors: false,
    done: () => t('{name} deleted', { name: team.name }),
  })
  return (
    <ConfirmButton
      action={t('Delete')}
      title={t('Delete {name}?', { name: team.name })}
      write={write}
      run={() => write.run({ params: { id: team.id } })}
      onDone={onDone}
    >
      {t('Its people and their tasks stay. Filters by the team no longer find tasks.')}
    </ConfirmButton>
  )
}

function TeamPeople({ team, may }: { readonly team: Team; readonly may: boolean }) {
  const members = useTeamMembers(team.id)
  // The API lists the person who was added last first.
  const users = members.data?.map(({ user }) => user).toReversed()
  return (
    <Section title={t('People')}>
      {may && users !== undefined && <AddPerson team={team} users={users} />}
      {members.error && <ErrorState error={members.error} onRetry={() => void members.refetch()} plain />}
      {!members.error && users === undefined && <SkeletonLines lines={3} />}
      {users?.length === 0 && <p className="subtle">{t('No people yet.')}</p>}
      {users !== undefined && users.length > 0 && (
        <ul className="item-list" aria-label={t('People of {name}', { name: team.name })}>
          {users.map((user) => (
            <TeamPerson key={user} team={team} user={user} may={may} />
          ))}
        </ul>
      )}
    </Section>
  )
}

function AddPerson({ team, users }: { readonly team: Team; readonly users: readonly string[] }) {
  const { active } = useDirectory()
  const write = useAppWrite('PATCH teams/{id}', { invalidates: teams_shown, nouns: ['team_member'] })
  const present = new Set(users)
  const options = active
    .filter(({ id }) => !present.has(id))
    .map(({ id, name, email }) => ({ value: id, label: name, ...(email === null ? {} : { hint: email }) }))
  return (
    <Combobox
      label={t('Add a person')}
      placeholder={t('Add a person…')}
      options={options}
      value={[]}
      onChange={([user]) => user !== undefined && void write.run({ params: { id: team.id }, body: { add: [user] } })}
    />
  )
}

function TeamPerson({ team, user, may }: { readonly team: Team; readonly user: string; readonly may: boolean }) {
  const { nameOf } = useDirectory()
  const people = useApp('GET people', {})
  const status = people.data?.data.find((person) => person.user === user)?.status
  const write = useAppWrite('PATCH teams/{id}', { invalidates: teams_shown, nouns: ['team_member'] })
  const name = nameOf(user)
  return (
    <li className="item">
      <Avatar name={name} id={user} />
      <span className="grow cut">{name}</span>
      {status !== undefined && status !== 'active' && <PersonStatus status={status} />}
      {may && (
        <IconButton
          icon={UserX}
          label={t('Remove {name}', { name })}
          size="s"
          disabled={write.busy}
          onClick={() => void write.run({ params: { id: team.id }, body: { remove: [user] } })}
        />
      )}
    </li>
  )
}
