/** One run: its trigger, each step with its changes or the reason it was skipped, and the outcome. */
import './automations.css'
import type { AutomationGraph, AutomationRun } from '@atrium/sdk'
import { CircleStop } from 'lucide-react'
import { useEffect } from 'react'
import { Link, useParams } from 'wouter'
import { ObjectPage } from '../../app/object-page.tsx'
import { useDirectory, useHasRole, useObject, useUrlParam, useWrite } from '../../data/index.ts'
import {
  Button,
  CopyId,
  dateTime,
  Fact,
  Facts,
  inWords,
  Notice,
  RelativeTime,
  Section,
  Skeleton,
  SkeletonLines,
  StatusBadge,
  Timeline,
  toneOf,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { AiCalls, useAiCalls } from './ai-calls.tsx'
import { Approvals, useApprovals } from './approvals.tsx'
import { CallFacts, useCalledRuns } from './called-runs.tsx'
import { ChangeList } from './change-list.tsx'
import { RunPicture, useGraphOf } from './editor/run-picture.tsx'
import { open_statuses, reasonText } from './flow-text.tsx'
import { canRunAgain, RerunFacts, RunAgain, useReruns } from './reruns.tsx'
import { RunAuthority, useEndedRights } from './run-authority.tsx'
import { RunInput, useRunInput } from './run-input.tsx'
import { stepName, triggerName } from './step-name.ts'

export function RunPage() {
  const { id = '' } = useParams()
  const [workspace] = useUrlParam('workspace', '')
  const run = useObject('automation_run', id, (atrium) => atrium.automationRuns.retrieve(id, { workspace }))
  const { data } = run
  useFollow(run)
  return (
    <ObjectPage
      query={run}
      title={t('Run')}
      trail={
        <>
          <Link href="/automations">{t('Automations')}</Link>
          {data !== undefined && <FlowLink id={data.automation_flow} />}
        </>
      }
      actions={(loaded) =>
        open_statuses.has(loaded.status) ? (
          <Cancel run={loaded} />
        ) : (
          // A new key: the dialog of the run that was repeated must not stay.
          canRunAgain(loaded) && <RunAgain key={loaded.id} run={loaded} />
        )
      }
    >
      {(loaded) => <Content run={loaded} />}
    </ObjectPage>
  )
}

/** Steps have no events: an open run is read again, also while it waits between two of them. */
const follow_ms = 3000

interface FollowedRun {
  readonly data: AutomationRun | undefined
  readonly refetch: () => unknown
}

function useFollow({ data, refetch }: FollowedRun): void {
  const isOpen = data !== undefined && open_statuses.has(data.status)
  useEffect(() => {
    if (!isOpen) return
    const timer = setInterval(() => document.visibilityState === 'visible' && void refetch(), follow_ms)
    return () => clearInterval(timer)
  }, [isOpen, refetch])
}

function FlowLink({ id }: { readonly id: string }) {
  const { nameOf, isLoaded } = useDirectory()
  return <Link href={`/automations/${id}`}>{isLoaded ? nameOf(id) : t('Flow')}</Link>
}

function TaskLink({ id }: { readonly id: string }) {
  const { data, isPending } = useObject('task', id, (atrium) => atrium.tasks.retrieve(id))
  if (isPending) return <Skeleton width="12rem" />
  return <Link href={`/work/tasks/${id}`}>{data === undefined ? t('Deleted task') : `${data.key} ${data.title}`}</Link>
}

function Content({ run }: { readonly run: AutomationRun }) {
  const approvals = useApprovals(run)
  // What is below them would move.
  const input = useRunInput(run)
  const calls = useAiCalls(run)
  const reruns = useReruns(run)
  const called = useCalledRuns(run)
  const rights = useEndedRights(run)
  const graph = useGraphOf(run)
  const isReady =
    (approvals.rows !== undefined || approvals.error !== null) &&
    !input.isLoading &&
    !calls.isLoading &&
    !called.isLoading &&
    !rights.isLoading &&
    !reruns.isLoading
  const step = useShownStep(isReady)
  if (!isReady) return <SkeletonLines lines={8} />
  return (
    <>
      <RunAuthority run={run} rights={rights} />
      {run.failure !== null && (
        <Notice tone="bad" title={inWords(run.failure.code)}>
          {run.failure.message}
          {run.failure.node !== null && t(' (step “{node}”)', { node: stepName(graph, run.failure.node) })}
        </Notice>
      )}
      {run.failure === null && run.status_reason !== null && (
        <Notice title={inWords(run.status)}>{reasonText(run.status_reason)}</Notice>
      )}
      <RunFacts {...{ run, graph, reruns, called }} />
      <RunInput input={input} />
      <Approvals rows={approvals.rows ?? []} graph={graph} />
      <Section title={t('Steps')}>
        {run.steps.length === 0 ? (
          <p className="subtle">{t('No steps yet.')}</p>
        ) : (
          <Timeline
            label={t('Steps')}
            entries={run.steps.map((each) => ({ ...entryOf(each, graph), isCurrent: each.node === step }))}
          />
        )}
      </Section>
      <AiCalls query={calls} graph={graph} />
      <RunPicture run={run} />
    </>
  )
}

/** The step that a link to this page names, which is scrolled into view. */
function useShownStep(isReady: boolean): string {
  const [step] = useUrlParam('step', '')
  useEffect(() => {
    if (isReady && step !== '') document.querySelector('[aria-current="step"]')?.scrollIntoView({ block: 'center' })
  }, [isReady, step])
  return step
}

function entryOf(step: AutomationRun['steps'][number], graph: AutomationGraph | undefined) {
  const name = stepName(graph, step.node)
  const item = step.path.map((index) => index + 1).join('.')
  return {
    key: String(step.number),
    tone: toneOf(step.status),
    title: item === '' ? name : t('{node} (item {item})', { node: name, item }),
    time: <RelativeTime at={step.started_at} />,
    children: (
      <>
        <div>
          {inWords(step.status)}
          {step.attempts > 1 && t(' after {attempts} attempts', { attempts: step.attempts })}
          {step.reused && <span className="subtle">{t(' (taken over, not carried out again)')}</span>}
          {step.correction !== null && <Corrected correction={step.correction} />}
          {step.reason !== null && <span className="subtle">{`: ${reasonText(step.reason)}`}</span>}
          {step.failure !== null && `: ${step.failure.message}`}
        </div>
        <ChangeList changes={step.changes} />
      </>
    ),
  }
}

function Corrected({ correction }: { readonly correction: NonNullable<AutomationRun['steps'][number]['correction']> }) {
  const { nameOf } = useDirectory()
  const { fields, by } = correction
  return (
    <span className="subtle">
      {t(' (input corrected by {name}: {fields})', { name: nameOf(by.id), fields: fields.join(', ') })}
    </span>
  )
}

interface RunFactsProps {
  readonly run: AutomationRun
  readonly graph: AutomationGraph | undefined
  readonly reruns: ReturnType<typeof useReruns>
  readonly called: ReturnType<typeof useCalledRuns>
}

function RunFacts({ run, graph, reruns, called }: RunFactsProps) {
  const { nameOf } = useDirectory()
  return (
    <Facts>
      <Fact name={t('Status')}>
        <StatusBadge status={run.status} />
      </Fact>
      {run.task !== null && (
        <Fact name={t('Task')}>
          <TaskLink id={run.task} />
        </Fact>
      )}
      <Fact name={t('Trigger')}>
        <Trigger run={run} graph={graph} />
      </Fact>
      <Fact name={t('Started')}>{run.started_at === null ? t('Not yet') : dateTime(run.started_at)}</Fact>
      {run.wake_at !== null && (
        <Fact name={t('Resumes')}>
          <RelativeTime at={run.wake_at} />
        </Fact>
      )}
      {run.ended_at !== null && <Fact name={t('Ended')}>{dateTime(run.ended_at)}</Fact>}
      {run.canceled_by !== null && <Fact name={t('Canceled by')}>{nameOf(run.canceled_by.id)}</Fact>}
      <RerunFacts run={run} graph={graph} reruns={reruns} />
      <CallFacts run={run} called={called} />
      <Fact name={t('Flow version')}>{run.flow_version}</Fact>
      <Fact name={t('ID')}>
        <CopyId id={run.id} />
      </Fact>
    </Facts>
  )
}

/** The developer area shows the event, and only to admins and owners. */
function Trigger({ run: { trigger }, graph }: Pick<RunFactsProps, 'run' | 'graph'>) {
  const isAdmin = useHasRole('admin')
  const name = triggerName(graph, trigger.node)
  return trigger.event !== null && isAdmin ? <Link href={`/developers/events/${trigger.event}`}>{name}</Link> : name
}

function Cancel({ run: { id, workspace } }: { readonly run: AutomationRun }) {
  const write = useWrite({
    write: (atrium, run: string) => atrium.automationRuns.cancel(run, { workspace }),
    done: () => t('Run canceled'),
  })
  return (
    <Button kind="danger" icon={CircleStop} busy={write.busy} onClick={() => void write.run(id)}>
      {t('Cancel run')}
    </Button>
  )
}
