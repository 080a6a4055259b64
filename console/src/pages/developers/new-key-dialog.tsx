import type { ApiKeyWithSecret, Atrium } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, useMode, useWrite } from '../../data/index.ts'
import { Button, DateField, Dialog, Field, Input } from '../../design/index.ts'
import { presets, ScopeChoice } from './scope-choice.tsx'
import { SecretDialog } from './secret-dialog.tsx'

/** Makes a key of the mode that the page is in, and shows its secret once. */
export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const [made, setMade] = useState<ApiKeyWithSecret | null>(null)
  if (made === null) return <NewKeyForm onClose={onClose} onMade={setMade} />
  const example = `curl ${location.origin}/v1/me -H "Authorization: Bearer ${made.secret}"`
  return <SecretDialog title={`The key ${made.name}`} secret={made.secret} example={example} onClose={onClose} />
}

interface NewKeyFormProps {
  readonly onClose: () => void
  readonly onMade: (key: ApiKeyWithSecret) => void
}

/** The server refuses what is no scope; here they come from a list. */
type Scopes = Parameters<Atrium['apiKeys']['create']>[0]['scopes']

interface Fields {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expires_at: number | null
}

function NewKeyForm({ onClose, onMade }: NewKeyFormProps) {
  const mode = useMode()
  const [fields, setFields] = useState<Fields>({ name: '', scopes: presets.read, expires_at: null })
  const write = useWrite({
    write: (atrium, { scopes, ...rest }: Fields) => atrium.apiKeys.create({ ...rest, scopes: scopes as Scopes }),
    manage: true,
    toastErrors: false,
  })
  const faults = faultsOf(write.error)
  const isReady = fields.name.trim() !== '' && fields.scopes.length > 0
  const send = async () => {
    const made = await write.run({ ...fields, name: fields.name.trim() })
    if (made !== undefined) onMade(made)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`New key for ${mode} data`}
      size="l"
      onSubmit={() => isReady && !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={!isReady}>
            Make the key
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" hint="What will call with it: the nightly report, the shop." error={faults.name} required>
          <Input
            autoFocus
            value={fields.name}
            onChange={({ currentTarget }) => setFields({ ...fields, name: currentTarget.value })}
          />
        </Field>
        <ScopeChoice value={fields.scopes} onChange={(scopes) => setFields({ ...fields, scopes })} />
        <Field label="Expires" hint="Empty: never." error={faults.expires_at}>
          <DateField value={fields.expires_at} onChange={(expires_at) => setFields({ ...fields, expires_at })} />
        </Field>
        <FormError error={write.error} at={['name', 'expires_at']} />
      </div>
    </Dialog>
  )
}
