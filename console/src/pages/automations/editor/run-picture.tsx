/** The path of a run through its flow: what each step did, in color and words. */
import type { AutomationFlow, AutomationRun } from '@atrium/sdk'
import { useMemo } from 'react'
import { useObject } from '../../../data/index.ts'
import { inWords, Section, toneOf } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { FlowPicture } from './flow-picture.tsx'
import type { NodeMark } from './node-card.tsx'

export function RunPicture({ run }: { readonly run: AutomationRun }) {
  const flow = useObject('automation_flow', run.automation_flow, (atrium, id) => atrium.automationFlows.retrieve(id))
  const marks = useMemo(() => marksOf(run), [run])
  if (flow.data === undefined || !isVersionOf(flow.data, run)) return null
  return (
    <Section title={t('Path')}>
      <FlowPicture flow={flow.data} marks={marks} />
    </Section>
  )
}

/** A draft may differ from the version that ran; the API keeps only the flow's present graph. */
function isVersionOf(flow: AutomationFlow, run: AutomationRun): boolean {
  return flow.status !== 'draft' && flow.version === run.flow_version
}

function marksOf(run: AutomationRun): ReadonlyMap<string, NodeMark> {
  const marks = new Map<string, NodeMark>([[run.trigger.node, { tone: 'good', text: t('Started'), isTaken: true }]])
  for (const { node, status } of run.steps) {
    marks.set(node, { tone: toneOf(status), text: inWords(status), isTaken: status !== 'skipped' })
  }
  if (run.current_node !== null && !marks.has(run.current_node)) {
    marks.set(run.current_node, { tone: toneOf(run.status), text: inWords(run.status), isTaken: true })
  }
  return marks
}
