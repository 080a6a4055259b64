/** One run: what began it, each step with what it changed or why it was skipped, and how it ended. */
import './automations.css'
import type { AutomationRun } from '@atrium/sdk'
import { CircleStop } from 'lucide-react'
import { Link, useParams } from 'wouter'
import { ObjectPage } from '../../app/object-page.tsx'
import { useDirectory, useObject, useUrlParam, useWrite } from '../../data/index.ts'
import {
  Button,
  CopyText,
  dateTime,
  Fact,
  Facts,
  Notice,
  RelativeTime,
  Section,
  Skeleton,
  Timeline,
  type Tone,
} from '../../design/index.ts'
import { ChangeList } from './change-list.tsx'
import { open_states, RunStatus } from './flow-words.tsx'

export function RunPage() {
  const { id = '' } = useParams()
  const [workspace] = useUrlParam('workspace', '')
  const run = useObject('automation_run', id, (atrium) => atrium.automationRuns.retrieve(id, { workspace }))
  const { data } = run
  return (
    <ObjectPage
      of={run}
      title="Run"
      trail={
        <>
          <Link href="/automations">Automations</Link>
          {data !== undefined && <FlowLink id={data.automation_flow} />}
        </>
      }
      actions={(there) => open_states.has(there.status) && <Cancel run={there} />}
    >
      {(there) => <Whole run={there} />}
    </ObjectPage>
  )
}

function FlowLink({ id }: { readonly id: string }) {
  const { nameOf, isLoaded } = useDirectory()
  return <Link href={`/automations/${id}`}>{isLoaded ? nameOf(id) : 'Flow'}</Link>
}

function TaskLink({ id }: { readonly id: string }) {
  const { data, isPending } = useObject('task', id, (atrium) => atrium.tasks.retrieve(id))
  if (isPending) return <Skeleton width="12rem" />
  return <Link href={`/work/tasks/${id}`}>{data === undefined ? id : `${data.key} ${data.title}`}</Link>
}

function Whole({ run }: { readonly run: AutomationRun }) {
  return (
    <>
      {run.failure !== null && (
        <Notice tone="bad" title={run.failure.code}>
          {run.failure.message}
          {run.failure.node !== null && ` (step ${run.failure.node})`}
        </Notice>
      )}
      {run.failure === null && run.status_reason !== null && (
        <Notice title={`It was ${run.status}`}>{run.status_reason}</Notice>
      )}
      <RunFacts run={run} />
      <Section title="Steps">
        {run.steps.length === 0 ? (
          <p className="subtle">None was taken yet.</p>
        ) : (
          <Timeline label="Steps" entries={run.steps.map(entryOf)} />
        )}
      </Section>
    </>
  )
}

const tones: Readonly<Record<string, Tone>> = { succeeded: 'good', failed: 'bad', skipped: 'neutral' }

function entryOf(step: AutomationRun['steps'][number]) {
  return {
    key: String(step.number),
    tone: tones[step.status] ?? ('neutral' as const),
    title: `${step.node}${step.path.length === 0 ? '' : ` (item ${step.path.map((at) => at + 1).join('.')})`}`,
    time: <RelativeTime at={step.started_at} />,
    children: (
      <>
        <div>
          {step.status}
          {step.attempts > 1 && ` at attempt ${step.attempts}`}
          {step.reason !== null && <span className="subtle">{`: ${step.reason}`}</span>}
          {step.failure !== null && `: ${step.failure.message}`}
        </div>
        <ChangeList changes={step.changes} />
      </>
    ),
  }
}

function RunFacts({ run }: { readonly run: AutomationRun }) {
  const { nameOf } = useDirectory()
  return (
    <Facts>
      <Fact name="Status">
        <RunStatus status={run.status} />
      </Fact>
      {run.task !== null && (
        <Fact name="Task">
          <TaskLink id={run.task} />
        </Fact>
      )}
      <Fact name="Begun by">
        {run.trigger.event === null ? (
          run.trigger.node
        ) : (
          <Link href={`/developers/events/${run.trigger.event}`}>the event</Link>
        )}
      </Fact>
      <Fact name="Started">{run.started_at === null ? 'not yet' : dateTime(run.started_at)}</Fact>
      {run.wake_at !== null && (
        <Fact name="Goes on">
          <RelativeTime at={run.wake_at} />
        </Fact>
      )}
      {run.ended_at !== null && <Fact name="Ended">{dateTime(run.ended_at)}</Fact>}
      {run.canceled_by !== null && <Fact name="Canceled by">{nameOf(run.canceled_by.id)}</Fact>}
      <Fact name="Version of the flow">{run.flow_version}</Fact>
      <Fact name="Id">
        <CopyText text={run.id} />
      </Fact>
    </Facts>
  )
}

function Cancel({ run: { id, workspace } }: { readonly run: AutomationRun }) {
  const write = useWrite({
    write: (atrium, run: string) => atrium.automationRuns.cancel(run, { workspace }),
    done: () => 'Run canceled',
  })
  return (
    <Button kind="danger" icon={CircleStop} busy={write.busy} onClick={() => void write.run(id)}>
      Cancel the run
    </Button>
  )
}
