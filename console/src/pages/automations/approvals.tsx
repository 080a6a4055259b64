/** What a run has asked for: whom it waits for, who has decided, and the decision for a person who is asked. */
import type { AutomationApproval, AutomationGraph, AutomationRun } from '@atrium/sdk'
import { Decision } from '../../app/decision.tsx'
import { useDirectory, useList, useSession } from '../../data/index.ts'
import { RelativeTime, Section, StatusBadge, Timeline, toneOf } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { oneOf } from '../../language/lists.ts'
import { stepName } from './step-name.ts'

/** The approvals of a run, newest first, updated live. */
export function useApprovals(run: AutomationRun) {
  return useList('automation_approval', { automation_run: run.id }, (atrium, cursor) =>
    atrium.automationApprovals.list({
      automation_run: run.id,
      limit: 50,
      ...(cursor === undefined ? {} : { starting_after: cursor }),
    }),
  )
}

interface ApprovalsProps {
  readonly rows: readonly AutomationApproval[]
  /** Of the run, which names the steps. */
  readonly graph: AutomationGraph | undefined
}

export function Approvals({ rows, graph }: ApprovalsProps) {
  if (rows.length === 0) return null
  return (
    <Section title={t('Approvals')}>
      <Timeline
        label={t('Approvals')}
        entries={rows.map((approval) => ({
          key: approval.id,
          tone: toneOf(approval.status),
          title: stepName(graph, approval.node),
          time: <RelativeTime at={approval.decided_at ?? approval.created} />,
          children: <Content approval={approval} />,
        }))}
      />
    </Section>
  )
}

function Content({ approval }: { readonly approval: AutomationApproval }) {
  const { id, text, status, asked, decided_by, comment, expires_at } = approval
  const { nameOf } = useDirectory()
  const session = useSession()
  const isAsked = session.signed_in && asked.includes(session.user.id)
  return (
    <div className="stack">
      <div>{text}</div>
      <div>
        <StatusBadge status={status} />{' '}
        {status === 'pending' && t('Waiting for {people}', { people: oneOf(asked.map(nameOf)) })}
        {decided_by !== null && nameOf(decided_by)}
      </div>
      {comment !== null && <q>{comment}</q>}
      {status === 'pending' && expires_at !== null && (
        <div className="subtle">
          {t('Times out')} <RelativeTime at={expires_at} />
        </div>
      )}
      {status === 'pending' && isAsked && <Decision approval={id} text={text} />}
    </div>
  )
}
