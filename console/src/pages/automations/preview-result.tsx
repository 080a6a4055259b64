/** The result of a preview: what each step would do, and the form that activates the previewed version. */
import type { AutomationFlow, AutomationPreview } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { useWrite } from '../../data/index.ts'
import {
  Button,
  Checkbox,
  Dialog,
  Fact,
  Facts,
  inWords,
  Notice,
  Radios,
  RelativeTime,
  StatusBadge,
  Timeline,
  toneOf,
} from '../../design/index.ts'
import { ChangeList } from './change-list.tsx'
import { permissionsText } from './flow-text.tsx'

type Mode = 'live' | 'shadow'

interface PreviewResultProps {
  readonly flow: AutomationFlow
  readonly preview: AutomationPreview
  readonly onClose: () => void
}

export function PreviewResult({ flow, preview, onClose }: PreviewResultProps) {
  const isActive = flow.status === 'active'
  const [mode, setMode] = useState<Mode>('live')
  const [isAllowed, setAllowed] = useState(false)
  const write = useActivation(flow, preview)
  const activate = async () => {
    if ((await write.run(mode)) !== undefined) onClose()
  }
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
            <Button
              kind="primary"
              busy={write.busy}
              disabled={!isAllowed || preview.missing_scopes.length > 0}
              onClick={() => void activate()}
            >
              Activate
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        <Findings preview={preview} />
        <Steps preview={preview} />
        {!isActive && <ActivationFields preview={preview} mode={mode} onMode={setMode} onAllowed={setAllowed} />}
        <FormError error={write.error} />
      </div>
    </Dialog>
  )
}

function useActivation({ id, workspace }: AutomationFlow, { preview_token, ai_cost }: AutomationPreview) {
  return useWrite({
    write: (atrium, mode: Mode) =>
      atrium.automationFlows.activate(id, {
        workspace,
        preview_token,
        scope_acknowledged: true,
        mode,
        ...(ai_cost.acknowledgement_required && { ai_cost_acknowledged: true }),
      }),
    // The preview that it refers to expires.
    waits: false,
    done: ({ name }) => `${name} activated`,
    toastErrors: false,
  })
}

const modes = [
  { value: 'live', label: 'Live', hint: 'Runs change tasks and call other systems.' },
  { value: 'shadow', label: 'Shadow', hint: 'Runs record what they would change, and change nothing.' },
] as const

interface ActivationFieldsProps {
  readonly preview: AutomationPreview
  readonly mode: Mode
  readonly onMode: (mode: Mode) => void
  /** Whether everything that needs consent has it. */
  readonly onAllowed: (isAllowed: boolean) => void
}

function ActivationFields({ preview, mode, onMode, onAllowed }: ActivationFieldsProps) {
  const { required_scopes, ai_cost } = preview
  const [hasScopes, setScopes] = useState(false)
  const [hasCost, setCost] = useState(!ai_cost.acknowledgement_required)
  return (
    <>
      <Radios label="Mode" value={mode} options={modes} onChange={onMode} />
      <Checkbox
        label={`Allow it to ${permissionsText(required_scopes) || 'run without permissions'}`}
        checked={hasScopes}
        onChange={(checked) => {
          setScopes(checked)
          onAllowed(checked && hasCost)
        }}
      />
      {ai_cost.acknowledgement_required && (
        <Checkbox
          label={`Allow AI steps to cost up to ${ai_cost.cost_minor_per_run_max} minor currency units per run`}
          checked={hasCost}
          onChange={(checked) => {
            setCost(checked)
            onAllowed(checked && hasScopes)
          }}
        />
      )}
    </>
  )
}

function Findings({ preview }: { readonly preview: AutomationPreview }) {
  const { trigger, warnings, missing_scopes, matches_last_7_days } = preview
  return (
    <>
      {missing_scopes.length > 0 && (
        <Notice tone="bad" title="You cannot activate this flow">
          {`You are not allowed to ${permissionsText(missing_scopes)}. Ask an admin or owner.`}
        </Notice>
      )}
      {warnings.map(({ code, message }) => (
        <Notice key={`${code} ${message}`} tone="warn" title={inWords(code)}>
          {message}
        </Notice>
      ))}
      <Facts>
        <Fact name="Trigger">
          <StatusBadge status={trigger.status} /> {trigger.reason}
        </Fact>
        <Fact name="Last 7 days">
          {matches_last_7_days === 1 ? 'Would have started once' : `Would have started ${matches_last_7_days} times`}
        </Fact>
        <Fact name="Preview expires">
          <RelativeTime at={preview.expires_at} />
        </Fact>
      </Facts>
    </>
  )
}

function Steps({ preview: { steps } }: { readonly preview: AutomationPreview }) {
  return (
    <Timeline
      label="Steps"
      entries={steps.map(({ node, path, status, reason, changes }) => ({
        key: `${node} ${path.join()}`,
        tone: toneOf(status),
        title: inWords(node),
        time: inWords(status),
        children: (
          <>
            {reason !== null && <div className="subtle">{reason}</div>}
            <ChangeList changes={changes} />
          </>
        ),
      }))}
    />
  )
}
