import { useState } from 'react'
import { UsernameHint } from '../../app/username-hint.tsx'
import { fieldErrors, useAppWrite, useSession } from '../../data/index.ts'
import { Field, Notice, PasswordInput } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { oneOf } from '../../language/lists.ts'
import { FormSection } from './form-section.tsx'

export function PasswordForm() {
  const { has_password, providers } = useSession()
  if (has_password) return <PasswordChange />
  const names = oneOf(providers.map(({ name }) => name))
  return (
    <Notice title={t('Your account has no password')}>
      {names === ''
        ? t('You sign in with a passkey.')
        : t('You sign in with {names}. You can add a passkey below.', { names })}
    </Notice>
  )
}

function PasswordChange() {
  const { account } = useSession()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const write = useAppWrite('POST password', {
    invalidates: ['GET sessions'],
    done: () => t('Password changed. All other sessions have ended.'),
    toastErrors: false,
  })
  const faults = fieldErrors(write.error)
  const change = async () => {
    if ((await write.run({ body: { current, next } })) === undefined) return
    setCurrent('')
    setNext('')
  }
  return (
    <FormSection
      title={t('Password')}
      description={t('Changing it ends all other sessions of your account.')}
      action={t('Change password')}
      isReady={current !== '' && next !== ''}
      write={write}
      fields={['current', 'next']}
      onSubmit={() => void change()}
    >
      <UsernameHint email={account.email} />
      <Field label={t('Current password')} error={faults.current}>
        <PasswordInput
          autoComplete="current-password"
          value={current}
          onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
        />
      </Field>
      <Field
        label={t('New password')}
        error={faults.next}
        hint={t('At least 10 characters. A few random words are easy to remember.')}
      >
        <PasswordInput
          autoComplete="new-password"
          value={next}
          onChange={({ currentTarget }) => setNext(currentTarget.value)}
        />
      </Field>
    </FormSection>
  )
}
