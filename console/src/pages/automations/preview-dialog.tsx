/** Tries a flow against a task, shows what it would change as a diff, and activates exactly that. */
import type { AutomationFlow, AutomationPreview } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { TaskField } from '../../app/task-field.tsx'
import { faultsOf, useWrite } from '../../data/index.ts'
import {
  Badge,
  Button,
  Checkbox,
  Dialog,
  Fact,
  Facts,
  Notice,
  Radios,
  RelativeTime,
  Timeline,
  type Tone,
} from '../../design/index.ts'
import { ChangeList } from './change-list.tsx'

interface PreviewDialogProps {
  readonly flow: AutomationFlow
  readonly onClose: () => void
}

export function PreviewDialog({ flow, onClose }: PreviewDialogProps) {
  const [task, setTask] = useState<string | null>(null)
  const write = useWrite({
    write: (atrium, about: string) =>
      atrium.automationFlows.preview(flow.id, { workspace: flow.workspace, task: about }),
    toastErrors: false,
  })
  const [preview, setPreview] = useState<AutomationPreview | null>(null)
  if (preview !== null) return <Result flow={flow} preview={preview} onClose={onClose} />
  const look = async () => {
    const found = task === null ? undefined : await write.run(task)
    if (found !== undefined) setPreview(found)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Preview ${flow.name}`}
      description="The same code as a run, without its effects: nothing is changed, nobody is called."
      onSubmit={() => !write.busy && void look()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={task === null}>
            Preview
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

const modes = [
  { value: 'live', label: 'Live', hint: 'It acts.' },
  { value: 'shadow', label: 'Shadow', hint: 'Its runs write down what they would change, and change nothing.' },
] as const

interface ResultProps extends PreviewDialogProps {
  readonly preview: AutomationPreview
}

function Result({ flow, preview, onClose }: ResultProps) {
  const isActive = flow.status === 'active'
  const [mode, setMode] = useState<'live' | 'shadow'>('live')
  const [knowsScopes, setKnowsScopes] = useState(false)
  const [knowsCost, setKnowsCost] = useState(false)
  const needsCost = preview.ai_cost.acknowledgement_required
  const write = useWrite({
    write: (atrium, token: string) =>
      atrium.automationFlows.activate(flow.id, {
        workspace: flow.workspace,
        preview_token: token,
        scope_acknowledged: true,
        mode,
        ...(needsCost ? { ai_cost_acknowledged: true } : {}),
      }),
    done: ({ name }) => `${name} is active`,
    toastErrors: false,
  })
  const activate = async () => {
    if ((await write.run(preview.preview_token)) !== undefined) onClose()
  }
  const isReady = knowsScopes && (!needsCost || knowsCost) && preview.missing_scopes.length === 0
  return (
    <Dialog
      open
      onClose={onClose}
      title={`What ${flow.name} would do`}
      size="l"
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          {!isActive && (
            <Button kind="primary" busy={write.busy} disabled={!isReady} onClick={() => void activate()}>
              Activate
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        <Steps preview={preview} />
        {!isActive && (
          <>
            <Radios label="Mode" value={mode} options={modes} onChange={setMode} />
            <Checkbox
              label={`It may act with: ${preview.required_scopes.join(', ') || 'no rights'}`}
              checked={knowsScopes}
              onChange={setKnowsScopes}
            />
            {needsCost && (
              <Checkbox
                label={`It may spend up to ${preview.ai_cost.cost_minor_per_run_max} minor units a run on AI`}
                checked={knowsCost}
                onChange={setKnowsCost}
              />
            )}
          </>
        )}
        <FormError error={write.error} />
      </div>
    </Dialog>
  )
}

const tones: Readonly<Record<string, Tone>> = {
  would_run: 'good',
  would_skip: 'neutral',
  would_wait: 'violet',
  unknown: 'warn',
}

function Steps({ preview }: { readonly preview: AutomationPreview }) {
  const { trigger, steps, warnings, missing_scopes } = preview
  return (
    <>
      {missing_scopes.length > 0 && (
        <Notice tone="bad" title="You lack rights that it needs">
          {missing_scopes.join(', ')}
        </Notice>
      )}
      {warnings.map(({ code, message }) => (
        <Notice key={`${code} ${message}`} tone="warn" title={code.replaceAll('_', ' ')}>
          {message}
        </Notice>
      ))}
      <Facts>
        <Fact name="Would it start">
          <Badge tone={trigger.status === 'would_start' ? 'good' : 'neutral'}>
            {trigger.status.replaceAll('_', ' ')}
          </Badge>{' '}
          {trigger.reason}
        </Fact>
        <Fact name="In the last 7 days">{`it would have started ${preview.matches_last_7_days} times`}</Fact>
        <Fact name="This preview">
          is good for an activation until <RelativeTime at={preview.expires_at} />
        </Fact>
      </Facts>
      <Timeline
        label="Steps"
        entries={steps.map((step) => ({
          key: `${step.node} ${step.path.join()}`,
          tone: tones[step.status] ?? 'neutral',
          title: step.node,
          time: step.status.replaceAll('_', ' '),
          children: (
            <>
              {step.reason !== null && <div className="subtle">{step.reason}</div>}
              <ChangeList changes={step.changes} />
            </>
          ),
        }))}
      />
    </>
  )
}
