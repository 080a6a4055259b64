import type { WebhookEndpoint } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, useWrite } from '../../data/index.ts'
import { Field, Input } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { EventTypeField } from './event-type-field.tsx'
import type { EventTypes } from './new-endpoint-dialog.tsx'

interface EditEndpointProps {
  readonly endpoint: WebhookEndpoint
  readonly onClose: () => void
}

/** Edits the URL and the event types. The server verifies a new URL before it takes the change. */
export function EditEndpointDialog({ endpoint, onClose }: EditEndpointProps) {
  const [url, setUrl] = useState(endpoint.url)
  const [types, setTypes] = useState<readonly string[]>(endpoint.event_types)
  const write = useWrite({
    write: (atrium, params: { url: string; event_types: EventTypes }) =>
      atrium.webhookEndpoints.update(endpoint.id, params),
    manage: true,
    toastErrors: false,
    done: () => t('Endpoint saved'),
  })
  const faults = fieldErrors(write.error)
  const save = async () => {
    if ((await write.run({ url: url.trim(), event_types: types as EventTypes })) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('Edit endpoint')}
      action={t('Save')}
      isReady={types.length > 0}
      write={write}
      fields={['url', 'event_types']}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label={t('URL')} error={faults.url} required>
        <Input type="url" value={url} onChange={({ currentTarget }) => setUrl(currentTarget.value)} />
      </Field>
      <EventTypeField value={types} onChange={setTypes} error={faults.event_types} />
    </FormDialog>
  )
}
