/** How the approvals of a flow are assumed to end in its preview. */
import type { AutomationFlow } from '@atrium/sdk'
import { Field, Select } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { draftOf } from './editor/graph.ts'
import { portsOf } from './editor/kinds.ts'
import { titleOf } from './editor/summary.ts'

export type Decisions = Readonly<Record<string, 'approved' | 'rejected' | 'timed_out'>>

interface SampleDecisionsProps {
  readonly flow: AutomationFlow
  readonly decisions: Decisions
  readonly onChange: (decisions: Decisions) => void
}

export function SampleDecisions({ flow, decisions, onChange }: SampleDecisionsProps) {
  const asking = draftOf(flow.graph).nodes.filter(({ type }) => type === 'approval.wait')
  return asking.map((node) => (
    <Field key={node.id} label={titleOf(node)} hint={t('What the preview assumes. No person is asked.')}>
      <Select
        value={decisions[node.id] ?? 'approved'}
        choices={portsOf(node).map(({ name, label }) => ({ value: name as Decisions[string], label }))}
        onChange={(port) => onChange({ ...decisions, [node.id]: port })}
      />
    </Field>
  ))
}
