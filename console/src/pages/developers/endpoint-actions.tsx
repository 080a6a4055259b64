/** What can be done with an endpoint: pause, go on, change, rotate the secret, delete. */
import type { WebhookEndpoint, WebhookEndpointWithSigningSecret } from '@atrium/sdk'
import { MoreHorizontal, Pause, Pencil, Play, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useWrite } from '../../data/index.ts'
import { Button, ConfirmDialog, IconButton, Menu } from '../../design/index.ts'
import { EditEndpointDialog } from './edit-endpoint-dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'

interface EndpointActionsProps {
  readonly endpoint: WebhookEndpoint
  readonly onGone: () => void
}

export function EndpointActions({ endpoint, onGone }: EndpointActionsProps) {
  const [front, setFront] = useState<'edit' | 'rotate' | 'delete' | null>(null)
  const isOn = endpoint.status === 'enabled'
  const status = useWrite({
    write: (atrium, next: 'enabled' | 'paused') => atrium.webhookEndpoints.update(endpoint.id, { status: next }),
    manage: true,
    done: ({ status: now }) => (now === 'enabled' ? 'Events go there again' : 'Paused: events wait'),
  })
  return (
    <>
      <Button
        icon={isOn ? Pause : Play}
        busy={status.busy}
        onClick={() => void status.run(isOn ? 'paused' : 'enabled')}
      >
        {isOn ? 'Pause' : 'Enable'}
      </Button>
      <Menu
        label="More"
        trigger={<IconButton icon={MoreHorizontal} label="More" />}
        items={[
          { label: 'Change address or events', icon: Pencil, onSelect: () => setFront('edit') },
          { label: 'Rotate the secret', icon: RotateCw, onSelect: () => setFront('rotate') },
          { label: 'Delete', icon: Trash2, danger: true, onSelect: () => setFront('delete') },
        ]}
      />
      {front === 'edit' && <EditEndpointDialog endpoint={endpoint} onClose={() => setFront(null)} />}
      {front === 'rotate' && <Rotate endpoint={endpoint} onClose={() => setFront(null)} />}
      {front === 'delete' && <Remove endpoint={endpoint} onClose={() => setFront(null)} onGone={onGone} />}
    </>
  )
}

function Rotate({ endpoint, onClose }: { readonly endpoint: WebhookEndpoint; readonly onClose: () => void }) {
  const [made, setMade] = useState<WebhookEndpointWithSigningSecret | null>(null)
  const write = useWrite({
    write: (atrium, id: string) => atrium.webhookEndpoints.rotateSecret(id),
    manage: true,
  })
  if (made !== null)
    return <SecretDialog title="The new signing secret" secret={made.signing_secret} onClose={onClose} />
  const rotate = async () => {
    const answer = await write.run(endpoint.id)
    if (answer !== undefined) setMade(answer)
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Rotate the signing secret?"
      action="Make a new secret"
      busy={write.busy}
      onConfirm={() => void rotate()}
    >
      For 24 hours events are signed with both, so that the receiver can change over. Then the old one is over.
    </ConfirmDialog>
  )
}

interface RemoveProps extends EndpointActionsProps {
  readonly onClose: () => void
}

function Remove({ endpoint, onClose, onGone }: RemoveProps) {
  const write = useWrite({
    write: (atrium, id: string) => atrium.webhookEndpoints.delete(id),
    manage: true,
    done: () => 'Endpoint deleted',
  })
  const remove = async () => {
    if ((await write.run(endpoint.id)) !== undefined) onGone()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Delete this endpoint?"
      action="Delete the endpoint"
      busy={write.busy}
      onConfirm={() => void remove()}
    >
      What waits for it is not sent any more, and its secret is gone. Pausing keeps both.
    </ConfirmDialog>
  )
}
