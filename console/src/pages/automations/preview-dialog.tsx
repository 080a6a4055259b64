/** Previews a flow on a task, shows what it would change, and activates exactly the previewed version. */
import type { AutomationFlow, AutomationPreview } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { TaskField } from '../../app/task-field.tsx'
import { fieldErrors, useList, useWrite } from '../../data/index.ts'
import { Section } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { callableOf } from './editor/call.ts'
import { hasForm } from './form-section.tsx'
import { CallInputs, type GivenInputs, no_inputs } from './given-inputs.tsx'
import { hasHook } from './hook-section.tsx'
import { hasMailbox } from './mailbox-section.tsx'
import { PreviewResult } from './preview-result.tsx'
import { RecentEffects } from './recent-effects.tsx'
import { type Answers, SampleAnswers } from './sample-answers.tsx'
import { no_sample, SampleBody } from './sample-body.tsx'
import { type Decisions, SampleDecisions } from './sample-decisions.tsx'
import { type MailSample, SampleMail } from './sample-mail.tsx'

interface PreviewDialogProps {
  readonly flow: AutomationFlow
  readonly onClose: () => void
  /** Takes the preview in place of the dialog that shows it and can activate the flow: a test. */
  readonly onTested?: (preview: AutomationPreview) => void
}

export function PreviewDialog({ flow, onClose, onTested }: PreviewDialogProps) {
  const [chosen, setTask] = useState<string | null>(null)
  const latest = useLatestTask(flow, onTested !== undefined)
  const task = chosen ?? latest
  const [sample, setSample] = useState(no_sample)
  const [answers, setAnswers] = useState<Answers>({})
  const [mail, setMail] = useState<MailSample>({})
  const [call, setCall] = useState(no_inputs)
  const [decisions, setDecisions] = useState<Decisions>({})
  const write = useWrite({
    write: (atrium, id: string) =>
      atrium.automationFlows.preview(flow.id, {
        workspace: flow.workspace,
        task: id,
        ...(sample.request !== undefined && { request: sample.request }),
        ...(Object.keys(answers).length > 0 && { form: answers }),
        ...(Object.keys(mail).length > 0 && { mail }),
        ...(Object.keys(call.sent).length > 0 && { call: call.sent }),
        ...(Object.keys(decisions).length > 0 && { decisions }),
      }),
    waits: false,
    toastErrors: false,
  })
  const [preview, setPreview] = useState<AutomationPreview | null>(null)
  if (preview !== null) return <PreviewResult flow={flow} preview={preview} onClose={onClose} />
  const show = async () => {
    const result = task === null ? undefined : await write.run(task)
    if (result !== undefined) (onTested ?? setPreview)(result)
  }
  return (
    <FormDialog
      title={onTested === undefined ? t('Preview {name}', { name: flow.name }) : t('Test {name}', { name: flow.name })}
      description={t('A preview runs the flow and rolls it back: it changes nothing and calls no other system.')}
      action={onTested === undefined ? t('Preview') : t('Test')}
      isReady={task !== null && sample.isReadable && call.isReadable}
      write={write}
      fields={['task', 'mail']}
      onSubmit={show}
      onClose={onClose}
    >
      {hasEvents(flow) && <RecentEffects flow={flow.id} />}
      {hasForm(flow) && <SampleAnswers flow={flow} answers={answers} onChange={setAnswers} />}
      {hasHook(flow) && <SampleBody sample={sample} onChange={setSample} />}
      {hasMailbox(flow) && <SampleMail sample={mail} onChange={setMail} error={fieldErrors(write.error).mail} />}
      <SampleInputs flow={flow} onChange={setCall} />
      <SampleDecisions flow={flow} decisions={decisions} onChange={setDecisions} />
      <TaskField
        workspace={flow.workspace}
        value={task}
        onChange={setTask}
        hint={onTested === undefined ? t('The flow is previewed on this task.') : t('The flow is tested on this task.')}
        error={fieldErrors(write.error).task}
      />
    </FormDialog>
  )
}

interface SampleInputsProps {
  readonly flow: AutomationFlow
  readonly onChange: (given: GivenInputs) => void
}

/** Inputs of the call to preview a flow with that other flows call. */
function SampleInputs({ flow, onChange }: SampleInputsProps) {
  const { inputs = [] } = callableOf(flow) ?? {}
  if (inputs.length === 0) return null
  return (
    <Section title={t('Sample inputs')}>
      <p className="muted">{t('Leave all of them empty to use those of the latest call, or invented ones.')}</p>
      <CallInputs inputs={inputs} onChange={onChange} />
    </Section>
  )
}

/** The task that changed last, so that a test takes one click; null if none is needed. */
function useLatestTask({ workspace, project }: AutomationFlow, isWanted: boolean): string | null {
  const within = { workspace, ...(project !== null && { project }) }
  const list = useList('task', { ...within, latest: isWanted }, (atrium) =>
    atrium.tasks.list({ ...within, limit: 1, sort: '-updated' }),
  )
  return isWanted ? (list.rows?.[0]?.id ?? null) : null
}

function hasEvents({ graph }: AutomationFlow): boolean {
  return graph.nodes.some(({ type }) => type === 'trigger.event')
}
