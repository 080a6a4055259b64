import type { WebhookEndpoint } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, useWrite } from '../../data/index.ts'
import { Button, Dialog, Field, Input } from '../../design/index.ts'
import { EventTypeField } from './event-type-field.tsx'
import type { EventTypes } from './new-endpoint-dialog.tsx'

/** Changes where an endpoint is and what it gets. Another address is asked first, as a new one is. */
export function EditEndpointDialog({
  endpoint,
  onClose,
}: {
  readonly endpoint: WebhookEndpoint
  readonly onClose: () => void
}) {
  const [url, setUrl] = useState(endpoint.url)
  const [types, setTypes] = useState<readonly string[]>(endpoint.event_types)
  const write = useWrite({
    write: (atrium, given: { url: string; event_types: EventTypes }) =>
      atrium.webhookEndpoints.update(endpoint.id, given),
    manage: true,
    toastErrors: false,
    done: () => 'Endpoint changed',
  })
  const faults = faultsOf(write.error)
  const send = async () => {
    if ((await write.run({ url: url.trim(), event_types: types as EventTypes })) !== undefined) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Change the endpoint"
      onSubmit={() => types.length > 0 && !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={types.length === 0}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Address" error={faults.url} required>
          <Input type="url" value={url} onChange={({ currentTarget }) => setUrl(currentTarget.value)} />
        </Field>
        <EventTypeField value={types} onChange={setTypes} error={faults.event_types} />
        <FormError error={write.error} at={['url', 'event_types']} />
      </div>
    </Dialog>
  )
}
