import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, useAppWrite, useSession } from '../../data/index.ts'
import { Button, Card, Field, PasswordInput, Section, sending } from '../../design/index.ts'

export function PasswordForm() {
  const { account } = useSession()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const write = useAppWrite('POST password', {
    touches: ['GET sessions'],
    done: () => 'Password changed. All other sessions have ended.',
    toastErrors: false,
  })
  const faults = faultsOf(write.error)
  const send = async () => {
    if ((await write.run({ body: { current, next } })) === undefined) return
    setCurrent('')
    setNext('')
  }
  return (
    <Section title="Password" description="Changing it ends all other sessions of your account.">
      <form onSubmit={sending(() => void send())}>
        <Card
          foot={
            <Button type="submit" busy={write.busy} disabled={current === '' || next === ''}>
              Change password
            </Button>
          }
        >
          <div className="stack form-narrow">
            <input
              type="email"
              className="unseen"
              autoComplete="username"
              value={account.email}
              readOnly
              tabIndex={-1}
              aria-hidden
            />
            <Field label="Current password" error={faults.current}>
              <PasswordInput
                autoComplete="current-password"
                value={current}
                onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
              />
            </Field>
            <Field
              label="New password"
              error={faults.next}
              hint="At least 10 characters. A few words in a row are easy to keep in mind."
            >
              <PasswordInput
                autoComplete="new-password"
                value={next}
                onChange={({ currentTarget }) => setNext(currentTarget.value)}
              />
            </Field>
            <FormError error={write.error} at={['current', 'next']} />
          </div>
        </Card>
      </form>
    </Section>
  )
}
