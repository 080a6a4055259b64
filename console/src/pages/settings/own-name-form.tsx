import { useState } from 'react'
import { fieldErrors, useAppWrite, useSession } from '../../data/index.ts'
import { Field, Input } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { FormSection } from './form-section.tsx'

const name_chars_max = 200

/** The person's own name in this organization, as tasks, comments and the audit log show it. */
export function OwnNameForm() {
  const { user } = useSession()
  const [first, setFirst] = useState(user.first_name ?? '')
  const [last, setLast] = useState(user.last_name ?? '')
  const write = useAppWrite('PATCH profile', {
    invalidates: ['GET people', 'GET directory'],
    done: () => t('Name saved'),
    toastErrors: false,
  })
  const next = { first_name: first.trim() || null, last_name: last.trim() || null }
  const faults = fieldErrors(write.error)
  return (
    <FormSection
      title={t('Name')}
      description={t('Shown to others next to everything you do.')}
      isReady={next.first_name !== user.first_name || next.last_name !== user.last_name}
      write={write}
      fields={['first_name', 'last_name']}
      onSubmit={() => void write.run({ body: next })}
    >
      <Field label={t('First name')} error={faults.first_name}>
        <Input
          value={first}
          autoComplete="given-name"
          maxLength={name_chars_max}
          onChange={({ currentTarget }) => setFirst(currentTarget.value)}
        />
      </Field>
      <Field label={t('Last name')} error={faults.last_name}>
        <Input
          value={last}
          autoComplete="family-name"
          maxLength={name_chars_max}
          onChange={({ currentTarget }) => setLast(currentTarget.value)}
        />
      </Field>
    </FormSection>
  )
}
