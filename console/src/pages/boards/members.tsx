/** Who a board is shared with: let in with a role, given another, taken out again. The owner stays. */
import type { Board, BoardMember } from '@atrium/sdk'
import { UserPlus, UserX } from 'lucide-react'
import { useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { patch, remove, useDirectory, useWrite } from '../../data/index.ts'
import { Avatar, Badge, Button, Combobox, IconButton, Select, SkeletonLines } from '../../design/index.ts'
import { useMembers } from './reads.ts'

type Granted = 'editor' | 'commenter' | 'viewer'

const roles = [
  { value: 'editor', label: 'Editor' },
  { value: 'commenter', label: 'Commenter' },
  { value: 'viewer', label: 'Viewer' },
] as const

const touches = ['board_member', 'board']

export function Members({ board }: { readonly board: Board }) {
  const members = useMembers(board.id)
  const isOpen = board.status === 'active'
  if (members.error) return <ErrorState error={members.error} onRetry={() => void members.refetch()} plain />
  if (members.data === undefined) return <SkeletonLines lines={6} />
  // The API tells the newest first.
  const rows = members.data.toReversed()
  return (
    <>
      {isOpen && <AddMember board={board.id} members={rows} />}
      <ul className="board-members" aria-label="Members">
        {rows.map((member) => (
          <Member key={member.id} member={member} isOpen={isOpen} />
        ))}
      </ul>
      {!isOpen && <p className="subtle">An archived board keeps its members as they are.</p>}
    </>
  )
}

function AddMember({ board, members }: { readonly board: string; readonly members: readonly BoardMember[] }) {
  const { active, nameOf } = useDirectory()
  const [user, setUser] = useState<string | null>(null)
  const [role, setRole] = useState<Granted>('editor')
  const add = useWrite({
    write: (atrium, given: { readonly user: string; readonly role: Granted }) =>
      atrium.boards.members.create(board, given),
    touches,
    done: (member: BoardMember) => `Shared with ${nameOf(member.user)}`,
    undo: (member) => (atrium) => atrium.boards.members.delete(board, member.user),
  })
  const inside = new Set(members.map((member) => member.user))
  const options = active
    .filter(({ id }) => !inside.has(id))
    .map(({ id, name, email }) => ({ value: id, label: name, ...(email === null ? {} : { hint: email }) }))
  const submit = async () => {
    if (user !== null && (await add.run({ user, role })) !== undefined) setUser(null)
  }
  return (
    <div className="board-add-member">
      <Combobox
        label="Person to share with"
        placeholder="Share with…"
        options={options}
        value={user === null ? [] : [user]}
        onChange={([id]) => setUser(id ?? null)}
      />
      <div className="row">
        <Select aria-label="Role of the person" value={role} choices={roles} onChange={setRole} />
        <Button icon={UserPlus} disabled={user === null} busy={add.busy} onClick={() => void submit()}>
          Share
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
    write: (atrium, role: Granted) => atrium.boards.members.update(board, user, { role }),
    changes: (role) => [patch('board_member', member.id, { role })],
    done: (_, role) => `${name} is ${role} now`,
    undo: () => (atrium) => atrium.boards.members.update(board, user, { role: grantedOf(member.role) }),
  })
  const leave = useWrite({
    write: (atrium) => atrium.boards.members.delete(board, user),
    changes: () => [remove('board_member', member.id)],
    touches,
    done: () => `${name} removed`,
    undo: () => (atrium) => atrium.boards.members.create(board, { user, role: grantedOf(member.role) }),
  })
  return (
    <li className="board-member">
      <Avatar name={name} id={user} />
      <span className="grow cut">{name}</span>
      {member.role === 'owner' || !isOpen ? (
        <Badge>{member.role}</Badge>
      ) : (
        <>
          <Select
            aria-label={`Role of ${name}`}
            size="s"
            value={grantedOf(member.role)}
            choices={roles}
            onChange={(role) => void change.run(role)}
          />
          <IconButton icon={UserX} label={`Remove ${name}`} size="s" onClick={() => void leave.run(undefined)} />
        </>
      )}
    </li>
  )
}

function grantedOf(role: BoardMember['role']): Granted {
  return roles.find(({ value }) => value === role)?.value ?? 'viewer'
}
