/** One endpoint: its status, its delivery attempts, and its actions. */
import type { WebhookEndpoint } from '@atrium/sdk'
import { Link } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { NotFoundSheet } from '../../app/not-found-sheet.tsx'
import { useApp, useMode } from '../../data/index.ts'
import type { EndpointAttempt, EndpointHealth } from '../../data/shapes.ts'
import {
  CopyText,
  dateTime,
  duration,
  Fact,
  Facts,
  inWords,
  Notice,
  RelativeTime,
  Section,
  Sheet,
  SkeletonLines,
  Timeline,
} from '../../design/index.ts'
import { t, textLanguage } from '../../language/index.ts'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointStatus } from './endpoint-status.tsx'
import { ExampleSection } from './example-section.tsx'
import { outcomeText } from './outcome.ts'

interface EndpointSheetProps {
  readonly endpoint: WebhookEndpoint | undefined
  readonly onClose: () => void
}

export function EndpointSheet({ endpoint, onClose }: EndpointSheetProps) {
  if (endpoint === undefined) return <NotFoundSheet noun={t('endpoint')} onClose={onClose} />
  return (
    <Sheet
      open
      onClose={onClose}
      title={endpoint.url}
      size="l"
      actions={<EndpointActions endpoint={endpoint} onDeleted={onClose} />}
    >
      <div className="stack">
        {endpoint.status_reason !== null && (
          <Notice tone={endpoint.status === 'disabled' ? 'bad' : 'warn'} title={inWords(endpoint.status)}>
            {endpoint.status_reason}
          </Notice>
        )}
        <EndpointFacts endpoint={endpoint} />
        <ExampleSection endpoint={endpoint} />
        <Attempts endpoint={endpoint} />
      </div>
    </Sheet>
  )
}

function EndpointFacts({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  return (
    <Facts>
      <Fact name={t('Status')}>
        <EndpointStatus endpoint={endpoint} />
      </Fact>
      <Fact name={t('Events')}>{endpoint.event_types.join(', ')}</Fact>
      {endpoint.exclude_own_events && <Fact name={t('Own events')}>{t('Excluded')}</Fact>}
      <Fact name={t('Last success')}>
        <RelativeTime at={endpoint.last_success_at} none={t('Never')} />
      </Fact>
      <Fact name={t('Last failure')}>
        <RelativeTime at={endpoint.last_failure_at} none={t('Never')} />
      </Fact>
      <Fact name={t('Verified')}>{dateTime(endpoint.verified_at)}</Fact>
      {endpoint.previous_secret_expires_at !== null && (
        <Fact name={t('Previous secret')}>
          {t('Expires')} <RelativeTime at={endpoint.previous_secret_expires_at} />
        </Fact>
      )}
      <Fact name={t('API version')}>{endpoint.api_version}</Fact>
      <Fact name={t('ID')}>
        <CopyText text={endpoint.id} />
      </Fact>
    </Facts>
  )
}

function Attempts({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const mode = useMode()
  const health = useApp(
    'GET endpoints/{id}/health',
    { params: { id: endpoint.id }, query: { mode } },
    { every_ms: 10_000 },
  )
  const { data } = health
  return (
    <Section title={t('Attempts')} description={data === undefined ? ' ' : summaryOf(data)}>
      {health.error ? (
        <ErrorState error={health.error} onRetry={() => void health.refetch()} plain />
      ) : data === undefined ? (
        <SkeletonLines lines={6} />
      ) : data.attempts.length === 0 ? (
        <p className="subtle">{t('Nothing was sent yet. Cause an event it subscribes to, or send an example.')}</p>
      ) : (
        <Timeline label={t('Attempts')} entries={data.attempts.map(entryOf)} />
      )}
    </Section>
  )
}

function summaryOf({ success_rate, p50_ms, pending }: EndpointHealth): string {
  const waiting = t('{pending} pending', { pending: pending.toLocaleString(textLanguage()) })
  if (success_rate === null || p50_ms === null) return t('No attempts yet, {waiting}.', { waiting })
  return t('{round}% of recent attempts succeeded, median {p50_ms}, {waiting}.', {
    round: Math.round(success_rate * 100),
    p50_ms: duration(p50_ms),
    waiting,
  })
}

function entryOf(attempt: EndpointAttempt) {
  const { delivery, number, event, event_type, response_excerpt } = attempt
  return {
    key: `${delivery} ${number}`,
    tone: attempt.succeeded ? ('good' as const) : ('bad' as const),
    title: (
      <Link href={`/developers/events/${event}`} className="dev-mono">
        {event_type ?? event}
      </Link>
    ),
    time: <RelativeTime at={attempt.created} />,
    children: (
      <>
        <span>
          {t('{outcome} in {duration_ms}', {
            outcome: outcomeText(attempt),
            duration_ms: duration(attempt.duration_ms),
          })}
          {number > 1 && t(', attempt {number}', { number })}
          {attempt.trigger !== 'automatic' && `, ${attempt.trigger}`}
        </span>
        {response_excerpt !== null && <pre className="dev-excerpt">{response_excerpt}</pre>}
      </>
    ),
  }
}
