/** The path of a run through its flow: what each step did, in color and words. */
import type { AutomationFlow, AutomationGraph, AutomationRun } from '@atrium/sdk'
import { useMemo } from 'react'
import { useObject, useUrlParam } from '../../../data/index.ts'
import { inWords, Section, toneOf } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { NodeJournal } from '../node-journal.tsx'
import { FlowPicture } from './flow-picture.tsx'
import type { NodeMark } from './node-card.tsx'

export function RunPicture({ run }: { readonly run: AutomationRun }) {
  const graph = useGraphOf(run)
  const marks = useMemo(() => marksOf(run), [run])
  const [node, setNode] = useUrlParam('node')
  if (graph === undefined) return null
  const shown = graph.nodes.some(({ id }) => id === node) ? node : null
  return (
    <Section title={t('Path')}>
      <p className="subtle">{t('Select a step to see what it received and returned.')}</p>
      <FlowPicture
        flow={{ graph, workspace: run.workspace }}
        marks={marks}
        onOpen={setNode}
        {...(shown === null ? {} : { selected: [shown] })}
      />
      {shown !== null && <NodeJournal run={run} graph={graph} node={shown} />}
    </Section>
  )
}

/** The graph of the version that ran, which may differ from the flow's present one; undefined until it is read, and of old versions. */
export function useGraphOf({ automation_flow, flow_version }: AutomationRun): AutomationGraph | undefined {
  const flow = useObject('automation_flow', automation_flow, (atrium, id) => atrium.automationFlows.retrieve(id))
  const isPresent = flow.data !== undefined && isVersion(flow.data, flow_version)
  const versions = useObject(
    'automation_versions',
    automation_flow,
    (atrium) => atrium.automationFlows.versions(automation_flow),
    { enabled: flow.data !== undefined && !isPresent, params: { version: flow.data?.version ?? 0 } },
  )
  if (isPresent) return flow.data?.graph
  return versions.data?.versions.find(({ version }) => version === flow_version)?.graph
}

/** Whether the flow's present graph is that of the version; a draft may differ from it. */
function isVersion({ status, version }: AutomationFlow, wanted: number): boolean {
  return status !== 'draft' && version === wanted
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
