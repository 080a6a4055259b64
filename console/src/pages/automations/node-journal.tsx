/** What a node did in a run, under the picture: each of its steps with input, output, attempts, cost, and why it went on as it did. */
import './automations.css'
import type { AutomationGraph, AutomationRun, AutomationRunSteps } from '@atrium/sdk'
import { ErrorState } from '../../app/error-state.tsx'
import { useObject } from '../../data/index.ts'
import { CodeBlock, dateTime, duration, Fact, Facts, inWords, SkeletonLines, StatusBadge } from '../../design/index.ts'
import { t, textLanguage } from '../../language/index.ts'
import { draftOf, portOf } from './editor/graph.ts'
import { titleOf } from './editor/summary.ts'
import { reasonText } from './flow-text.tsx'

type Step = AutomationRunSteps['steps'][number]

interface NodeJournalProps {
  readonly run: AutomationRun
  readonly graph: AutomationGraph
  readonly node: string
}

export function NodeJournal({ run, graph, node }: NodeJournalProps) {
  const { id, workspace, usage, trigger } = run
  const { data, error, refetch } = useObject(
    'automation_run_steps',
    id,
    (atrium) => atrium.automationRuns.steps(id, { workspace, node }),
    { params: { node, steps: usage.steps, status: run.status } },
  )
  const draft = draftOf(graph).nodes.find((each) => each.id === node)
  const title = draft === undefined ? inWords(node) : titleOf(draft)
  return (
    <section className="node-journal" aria-label={t('What {title} did', { title })} aria-live="polite">
      <strong>{title}</strong>
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} plain />
      ) : data === undefined ? (
        <SkeletonLines lines={4} />
      ) : data.steps.length === 0 ? (
        <p className="subtle">
          {node === trigger.node ? t('This trigger started the run.') : t('The run has not come here.')}
        </p>
      ) : (
        <>
          {data.has_more && <p className="subtle">{t('Of more than 20 steps, the latest are here.')}</p>}
          {data.steps.map((step) => (
            <StepDetails key={step.number} step={step} run={run} graph={graph} />
          ))}
        </>
      )}
    </section>
  )
}

interface StepDetailsProps {
  readonly step: Step
  readonly run: AutomationRun
  readonly graph: AutomationGraph
}

function StepDetails({ step, run, graph }: StepDetailsProps) {
  const { path, status, attempts, cost_minor, started_at, duration_ms } = step
  const reason = reasonOf(step, run, graph)
  const item = path.map((index) => index + 1).join('.')
  return (
    <div className="node-step">
      <div className="row">
        <StatusBadge status={status} />
        {item !== '' && <span className="subtle">{t('item {item}', { item })}</span>}
      </div>
      <Facts>
        {reason !== null && <Fact name={t('Reason')}>{reason}</Fact>}
        <Fact name={t('Started')}>{dateTime(started_at)}</Fact>
        <Fact name={t('Duration')}>{duration(duration_ms)}</Fact>
        {attempts.length > 0 && (
          <Fact name={t('Attempts')}>
            <ol className="node-attempts">
              {attempts.map((attempt) => (
                <li key={attempt.attempt}>{attemptText(attempt)}</li>
              ))}
            </ol>
          </Fact>
        )}
        {cost_minor > 0 && (
          <Fact name={t('Cost')}>
            {t('{amount} in minor units of the currency', {
              amount: cost_minor.toLocaleString(textLanguage(), { maximumFractionDigits: 4 }),
            })}
          </Fact>
        )}
      </Facts>
      <Value title={t('Input')} text={step.input} isCut={step.is_input_cut} />
      <Value title={t('Output')} text={step.output} isCut={step.is_output_cut} />
      {hidesAnswer(step, graph) && (
        <p className="subtle">
          {t('Only the status of the answer was kept. To see here what it said, let the step keep it as text.')}
        </p>
      )}
    </div>
  )
}

/** Whether a call was refused with an answer of which only the status was kept. */
function hidesAnswer({ node, status, attempts }: Step, graph: AutomationGraph): boolean {
  const draft = graph.nodes.find(({ id }) => id === node)
  if (status !== 'failed' || draft?.type !== 'http.request' || !attempts.at(-1)?.http_status) return false
  const { output } = draft.config as { readonly output?: string }
  return output !== 'json' && output !== 'text'
}

interface ValueProps {
  readonly title: string
  readonly text: string | null
  readonly isCut: boolean
}

function Value({ title, text, isCut }: ValueProps) {
  if (text === null) return null
  return (
    <div>
      <CodeBlock title={title} code={isCut ? text : indented(text)} wrap />
      {isCut && <p className="subtle">{t('It is longer than what is shown.')}</p>}
    </div>
  )
}

function indented(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2)
}

function attemptText({ outcome, http_status, message, duration_ms }: Step['attempts'][number]): string {
  const result = outcome === null ? t('Under way') : inWords(outcome)
  const known = [
    http_status === null ? result : `${result} (${http_status})`,
    ...(duration_ms === null ? [] : [duration(duration_ms)]),
    ...(message === null ? [] : [message]),
  ]
  return known.join(', ')
}

/** Why the step failed, was skipped, or went on by its port; null if there is nothing to say. */
function reasonOf(
  { number, node, path, status, port }: Step,
  run: AutomationRun,
  graph: AutomationGraph,
): string | null {
  const entry = run.steps.find((each) => each.number === number)
  if (entry?.failure) return entry.failure.message
  if (status === 'skipped') return whySkipped(graph, run, node, path)
  const draft = graph.nodes.find(({ id }) => id === node)
  if (draft?.type === 'condition') {
    const { expr } = draft.config as { readonly expr: string }
    return port === 'true' ? t('{expr} is true.', { expr }) : t('{expr} is false.', { expr })
  }
  if (draft?.type === 'switch') {
    const { cases } = draft.config as { readonly cases: readonly { readonly port: string; readonly expr: string }[] }
    const met = cases.find((each) => each.port === port)
    return met === undefined
      ? t('No case is true.')
      : t('{expr} is true, so the run went on by “{port}”.', { expr: met.expr, port: met.port })
  }
  return entry?.reason ? reasonText(entry.reason) : null
}

/** The steps before it, and where the run went from them instead. */
function whySkipped(graph: AutomationGraph, run: AutomationRun, node: string, path: readonly number[]): string {
  const draft = draftOf(graph)
  const reasons = draft.edges
    .filter(({ target }) => target === node)
    .flatMap((edge) => {
      const source = draft.nodes.find(({ id }) => id === edge.source)
      const before = run.steps.findLast((step) => step.node === edge.source && `${step.path}` === `${path}`)
      if (source === undefined || before === undefined) return []
      const title = titleOf(source)
      if (before.status === 'skipped') return [t('“{title}” was skipped.', { title })]
      const wanted = portOf(edge, source)
      return [
        before.port === null || before.port === wanted
          ? t('“{title}” did not go on by “{wanted}”.', { title, wanted })
          : t('“{title}” went on by “{port}”, not by “{wanted}”.', { title, port: before.port, wanted }),
      ]
    })
  return reasons.length === 0 ? t('No edge to it was taken.') : reasons.join(' ')
}
