import type { AutomationFlow } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { useWrite } from '../../data/index.ts'
import { Field, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'

interface PauseDialogProps {
  readonly flow: AutomationFlow
  readonly onClose: () => void
}

/** Pauses a flow. The reason goes into the audit log. */
export function PauseDialog({ flow, onClose }: PauseDialogProps) {
  const [reason, setReason] = useState('')
  const write = useWrite({
    write: (atrium, given: string) =>
      atrium.automationFlows.pause(flow.id, { workspace: flow.workspace, ...(given !== '' && { reason: given }) }),
    done: ({ name }) => t('{name} paused', { name }),
    toastErrors: false,
  })
  const pause = async () => {
    if ((await write.run(reason.trim())) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('Pause {name}', { name: flow.name })}
      description={t('No new runs start until you activate the flow again. Runs in progress continue.')}
      action={t('Pause')}
      write={write}
      onSubmit={pause}
      onClose={onClose}
    >
      <Field label={t('Reason')} hint={t('Shown on this page and kept in the audit log.')}>
        <TextArea autoFocus value={reason} onChange={({ currentTarget }) => setReason(currentTarget.value)} />
      </Field>
    </FormDialog>
  )
}
