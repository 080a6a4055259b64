import type { AutomationFlow } from '@atrium/sdk'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { FormError } from '../../app/error-state.tsx'
import { TaskField } from '../../app/task-field.tsx'
import { faultsOf, useAppWrite, useMode } from '../../data/index.ts'
import { Button, Dialog } from '../../design/index.ts'

/** Starts a flow by hand about a task, and leads to its run. */
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
    <Dialog
      open
      onClose={onClose}
      title={`Run ${flow.name}`}
      onSubmit={() => !write.busy && void start()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={task === null}>
            Run now
          </Button>
        </>
      }
    >
      <div className="stack">
        <TaskField
          workspace={flow.workspace}
          value={task}
          onChange={setTask}
          hint="Whose fields it sees."
          error={faultsOf(write.error).task}
        />
        <FormError error={write.error} at={['task']} />
      </div>
    </Dialog>
  )
}
