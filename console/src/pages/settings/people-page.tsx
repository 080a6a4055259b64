/** The people of the organization with their roles, and pending invitations. */
import './settings.css'
import './people.css'
import { MoreHorizontal, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp, useAppWrite, useHasRole, useSession } from '../../data/index.ts'
import type { Person, Role } from '../../data/shapes.ts'
import {
  Avatar,
  Button,
  IconButton,
  Menu,
  Page,
  RelativeTime,
  Select,
  Table,
  type TableColumn,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { GuestProjectsDialog } from './guest-projects.tsx'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MissingFactors, PersonFactor, useSeesFactors } from './person-factor.tsx'
import { nameOfPerson } from './person-name.ts'
import { PersonSheet } from './person-sheet.tsx'
import { PersonStatus } from './person-status.tsx'
import { useStatusChange } from './person-status-change.tsx'
import { roleNames } from './roles.ts'

export function PeoplePage() {
  const { user: chosen } = useParams()
  const [, navigate] = useLocation()
  const may = useHasRole('admin')
  const people = useApp('GET people', {})
  const seesFactors = useSeesFactors()
  const [isInviting, setInviting] = useState(false)
  const rows = people.data?.data
  return (
    <Page
      title={t('People')}
      description={t('Everyone in the organization. People with an account can sign in.')}
      actions={
        may && (
          <Button kind="primary" icon={UserPlus} onClick={() => setInviting(true)}>
            {t('Invite')}
          </Button>
        )
      }
    >
      {people.error ? (
        <ErrorState error={people.error} onRetry={() => void people.refetch()} />
      ) : (
        <>
          <Table
            label={t('People')}
            columns={columns.filter(({ key }) => seesFactors || key !== 'factor')}
            rows={rows}
            rowKey={({ user }) => user}
            to={({ user }) => `/settings/people/${user}`}
            current={chosen}
          />
          {seesFactors && rows !== undefined && <MissingFactors people={rows} />}
        </>
      )}
      {people.data?.has_more && (
        <p className="subtle">{t('Only the first {count} people are shown.', { count: rows?.length ?? 0 })}</p>
      )}
      {may && rows !== undefined && <Invitations />}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {chosen !== undefined && rows !== undefined && (
        <PersonSheet
          person={rows.find(({ user, member }) => user === chosen || member === chosen)}
          onClose={() => navigate('/settings/people')}
        />
      )}
    </Page>
  )
}

const columns: readonly TableColumn<Person>[] = [
  { key: 'name', title: t('Name'), cell: (person) => <PersonName person={person} /> },
  { key: 'role', title: t('Role'), width: '7.5rem', cell: (person) => <PersonRole person={person} /> },
  {
    key: 'status',
    title: t('Status'),
    width: '8rem',
    from: 'wide',
    cell: ({ status }) => <PersonStatus status={status} />,
  },
  {
    key: 'seen',
    title: t('Last seen'),
    width: '9rem',
    from: 'wide',
    cell: ({ last_seen }) => <RelativeTime at={last_seen} none={t('Never')} />,
  },
  {
    key: 'factor',
    title: t('Second factor'),
    width: '9rem',
    from: 'wide',
    cell: ({ second_factor }) => <PersonFactor second_factor={second_factor} />,
  },
  {
    key: 'menu',
    from: 'wide',
    title: t('Actions'),
    hiddenTitle: true,
    width: '3.5rem',
    align: 'end',
    cell: (person) => <PersonMenu person={person} />,
  },
]

function PersonName({ person }: { readonly person: Person }) {
  const { user } = useSession()
  const name = nameOfPerson(person)
  return (
    <span className="row">
      <Avatar name={name} id={person.user} />
      <span className="person-text">
        <span className="cut">
          {name}
          {person.user === user.id && <span className="subtle"> {t('(you)')}</span>}
        </span>
        {person.email !== null && person.email !== name && <span className="person-email cut">{person.email}</span>}
      </span>
    </span>
  )
}

/** A select for people who may change the role, text for others. */
function PersonRole({ person }: { readonly person: Person }) {
  const { user, role: own } = useSession()
  const isAdmin = useHasRole('admin')
  const write = useAppWrite('PATCH people/{user}', {
    invalidates: ['GET people'],
    done: (changed) =>
      t('Role of {name} changed to {role}', { name: nameOfPerson(changed), role: roleNames[changed.role ?? 'member'] }),
  })
  const [isChoosing, setChoosing] = useState(false)
  const { role } = person
  if (role === null) return <span className="subtle">{t('No account')}</span>
  const may = isAdmin && person.user !== user.id && (role !== 'owner' || own === 'owner')
  if (!may) return <span>{roleNames[role]}</span>
  const roles: Role[] = own === 'owner' ? ['owner', 'admin', 'member', 'guest'] : ['admin', 'member', 'guest']
  return (
    <>
      <Select
        size="s"
        aria-label={t('Role of {name}', { name: nameOfPerson(person) })}
        value={role}
        disabled={write.busy}
        choices={roles.map((value) => ({ value, label: roleNames[value] }))}
        onChange={(next) =>
          next === 'guest' ? setChoosing(true) : void write.run({ params: { user: person.user }, body: { role: next } })
        }
      />
      {isChoosing && <GuestProjectsDialog person={person} onClose={() => setChoosing(false)} />}
    </>
  )
}

function PersonMenu({ person }: { readonly person: Person }) {
  const { item, dialog } = useStatusChange(person)
  if (item === null) return null
  const label = t('Actions for {name}', { name: nameOfPerson(person) })
  return (
    <>
      <Menu label={label} trigger={<IconButton icon={MoreHorizontal} label={label} size="s" />} items={[item]} />
      {dialog}
    </>
  )
}
