/** The action that deactivates or reactivates a person. Deactivating asks first. */
import { UserRoundCheck, UserRoundX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { useAppWrite, useHasRole, useSession } from '../../data/index.ts'
import type { Person } from '../../data/shapes.ts'
import { ConfirmDialog, type MenuItem } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { nameOfPerson } from './person-name.ts'

interface StatusChange {
  /** Deactivate or Reactivate; `null` if the signed-in person may do neither. */
  readonly item: MenuItem | null
  /** Beside the menu or button of the item. */
  readonly dialog: ReactNode
}

export function useStatusChange(person: Person): StatusChange {
  const { user, role: own } = useSession()
  const isAdmin = useHasRole('admin')
  const [isAsking, setAsking] = useState(false)
  const write = useAppWrite('PATCH people/{user}', {
    invalidates: ['GET people', 'GET directory'],
    done: (changed) =>
      changed.status === 'active'
        ? t('{name} reactivated', { name: nameOfPerson(changed) })
        : t('{name} deactivated', { name: nameOfPerson(changed) }),
    toastErrors: person.status === 'inactive',
  })
  const may = isAdmin && person.user !== user.id && (person.role !== 'owner' || own === 'owner')
  if (!may || person.status === 'pending') return { item: null, dialog: null }
  const set = (status: 'active' | 'inactive') => write.run({ params: { user: person.user }, body: { status } })
  if (person.status === 'inactive') {
    return { item: { label: t('Reactivate'), icon: UserRoundCheck, onSelect: () => void set('active') }, dialog: null }
  }
  const deactivate = async () => {
    if ((await set('inactive')) !== undefined) setAsking(false)
  }
  return {
    item: { label: t('Deactivate…'), icon: UserRoundX, danger: true, onSelect: () => setAsking(true) },
    dialog: (
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t('Deactivate {name}?', { name: nameOfPerson(person) })}
        action={t('Deactivate')}
        busy={write.busy}
        error={<FormError error={write.error} />}
        onConfirm={() => void deactivate()}
      >
        {t(
          'All sessions of this person end at once. Their tasks and time entries stay. You can reactivate them later.',
        )}
      </ConfirmDialog>
    ),
  }
}
