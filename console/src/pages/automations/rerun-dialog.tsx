/** Runs a run again: from its start, with what it received or with corrections, or from a step. Opens the new run. */
import type { AutomationGraph, AutomationRun } from '@atrium/sdk'
import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { FormDialog } from '../../app/form-dialog.tsx'
import { TaskField } from '../../app/task-field.tsx'
import { fieldErrors, pathErrors, useObject, useWrite } from '../../data/index.ts'
import { Field, Select, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { useGraphOf } from './editor/run-picture.tsx'
import { type Corrections, no_corrections, RerunInput } from './rerun-input.tsx'
import type { StepInput } from './rerun-step.tsx'
import { useRunInput } from './run-input.tsx'
import { stepName } from './step-name.ts'

/** The fields of steps are those of the editor, which the page of a run does not need. */
const RerunStep = lazy(async () => ({ default: (await import('./rerun-step.tsx')).RerunStep }))
const no_step_input: StepInput = {}

interface RerunDialogProps {
  readonly run: AutomationRun
  readonly onClose: () => void
}

export function RerunDialog({ run, onClose }: RerunDialogProps) {
  const rerun = useRerun(run, onClose)
  const graph = useGraphOf(run)
  const { step, setStep, stepInput, setStepInput, write } = rerun
  return (
    <FormDialog
      title={t('Run again')}
      description={t('A new run begins. What this run did stays.')}
      action={t('Run again')}
      isReady={step !== '' || rerun.corrections.isReadable}
      write={write}
      fields={['task', 'step_input']}
      onSubmit={rerun.start}
      onClose={onClose}
    >
      <Field
        label={t('Start from')}
        hint={step === '' ? undefined : t('The steps before it are taken over and not carried out again.')}
      >
        <Select choices={startsOf(run, graph)} value={step} onChange={setStep} />
      </Field>
      {step === '' ? (
        <FromStart run={run} rerun={rerun} />
      ) : (
        <Suspense fallback={<SkeletonLines lines={3} />}>
          <RerunStep
            key={step}
            run={run}
            node={step}
            input={stepInput}
            errors={pathErrors(write.error)}
            onChange={setStepInput}
          />
        </Suspense>
      )}
    </FormDialog>
  )
}

/** What is chosen and corrected, and the write that starts the new run. */
function useRerun(run: AutomationRun, onClose: () => void) {
  const [, navigate] = useLocation()
  const [step, setStep] = useState('')
  const [version, setVersion] = useState<'same' | 'active'>('same')
  const [corrections, setCorrections] = useState<Corrections>(no_corrections)
  const [stepInput, setStepInput] = useState<StepInput>(no_step_input)
  const [task, setTask] = useState(run.task)
  const isManual = run.trigger.type === 'trigger.manual'
  const { workspace } = run
  const write = useWrite({
    write: (atrium, id: string) =>
      atrium.automationRuns.rerun(id, {
        workspace,
        ...(step === ''
          ? { version, ...corrections.sent, ...(isManual && task !== null && task !== run.task && { task }) }
          : { from_step: step, ...(Object.keys(stepInput).length > 0 && { step_input: stepInput }) }),
      }),
    rereads: ['automation_run_reruns'],
    waits: false,
    toastErrors: false,
    done: () => t('Run started'),
  })
  const start = async () => {
    const again = await write.run(run.id)
    if (again === undefined) return
    onClose()
    navigate(`/automations/runs/${again.id}?workspace=${workspace}`)
  }
  return {
    ...{ step, version, setVersion, corrections, setCorrections, stepInput, setStepInput, task, setTask },
    ...{ isManual, write, start },
    /** Corrections belong to one step. */
    setStep: (next: string) => {
      setStep(next)
      setStepInput(no_step_input)
    },
  }
}

interface FromStartProps {
  readonly run: AutomationRun
  readonly rerun: ReturnType<typeof useRerun>
}

function FromStart({ run, rerun }: FromStartProps) {
  const { version, setVersion, isManual, task, setTask, setCorrections, write } = rerun
  const input = useRunInput(run)
  return (
    <>
      <Version run={run} value={version} onChange={setVersion} />
      {isManual && (
        <TaskField workspace={run.workspace} value={task} onChange={setTask} error={fieldErrors(write.error).task} />
      )}
      {input.isLoading ? (
        <SkeletonLines lines={3} />
      ) : (
        input.data !== undefined && <RerunInput input={input.data} onChange={setCorrections} />
      )}
    </>
  )
}

/** The start, and the steps outside of loops that the run carried out or in which it was canceled. */
function startsOf({ steps, current_node, status }: AutomationRun, graph: AutomationGraph | undefined) {
  const own = steps
    .filter(({ path, status: ended }) => path.length === 0 && ended !== 'skipped')
    .map(({ node }) => node)
  const isBetween = status === 'canceled' && current_node !== null && (steps.at(-1)?.path.length ?? 0) === 0
  const nodes = new Set(isBetween ? [...own, current_node] : own)
  return [
    { value: '', label: t('The start') },
    ...[...nodes].map((node) => ({ value: node, label: t('Step “{step}”', { step: stepName(graph, node) }) })),
  ]
}

interface VersionProps {
  readonly run: AutomationRun
  readonly value: 'same' | 'active'
  readonly onChange: (version: 'same' | 'active') => void
}

/** Only asked if the flow has another version by now. */
function Version({ run, value, onChange }: VersionProps) {
  const flow = useObject('automation_flow', run.automation_flow, (atrium, id) => atrium.automationFlows.retrieve(id))
  if (flow.data === undefined || flow.data.version === run.flow_version) return null
  const choices = [
    { value: 'same', label: t('The version that ran ({version})', { version: run.flow_version }) },
    { value: 'active', label: t('The active version ({version})', { version: flow.data.version }) },
  ] as const
  return (
    <Field label={t('Version')}>
      <Select choices={choices} value={value} onChange={onChange} />
    </Field>
  )
}
