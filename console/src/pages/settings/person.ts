/** A person as the settings speak of them. */
import { UserRoundCheck, UserRoundX } from 'lucide-react'
import { useAppWrite, useMay, useSession } from '../../data/index.ts'
import type { Person } from '../../data/shapes.ts'
import type { MenuItem } from '../../design/index.ts'

export function nameOfPerson({ first_name, last_name, email, user }: Person): string {
  return [first_name, last_name].filter(Boolean).join(' ') || email || user
}

/** Shutting somebody out and letting them in again; `null` where that is not for the one who looks. */
export function useStatusChange(person: Person): MenuItem | null {
  const { user, role: own } = useSession()
  const isAdmin = useMay('admin')
  const write = useAppWrite('PATCH people/{user}', {
    touches: ['GET people', 'GET directory'],
    done: (changed) => `${nameOfPerson(changed)} was ${changed.status === 'active' ? 'let in again' : 'deactivated'}`,
  })
  const may = isAdmin && person.user !== user.id && (person.role !== 'owner' || own === 'owner')
  if (!may || person.status === 'pending') return null
  const set = (status: 'active' | 'inactive') => () =>
    void write.run({ params: { user: person.user }, body: { status } })
  if (person.status === 'inactive') {
    return { label: 'Let in again', icon: UserRoundCheck, onSelect: set('active') }
  }
  const hint = 'Ends all sessions; work stays'
  return { label: 'Deactivate', hint, icon: UserRoundX, danger: true, onSelect: set('inactive') }
}
