/** The members of a board and their roles. The owner cannot be changed. */
import type { Board, BoardMember } from '@atrium/sdk'
import { UserPlus, UserX } from 'lucide-react'
import { useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { patch, remove, teamWords, useDirectory, useSession, useWrite } from '../../data/index.ts'
import { Avatar, Badge, Button, Combobox, IconButton, inWords, Select, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { GuestLinks } from './guest-links.tsx'
import { useMembers } from './reads.ts'

type Role = 'editor' | 'commenter' | 'viewer'

const roles = [
  { value: 'editor', label: t('Editor') },
  { value: 'commenter', label: t('Commenter') },
  { value: 'viewer', label: t('Viewer') },
] as const

const invalidates = ['board_member', 'board']

export function Members({ board }: { readonly board: Board }) {
  const members = useMembers(board.id)
  const { user, role } = useSession()
  const isOpen = board.status === 'active'
  if (members.error) return <ErrorState error={members.error} onRetry={() => void members.refetch()} plain />
  if (members.data === undefined) return <SkeletonLines lines={6} />
  // The API lists the newest member first.
  const rows = members.data.toReversed()
  const own = rows.find((member) => member.user === user.id)?.role
  return (
    <>
      {isOpen && <AddMember board={board.id} members={rows} />}
      <ul className="board-members" aria-label={t('Members')}>
        {rows.map((member) => (
          <Member key={member.id} member={member} isOpen={isOpen} />
        ))}
      </ul>
      {!isOpen && <p className="subtle">{t('Restore the board to change its members.')}</p>}
      {role !== 'guest' && <GuestLinks board={board} canShare={isOpen && (own === 'owner' || own === 'editor')} />}
    </>
  )
}

function AddMember({ board, members }: { readonly board: string; readonly members: readonly BoardMember[] }) {
  const { active, teams, nameOf } = useDirectory()
  const [user, setUser] = useState<string | null>(null)
  const [role, setRole] = useState<Role>('editor')
  const add = useWrite({
    write: (atrium, given: { readonly user: string; readonly role: Role }) =>
      atrium.boards.members.create(board, given),
    invalidates,
    done: (member: BoardMember) => t('Shared with {name}', { name: nameOf(member.user) }),
    undo: (member) => (atrium) => atrium.boards.members.delete(board, member.user),
  })
  const users = new Set(members.map((member) => member.user))
  const options = active
    .filter(({ id }) => !users.has(id))
    .map(({ id, name, email }) => {
      return { value: id, label: name, words: teamWords(teams, id), ...(email === null ? {} : { hint: email }) }
    })
  const submit = async () => {
    const clear = () => setUser(null)
    if (user !== null && (await add.run({ user, role }, clear)) !== undefined) clear()
  }
  return (
    <div className="board-add-member">
      <Combobox
        label={t('Person to share with')}
        placeholder={t('Share with…')}
        options={options}
        value={user === null ? [] : [user]}
        onChange={([id]) => setUser(id ?? null)}
      />
      <div className="row">
        <Select aria-label={t('Role')} value={role} choices={roles} onChange={setRole} />
        <Button icon={UserPlus} disabled={user === null} busy={add.busy} onClick={() => void submit()}>
          {t('Share')}
        </Button>
      </div>
    </div>
  )
}

function Member({ member, isOpen }: { readonly member: BoardMember; readonly isOpen: boolean }) {
  const { nameOf } = useDirectory()
  const { board, user } = member
  const name = nameOf(user)
  const change = useWrite({
    write: (atrium, role: Role) => atrium.boards.members.update(board, user, { role }),
    changes: (role) => [patch('board_member', member.id, { role })],
    done: (_, role) => t('Role of {name} changed to {role}', { name, role: inWords(role) }),
    undo: () => (atrium) => atrium.boards.members.update(board, user, { role: roleOf(member) }),
  })
  const expel = useWrite({
    write: (atrium) => atrium.boards.members.delete(board, user),
    changes: () => [remove('board_member', member.id)],
    invalidates,
    done: () => t('{name} removed', { name }),
    undo: () => (atrium) => atrium.boards.members.create(board, { user, role: roleOf(member) }),
  })
  return (
    <li className="board-member">
      <Avatar name={name} id={user} />
      <span className="grow cut">{name}</span>
      {member.role === 'owner' || !isOpen ? (
        <Badge>{inWords(member.role)}</Badge>
      ) : (
        <>
          <Select
            aria-label={t('Role of {name}', { name })}
            size="s"
            value={roleOf(member)}
            choices={roles}
            onChange={(role) => void change.run(role)}
          />
          <IconButton
            icon={UserX}
            label={t('Remove {name}', { name })}
            size="s"
            onClick={() => void expel.run(undefined)}
          />
        </>
      )}
    </li>
  )
}

function roleOf({ role }: BoardMember): Role {
  return roles.find(({ value }) => value === role)?.value ?? 'viewer'
}
