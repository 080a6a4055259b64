import type { AutomationFlow } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { useWrite } from '../../data/index.ts'
import { Button, Dialog, Field, TextArea } from '../../design/index.ts'

interface PauseDialogProps {
  readonly flow: AutomationFlow
  readonly onClose: () => void
}

/** Pauses a flow, with the reason that the audit log keeps. */
export function PauseDialog({ flow, onClose }: PauseDialogProps) {
  const [reason, setReason] = useState('')
  const write = useWrite({
    write: (atrium, why: string) =>
      atrium.automationFlows.pause(flow.id, { workspace: flow.workspace, ...(why === '' ? {} : { reason: why }) }),
    done: ({ name }) => `${name} is paused`,
    toastErrors: false,
  })
  const pause = async () => {
    if ((await write.run(reason.trim())) !== undefined) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Pause ${flow.name}`}
      description="No run begins until it is activated again. Runs that are under way go on."
      onSubmit={() => !write.busy && void pause()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy}>
            Pause
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Reason" hint="For whoever wonders later; it stands in the audit log.">
          <TextArea autoFocus value={reason} onChange={({ currentTarget }) => setReason(currentTarget.value)} />
        </Field>
        <FormError error={write.error} />
      </div>
    </Dialog>
  )
}
