import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, useAppWrite, useSession } from '../../data/index.ts'
import { Button, Card, Field, Input, Section, sending } from '../../design/index.ts'

const name_chars_max = 200

/** One's own name in this organization, as tasks, comments and the audit log show it. */
export function OwnNameForm() {
  const { user } = useSession()
  const [first, setFirst] = useState(user.first_name ?? '')
  const [last, setLast] = useState(user.last_name ?? '')
  const write = useAppWrite('PATCH profile', {
    touches: ['GET people', 'GET directory'],
    done: () => 'Name saved',
    toastErrors: false,
  })
  const next = { first_name: first.trim() || null, last_name: last.trim() || null }
  const isSame = next.first_name === user.first_name && next.last_name === user.last_name
  const faults = faultsOf(write.error)
  return (
    <Section title="Name" description="As others see it beside what you do.">
      <form onSubmit={sending(() => !isSame && void write.run({ body: next }))}>
        <Card
          foot={
            <Button type="submit" busy={write.busy} disabled={isSame}>
              Save
            </Button>
          }
        >
          <div className="stack form-narrow">
            <Field label="First name" error={faults.first_name}>
              <Input
                value={first}
                autoComplete="given-name"
                maxLength={name_chars_max}
                onChange={({ currentTarget }) => setFirst(currentTarget.value)}
              />
            </Field>
            <Field label="Last name" error={faults.last_name}>
              <Input
                value={last}
                autoComplete="family-name"
                maxLength={name_chars_max}
                onChange={({ currentTarget }) => setLast(currentTarget.value)}
              />
            </Field>
            <FormError error={write.error} at={['first_name', 'last_name']} />
          </div>
        </Card>
      </form>
    </Section>
  )
}
