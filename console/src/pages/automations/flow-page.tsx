/** One flow: its steps, its runs, and what can be done with it: preview, activate, run, pause. */
import './automations.css'
import type { AutomationFlow } from '@atrium/sdk'
import { FlaskConical, Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { ObjectPage } from '../../app/object-page.tsx'
import { useDirectory, useObject } from '../../data/index.ts'
import { Button, dateTime, Fact, Facts, Notice, RelativeTime, Section } from '../../design/index.ts'
import { FlowStatus, triggersOf } from './flow-words.tsx'
import { PauseDialog } from './pause-dialog.tsx'
import { PreviewDialog } from './preview-dialog.tsx'
import { RunDialog } from './run-dialog.tsx'
import { Runs } from './runs.tsx'

export function FlowPage() {
  const { id = '' } = useParams()
  const flow = useObject('automation_flow', id, (atrium) => atrium.automationFlows.retrieve(id))
  const { data } = flow
  return (
    <ObjectPage
      of={flow}
      title={data?.name ?? 'Flow'}
      trail={<Link href="/automations">Automations</Link>}
      description={data === undefined ? ' ' : `Runs ${triggersOf(data)}.`}
      actions={(there) => <Actions flow={there} />}
      alwaysActs
    >
      {(there) => <Whole flow={there} />}
    </ObjectPage>
  )
}

function Whole({ flow }: { readonly flow: AutomationFlow }) {
  return (
    <>
      {flow.status === 'paused' && (
        <Notice tone="warn" title={flow.pause_origin === 'system' ? 'Paused by Atrium' : 'Paused'}>
          {flow.pause_reason ?? 'No reason was given.'}
        </Notice>
      )}
      <FlowFacts flow={flow} />
      <Section title="Steps" description="In the order in which they are tried.">
        <ol className="graph-steps">
          {flow.graph.nodes.map(({ id, type }) => (
            <li key={id} className="graph-step">
              <span>{id}</span>
              <span className="graph-kind">{type}</span>
            </li>
          ))}
        </ol>
      </Section>
      <Section title="Runs">
        <Runs flow={flow} />
      </Section>
    </>
  )
}

function FlowFacts({ flow }: { readonly flow: AutomationFlow }) {
  const { nameOf } = useDirectory()
  return (
    <Facts>
      <Fact name="Status">
        <FlowStatus flow={flow} />
      </Fact>
      <Fact name="Version">{flow.version === 0 ? 'never activated' : flow.version}</Fact>
      {flow.activated_at !== null && (
        <Fact name="Activated">
          {dateTime(flow.activated_at)}
          {flow.activated_by !== null && ` by ${nameOf(flow.activated_by.id)}`}
        </Fact>
      )}
      <Fact name="Last run">
        <RelativeTime at={flow.last_run_at} none="never" />
      </Fact>
      <Fact name="Needs">{flow.required_scopes.join(', ') || 'no rights'}</Fact>
    </Facts>
  )
}

function Actions({ flow }: { readonly flow: AutomationFlow }) {
  const [front, setFront] = useState<'preview' | 'run' | 'pause' | null>(null)
  const isActive = flow.status === 'active'
  const byHand = flow.graph.nodes.some(({ type }) => type === 'trigger.manual')
  return (
    <>
      {isActive && byHand && (
        <Button icon={Play} onClick={() => setFront('run')}>
          Run now
        </Button>
      )}
      {isActive && (
        <Button icon={Pause} onClick={() => setFront('pause')}>
          Pause
        </Button>
      )}
      <Button kind="primary" icon={FlaskConical} onClick={() => setFront('preview')}>
        {isActive ? 'Preview' : 'Preview and activate'}
      </Button>
      {front === 'preview' && <PreviewDialog flow={flow} onClose={() => setFront(null)} />}
      {front === 'run' && <RunDialog flow={flow} onClose={() => setFront(null)} />}
      {front === 'pause' && <PauseDialog flow={flow} onClose={() => setFront(null)} />}
    </>
  )
}
