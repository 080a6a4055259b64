/** What the AI steps of a run saw and said: prompt, cut credentials, answer and its check, cost and budget. */
import './automations.css'
import type { AutomationGraph, AutomationRun, AutomationRunAiCalls } from '@atrium/sdk'
import { ErrorState } from '../../app/error-state.tsx'
import { useObject } from '../../data/index.ts'
import { Badge, CodeBlock, Fact, Facts, inWords, RelativeTime, Section } from '../../design/index.ts'
import { t, textLanguage } from '../../language/index.ts'
import { stepName } from './step-name.ts'

type Call = AutomationRunAiCalls['calls'][number]

/** The calls of the run so far; idle for a run that has called no model. */
export function useAiCalls({ id, workspace, usage, steps }: AutomationRun) {
  return useObject('automation_run_ai_calls', id, (atrium) => atrium.automationRuns.aiCalls(id, { workspace }), {
    enabled: usage.ai_requests > 0,
    // A further attempt, or the end of one.
    params: { requests: usage.ai_requests, steps: steps.length, tokens: usage.ai_output_tokens },
  })
}

interface AiCallsProps {
  readonly query: ReturnType<typeof useAiCalls>
  /** Of the run, which names the steps. */
  readonly graph: AutomationGraph | undefined
}

export function AiCalls({ query, graph }: AiCallsProps) {
  const { data, error } = query
  if (data === undefined && error === null) return null
  return (
    <Section title={t('What AI saw and said')}>
      {data === undefined ? (
        <ErrorState error={error} onRetry={() => void query.refetch()} plain />
      ) : (
        <Journal journal={data} graph={graph} />
      )}
    </Section>
  )
}

function Journal({ journal, graph }: Pick<AiCallsProps, 'graph'> & { readonly journal: AutomationRunAiCalls }) {
  const { calls, has_more, budget } = journal
  const { flow_spent_minor: spent, flow_minor_per_day: own, organization_minor_per_day: all } = budget
  const limits = { spent: amount(spent), all: amount(all) }
  return (
    <div className="stack">
      <p className="subtle">
        {own === null
          ? t('On that day the flow has spent {spent} of the {all} that the organization may spend.', limits)
          : t('On that day the flow has spent {spent} of its {own}; the organization may spend {all}.', {
              spent: limits.spent,
              own: amount(own),
              all: limits.all,
            })}{' '}
        {t('Amounts are in minor units of the currency, such as cents.')}
      </p>
      {has_more && <p className="subtle">{t('Of more than 20 AI steps, the latest are here.')}</p>}
      {calls.map((call) => (
        <CallDetails key={`${call.step} ${call.attempt}`} call={call} title={stepName(graph, call.node)} />
      ))}
    </div>
  )
}

/** An amount with up to four decimals: calls cost fractions of a cent. */
function amount(minor: number): string {
  return minor.toLocaleString(textLanguage(), { maximumFractionDigits: 4 })
}

function CallDetails({ call, title }: { readonly call: Call; readonly title: string }) {
  return (
    <section className="ai-call" aria-label={t('{title}, attempt {attempt}', { title, attempt: call.attempt })}>
      <div className="row">
        <strong>
          {call.attempt === 1 ? title : t('{title}, attempt {attempt}', { title, attempt: call.attempt })}
        </strong>
        <CheckBadge call={call} />
        <span className="subtle">
          <RelativeTime at={call.sent_at} />
        </span>
      </div>
      <Facts>
        <Fact name={t('Cost')}>{amount(call.cost_minor)}</Fact>
        <Fact name={t('Cut from the prompt')}>
          {call.redacted.length === 0
            ? t('Nothing')
            : t('Credentials in {places}', { places: call.redacted.join(', ') })}
        </Fact>
        {call.message !== null && <Fact name={t('Failure')}>{call.message}</Fact>}
      </Facts>
      <CodeBlock title={t('Instructions')} code={call.instructions} wrap />
      <CodeBlock title={t('Data')} code={call.input} wrap />
      {call.answer === null ? (
        <p className="subtle">{call.ended_at === null ? t('No answer yet.') : t('No answer is kept.')}</p>
      ) : (
        <CodeBlock title={t('Answer')} code={call.answer} wrap />
      )}
    </section>
  )
}

function CheckBadge({ call: { check, outcome } }: { readonly call: Call }) {
  if (check === 'passed') return <Badge tone="good">{t('The answer fits')}</Badge>
  if (check === 'failed') return <Badge tone="bad">{t('The answer does not fit')}</Badge>
  if (outcome === null) return <Badge>{t('Under way')}</Badge>
  if (outcome === 'succeeded') return <Badge tone="good">{t('Answered')}</Badge>
  return <Badge tone="bad">{inWords(outcome)}</Badge>
}
