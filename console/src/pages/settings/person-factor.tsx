/** The second factor of a person, which only owners see, while the organization requires one; and its reset. */
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { useAppWrite, useHasRole, useSession } from '../../data/index.ts'
import type { Person } from '../../data/shapes.ts'
import { Badge, Button, ConfirmDialog, Notice } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { nameOfPerson } from './person-name.ts'

/** Whether the signed-in person sees the second factors of people. */
export function useSeesFactors(): boolean {
  const isOwner = useHasRole('owner')
  return useSession().second_factor.required && isOwner
}

export function PersonFactor({ second_factor }: Pick<Person, 'second_factor'>) {
  if (second_factor === null) return <span className="subtle">—</span>
  if (second_factor === 'none') return <Badge tone="warn">{t('None')}</Badge>
  return <span>{second_factor === 'own' ? t('Passkey or app') : t('By the provider')}</span>
}

/** How many people have none; they cannot go on before they set one up. */
export function MissingFactors({ people }: { readonly people: readonly Person[] }) {
  const count = people.filter((person) => person.second_factor === 'none' && person.status === 'active').length
  if (count === 0) return null
  return (
    <Notice>
      {t(
        '{count, plural, one {1 person has} other {# people have}} no second factor yet. They set one up before they can go on in the console.',
        { count },
      )}
    </Notice>
  )
}

export function FactorReset({ person }: { readonly person: Person }) {
  const { user: own } = useSession()
  const isOwner = useHasRole('owner')
  const { user, has_account } = person
  const name = nameOfPerson(person)
  const [isAsking, setAsking] = useState(false)
  const write = useAppWrite('DELETE people/{user}/second-factor', {
    invalidates: ['GET people'],
    toastErrors: false,
    done: ({ is_mailed }) =>
      is_mailed
        ? t('The second factor of {name} was reset. A mail says so.', { name })
        : t('The second factor of {name} was reset. Tell them, because this server sends no mail.', { name }),
  })
  if (!isOwner || !has_account || user === own.id) return null
  const reset = async () => {
    if ((await write.run({ params: { user } })) !== undefined) setAsking(false)
  }
  return (
    <div>
      <Button onClick={() => setAsking(true)}>{t('Reset second factor')}</Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t('Reset the second factor of {name}?', { name })}
        action={t('Reset second factor')}
        busy={write.busy}
        error={<FormError error={write.error} />}
        onConfirm={() => void reset()}
      >
        {t(
          'Do this only if you know that {name} has lost it, for example after a call. Authenticator app, passkeys and recovery codes no longer work, and all sessions end. The password stays.',
          { name },
        )}
      </ConfirmDialog>
    </div>
  )
}
