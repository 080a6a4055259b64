/** The actions of an endpoint: Pause or Enable, Edit, Recover, Rotate secret, Delete. */
import type { WebhookEndpoint, WebhookEndpointWithSigningSecret } from '@atrium/sdk'
import { History, MoreHorizontal, Pause, Pencil, Play, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { SecretDialog } from '../../app/secret-dialog.tsx'
import { useWrite } from '../../data/index.ts'
import { Button, ConfirmDialog, IconButton, Menu } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { EditEndpointDialog } from './edit-endpoint-dialog.tsx'
import { RecoverDialog } from './recover-dialog.tsx'

interface EndpointActionsProps {
  readonly endpoint: WebhookEndpoint
  readonly onDeleted: () => void
}

export function EndpointActions({ endpoint, onDeleted }: EndpointActionsProps) {
  const [dialog, setDialog] = useState<'edit' | 'recover' | 'rotate' | 'delete' | null>(null)
  const isEnabled = endpoint.status === 'enabled'
  const close = () => setDialog(null)
  const status = useWrite({
    write: (atrium, next: 'enabled' | 'paused') => atrium.webhookEndpoints.update(endpoint.id, { status: next }),
    manage: true,
    done: ({ status: now }) => (now === 'enabled' ? t('Endpoint enabled') : t('Endpoint paused: its events wait')),
  })
  return (
    <>
      <Button
        icon={isEnabled ? Pause : Play}
        busy={status.busy}
        onClick={() => void status.run(isEnabled ? 'paused' : 'enabled')}
      >
        {isEnabled ? t('Pause') : t('Enable')}
      </Button>
      <Menu
        label={t('More actions')}
        trigger={<IconButton icon={MoreHorizontal} label={t('More actions')} />}
        items={[
          { label: t('Edit…'), icon: Pencil, onSelect: () => setDialog('edit') },
          { label: t('Recover…'), icon: History, disabled: !isEnabled, onSelect: () => setDialog('recover') },
          { label: t('Rotate secret…'), icon: RotateCw, onSelect: () => setDialog('rotate') },
          { label: t('Delete…'), icon: Trash2, danger: true, onSelect: () => setDialog('delete') },
        ]}
      />
      {dialog === 'edit' && <EditEndpointDialog endpoint={endpoint} onClose={close} />}
      {dialog === 'recover' && <RecoverDialog endpoint={endpoint} onClose={close} />}
      {dialog === 'rotate' && <RotateDialog endpoint={endpoint} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog endpoint={endpoint} onClose={close} onDeleted={onDeleted} />}
    </>
  )
}

function RotateDialog({ endpoint, onClose }: { readonly endpoint: WebhookEndpoint; readonly onClose: () => void }) {
  const [rotated, setRotated] = useState<WebhookEndpointWithSigningSecret | null>(null)
  const write = useWrite({
    write: (atrium, id: string) => atrium.webhookEndpoints.rotateSecret(id),
    manage: true,
  })
  if (rotated !== null) {
    return <SecretDialog title={t('New signing secret')} secret={rotated.signing_secret} onClose={onClose} />
  }
  const rotate = async () => {
    const answer = await write.run(endpoint.id)
    if (answer !== undefined) setRotated(answer)
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('Rotate the signing secret?')}
      action={t('Rotate')}
      busy={write.busy}
      onConfirm={() => void rotate()}
    >
      {t('For 24 hours, events are signed with both the old and the new secret. Then the old secret stops working.')}
    </ConfirmDialog>
  )
}

interface DeleteDialogProps extends EndpointActionsProps {
  readonly onClose: () => void
}

function DeleteDialog({ endpoint, onClose, onDeleted }: DeleteDialogProps) {
  const write = useWrite({
    write: (atrium, id: string) => atrium.webhookEndpoints.delete(id),
    manage: true,
    done: () => t('Endpoint deleted'),
  })
  const remove = async () => {
    if ((await write.run(endpoint.id)) !== undefined) onDeleted()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('Delete this endpoint?')}
      action={t('Delete')}
      busy={write.busy}
      onConfirm={() => void remove()}
    >
      {t('Its pending deliveries and its secret are discarded. To keep them, pause the endpoint instead.')}
    </ConfirmDialog>
  )
}
