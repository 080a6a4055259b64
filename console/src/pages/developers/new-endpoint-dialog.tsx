import type { Atrium, WebhookEndpointWithSigningSecret } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { SecretDialog } from '../../app/secret-dialog.tsx'
import { fieldErrors, useWrite } from '../../data/index.ts'
import { Checkbox, Field, Input } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { EventTypeField } from './event-type-field.tsx'
import { VerificationSnippets } from './verification-snippets.tsx'

/** The literal types of the SDK. EventTypeField offers only valid types, and the server refuses others. */
export type EventTypes = Parameters<Atrium['webhookEndpoints']['create']>[0]['event_types']

/** Creates an endpoint. The server verifies it with a request at once, and shows its signing secret once. */
export function NewEndpointDialog({ onClose }: { readonly onClose: () => void }) {
  const [created, setCreated] = useState<WebhookEndpointWithSigningSecret | null>(null)
  if (created === null) return <NewEndpointForm onClose={onClose} onCreated={setCreated} />
  return (
    <SecretDialog title={t('Signing secret')} secret={created.signing_secret} onClose={onClose}>
      <VerificationSnippets />
    </SecretDialog>
  )
}

interface NewEndpointFormProps {
  readonly onClose: () => void
  readonly onCreated: (endpoint: WebhookEndpointWithSigningSecret) => void
}

interface EndpointParams {
  readonly url: string
  readonly event_types: EventTypes
  readonly exclude_own_events: boolean
}

function NewEndpointForm({ onClose, onCreated }: NewEndpointFormProps) {
  const [url, setUrl] = useState('')
  const [types, setTypes] = useState<readonly string[]>(['*'])
  const [excludesOwn, setExcludesOwn] = useState(false)
  const write = useWrite({
    write: (atrium, params: EndpointParams) => atrium.webhookEndpoints.create({ ...params }),
    manage: true,
    toastErrors: false,
  })
  const faults = fieldErrors(write.error)
  const create = async () => {
    const params = { url: url.trim(), event_types: types as EventTypes, exclude_own_events: excludesOwn }
    const endpoint = await write.run(params)
    if (endpoint !== undefined) onCreated(endpoint)
  }
  return (
    <FormDialog
      title={t('New webhook endpoint')}
      description={t('The URL gets a test event. It must answer with 2xx before it is added.')}
      action={write.busy ? t('Verifying') : t('Verify and add')}
      isReady={url.trim() !== '' && types.length > 0}
      write={write}
      fields={['url', 'event_types']}
      onSubmit={create}
      onClose={onClose}
    >
      <Field label={t('URL')} hint={t('https, and reachable from the internet.')} error={faults.url} required>
        <Input
          type="url"
          autoFocus
          placeholder="https://example.com/atrium"
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        />
      </Field>
      <EventTypeField value={types} onChange={setTypes} error={faults.event_types} />
      <Checkbox label={t('Exclude events caused by my own requests')} checked={excludesOwn} onChange={setExcludesOwn} />
    </FormDialog>
  )
}
