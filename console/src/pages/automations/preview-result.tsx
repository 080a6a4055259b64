/** The result of a preview: what each step would do, and the form that activates the previewed version. */
import type { AutomationFlow, AutomationPreview } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { useDirectory, useWrite } from '../../data/index.ts'
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
  Section,
  StatusBadge,
  Timeline,
  toneOf,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { ChangeList } from './change-list.tsx'
import { permissionsText, reasonText } from './flow-text.tsx'
import { type NamedNodes, stepName } from './step-name.ts'

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
      title={t('What {name} would do', { name: flow.name })}
      size="l"
      actions={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          {!isActive && (
            <Button
              kind="primary"
              busy={write.busy}
              disabled={!isAllowed || preview.missing_scopes.length > 0}
              onClick={() => void activate()}
            >
              {t('Activate')}
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        <Findings preview={preview} />
        <PreviewSteps preview={preview} graph={flow.graph} />
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
    done: ({ name }) => t('{name} activated', { name }),
    toastErrors: false,
  })
}

const modes = [
  { value: 'live', label: t('Live'), hint: t('Runs change tasks and call other systems.') },
  { value: 'shadow', label: t('Shadow'), hint: t('Runs record what they would change, and change nothing.') },
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
      <Radios label={t('Mode')} value={mode} options={modes} onChange={onMode} />
      <Checkbox
        label={t('Allow it to {permissions}', {
          permissions: permissionsText(required_scopes) || t('run without permissions'),
        })}
        checked={hasScopes}
        onChange={(checked) => {
          setScopes(checked)
          onAllowed(checked && hasCost)
        }}
      />
      {ai_cost.acknowledgement_required && (
        <Checkbox
          label={t('Allow AI steps to cost up to {cost_minor_per_run_max} minor currency units per run', {
            cost_minor_per_run_max: ai_cost.cost_minor_per_run_max,
          })}
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
        <Notice tone="bad" title={t('You cannot activate this flow')}>
          {t('You are not allowed to {permissions}. Ask an admin or owner.', {
            permissions: permissionsText(missing_scopes),
          })}
        </Notice>
      )}
      {warnings.map(({ code, message }) => (
        <Notice key={`${code} ${message}`} tone="warn" title={inWords(code)}>
          {message}
        </Notice>
      ))}
      <Facts>
        <Fact name={t('Trigger')}>
          <StatusBadge status={trigger.status} /> {trigger.reason !== null && reasonText(trigger.reason)}
        </Fact>
        <Fact name={t('Last 7 days')}>
          {t('{matches_last_7_days, plural, one {Would have started once} other {Would have started # times}}', {
            matches_last_7_days,
          })}
        </Fact>
        <Fact name={t('Preview expires')}>
          <RelativeTime at={preview.expires_at} />
        </Fact>
      </Facts>
    </>
  )
}

/** What each step would do, and the flows that would be called. */
export function PreviewSteps({ preview, graph }: { readonly preview: AutomationPreview; readonly graph: NamedNodes }) {
  return (
    <>
      <Steps label={t('Steps')} steps={preview.steps} graph={graph} />
      <CalledFlows preview={preview} />
    </>
  )
}

interface StepsProps {
  readonly label: string
  readonly steps: AutomationPreview['steps']
  /** Of the flow, which names the steps. */
  readonly graph?: NamedNodes
}

function Steps({ label, steps, graph }: StepsProps) {
  return (
    <Timeline
      label={label}
      entries={steps.map(({ node, path, status, reason, changes }) => ({
        key: `${node} ${path.join()}`,
        tone: toneOf(status),
        title: stepName(graph, node),
        time: inWords(status),
        children: (
          <>
            {reason !== null && <div className="subtle">{reasonText(reason)}</div>}
            <ChangeList changes={changes} />
          </>
        ),
      }))}
    />
  )
}

/** What the flows would do that the previewed one calls, and those that these call. */
function CalledFlows({ preview: { calls } }: { readonly preview: AutomationPreview }) {
  const { nameOf } = useDirectory()
  return calls.map(({ node, path, parent, automation_flow, steps }) => {
    const values = { flow: nameOf(automation_flow), step: inWords(node) }
    const title = t('“{flow}”, called by the step “{step}”', values)
    return (
      <Section key={`${parent} ${node} ${path.join()}`} title={title}>
        <Steps label={title} steps={steps} />
      </Section>
    )
  })
}
