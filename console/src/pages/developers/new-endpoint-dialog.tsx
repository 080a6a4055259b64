import type { Atrium, WebhookEndpointWithSigningSecret } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, useWrite } from '../../data/index.ts'
import { Button, Checkbox, Dialog, Field, Input } from '../../design/index.ts'
import { EventTypeField } from './event-type-field.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { VerificationSnippets } from './verification-snippets.tsx'

/** The server refuses what is no type; here they come from a list. */
export type EventTypes = Parameters<Atrium['webhookEndpoints']['create']>[0]['event_types']

/** Makes an endpoint: it is asked at once whether it answers, and its secret is shown once. */
export function NewEndpointDialog({ onClose }: { readonly onClose: () => void }) {
  const [made, setMade] = useState<WebhookEndpointWithSigningSecret | null>(null)
  if (made === null) return <NewEndpointForm onClose={onClose} onMade={setMade} />
  return (
    <SecretDialog title="The signing secret" secret={made.signing_secret} onClose={onClose}>
      <VerificationSnippets />
    </SecretDialog>
  )
}

interface NewEndpointFormProps {
  readonly onClose: () => void
  readonly onMade: (endpoint: WebhookEndpointWithSigningSecret) => void
}

function NewEndpointForm({ onClose, onMade }: NewEndpointFormProps) {
  const [url, setUrl] = useState('')
  const [types, setTypes] = useState<readonly string[]>(['*'])
  const [excludesOwn, setExcludesOwn] = useState(false)
  const write = useWrite({
    write: (atrium, given: { url: string; event_types: EventTypes; exclude_own_events: boolean }) =>
      atrium.webhookEndpoints.create(given),
    manage: true,
    toastErrors: false,
  })
  const faults = faultsOf(write.error)
  const isReady = url.trim() !== '' && types.length > 0
  const send = async () => {
    const given = { url: url.trim(), event_types: types as EventTypes, exclude_own_events: excludesOwn }
    const made = await write.run(given)
    if (made !== undefined) onMade(made)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="New webhook endpoint"
      description="The address gets a first event and must answer with 2xx before it is taken."
      size="m"
      onSubmit={() => isReady && !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={!isReady}>
            {write.busy ? 'Asking the address' : 'Verify and add'}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Address" hint="https, and reachable from the internet." error={faults.url} required>
          <Input
            type="url"
            autoFocus
            placeholder="https://example.com/atrium"
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </Field>
        <EventTypeField value={types} onChange={setTypes} error={faults.event_types} />
        <Checkbox
          label="Leave out what was done with this person’s or key’s own requests"
          checked={excludesOwn}
          onChange={setExcludesOwn}
        />
        <FormError error={write.error} at={['url', 'event_types']} />
      </div>
    </Dialog>
  )
}
