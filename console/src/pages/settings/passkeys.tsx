import '../../design/item-list.css'
import { useQueryClient } from '@tanstack/react-query'
import { Fingerprint, KeyRound, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ErrorState, FormError } from '../../app/error-state.tsx'
import { FormDialog } from '../../app/form-dialog.tsx'
import { addPasskey, hasPasskeys } from '../../app/passkeys.ts'
import { toast } from '../../app/toasts.ts'
import { keys, UserCanceled, useApp, useAppWrite, useSession } from '../../data/index.ts'
import type { Passkey } from '../../data/shapes.ts'
import {
  Button,
  Card,
  ConfirmDialog,
  Empty,
  Field,
  IconButton,
  Input,
  Notice,
  Section,
  SkeletonLines,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { UseTimes } from './use-times.tsx'

export function Passkeys() {
  const { passkeys_unavailable } = useSession()
  const list = useApp('GET passkeys', {})
  const [isAdding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const reason = passkeys_unavailable ?? (hasPasskeys ? null : t('This browser does not support passkeys.'))
  const add = (
    <Button icon={Plus} onClick={() => setAdding(true)}>
      {t('Add a passkey')}
    </Button>
  )
  return (
    <Section
      title={t('Passkeys')}
      description={t(
        'Sign in with your fingerprint, face or security key instead of a password. Passkeys cannot be guessed or phished.',
      )}
      actions={reason === null && list.data !== undefined && list.data.data.length > 0 && add}
    >
      {reason !== null && <Notice title={t('Passkeys are not available here')}>{reason}</Notice>}
      {list.error ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : list.data === undefined ? (
        <Card>
          <SkeletonLines lines={2} />
        </Card>
      ) : list.data.data.length > 0 ? (
        <Card flush>
          <ul className="item-list" aria-label={t('Passkeys')}>
            {list.data.data.map((passkey) => (
              <PasskeyItem key={passkey.id} passkey={passkey} onRemove={() => setRemoving(passkey)} />
            ))}
          </ul>
        </Card>
      ) : (
        reason === null && (
          <Empty icon={Fingerprint} title={t('No passkeys yet')} actions={add}>
            {t('A phone, a computer or a security key can store a passkey. You can add several.')}
          </Empty>
        )
      )}
      {isAdding && <AddPasskey onClose={() => setAdding(false)} />}
      {removing && <RemovePasskey passkey={removing} onClose={() => setRemoving(null)} />}
    </Section>
  )
}

function PasskeyItem({ passkey, onRemove }: { readonly passkey: Passkey; readonly onRemove: () => void }) {
  return (
    <li className="item">
      <span className="item-icon">
        <KeyRound aria-hidden="true" />
      </span>
      <div className="grow">
        <p className="item-title">
          <span className="cut">{passkey.name}</span>
        </p>
        <UseTimes created={passkey.created} lastUsed={passkey.last_used_at} />
      </div>
      <IconButton icon={Trash2} label={t('Remove {name}', { name: passkey.name })} onClick={onRemove} />
    </li>
  )
}

/** A default name that tells this passkey from others. */
function deviceName(): string {
  const agent = navigator.userAgent
  const system = /iPhone|iPad|Android|Mac OS|Windows|CrOS|Linux/.exec(agent)?.[0] ?? t('This device')
  return system.replace('Mac OS', 'Mac').replace('CrOS', 'Chromebook')
}

function AddPasskey({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient()
  const [name, setName] = useState(deviceName)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const add = async () => {
    setBusy(true)
    setError(null)
    try {
      await addPasskey(name.trim())
      await client.invalidateQueries({ queryKey: keys.appAll('GET passkeys') })
      toast({ text: t('Passkey added'), tone: 'good' })
      onClose()
    } catch (reason) {
      setBusy(false)
      if (!(reason instanceof UserCanceled)) setError(reason)
    }
  }
  return (
    <FormDialog
      size="s"
      title={t('Add a passkey')}
      description={t('Your browser asks where to store it.')}
      action={t('Continue')}
      isReady={name.trim() !== ''}
      write={{ busy, error }}
      onSubmit={add}
      onClose={onClose}
    >
      <Field label={t('Name')} hint={t('Helps you recognize it in the list.')}>
        <Input value={name} maxLength={80} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
    </FormDialog>
  )
}

function RemovePasskey({ passkey, onClose }: { readonly passkey: Passkey; readonly onClose: () => void }) {
  const write = useAppWrite('DELETE passkeys/{id}', {
    invalidates: ['GET passkeys'],
    done: () => t('Passkey removed'),
    toastErrors: false,
  })
  const remove = async () => {
    if ((await write.run({ params: { id: passkey.id } })) !== undefined) onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('Remove “{name}”?', { name: passkey.name })}
      action={t('Remove')}
      busy={write.busy}
      onConfirm={() => void remove()}
      error={<FormError error={write.error} />}
    >
      {t('You cannot sign in with it afterwards. Delete it on the device that stores it, too.')}
    </ConfirmDialog>
  )
}
