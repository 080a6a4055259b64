/** A person's name, and the action that deactivates or reactivates them. */
import { UserRoundCheck, UserRoundX } from 'lucide-react'
import { useAppWrite, useHasRole, useSession } from '../../data/index.ts'
import type { Person } from '../../data/shapes.ts'
import type { MenuItem } from '../../design/index.ts'

export function nameOfPerson({ first_name, last_name, email, user }: Person): string {
  return [first_name, last_name].filter(Boolean).join(' ') || email || user
}

/** Deactivate or Reactivate; `null` if the signed-in person may do neither. */
export function useStatusChange(person: Person): MenuItem | null {
  const { user, role: own } = useSession()
  const isAdmin = useHasRole('admin')
  const write = useAppWrite('PATCH people/{user}', {
    invalidates: ['GET people', 'GET directory'],
    done: (changed) => `${nameOfPerson(changed)} ${changed.status === 'active' ? 'reactivated' : 'deactivated'}`,
  })
  const may = isAdmin && person.user !== user.id && (person.role !== 'owner' || own === 'owner')
  if (!may || person.status === 'pending') return null
  const set = (status: 'active' | 'inactive') => () =>
    void write.run({ params: { user: person.user }, body: { status } })
  if (person.status === 'inactive') {
    return { label: 'Reactivate', icon: UserRoundCheck, onSelect: set('active') }
  }
  const hint = 'Ends all sessions, keeps their work'
  return { label: 'Deactivate', hint, icon: UserRoundX, danger: true, onSelect: set('inactive') }
}
