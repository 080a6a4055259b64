import type { AutomationFlow } from '@atrium/sdk'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { FormDialog } from '../../app/form-dialog.tsx'
import { TaskField } from '../../app/task-field.tsx'
import { fieldErrors, useAppWrite, useMode } from '../../data/index.ts'
import { t } from '../../language/index.ts'

/** Starts a flow on a task by hand, and opens the run. */
export function RunDialog({ flow, onClose }: { readonly flow: AutomationFlow; readonly onClose: () => void }) {
  const mode = useMode()
  const [, navigate] = useLocation()
  const [task, setTask] = useState<string | null>(null)
  const write = useAppWrite('POST automation-flows/{id}/run', { nouns: ['automation_run'], toastErrors: false })
  const start = async () => {
    if (task === null) return
    const run = await write.run({ params: { id: flow.id }, body: { mode, task } })
    if (run !== undefined) navigate(`/automations/runs/${run.id}?workspace=${flow.workspace}`)
  }
  return (
    <FormDialog
      title={t('Run {name}', { name: flow.name })}
      action={t('Run now')}
      isReady={task !== null}
      write={write}
      fields={['task']}
      onSubmit={start}
      onClose={onClose}
    >
      <TaskField
        workspace={flow.workspace}
        value={task}
        onChange={setTask}
        hint={t('The flow runs on this task.')}
        error={fieldErrors(write.error).task}
      />
    </FormDialog>
  )
}
