/** One endpoint: its health, its attempts, and everything that can be done with it. */
import type { WebhookEndpoint } from '@atrium/sdk'
import { Link } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp, useMode } from '../../data/index.ts'
import type { EndpointAttempt } from '../../data/shapes.ts'
import {
  CopyText,
  dateTime,
  duration,
  Empty,
  Fact,
  Facts,
  Notice,
  RelativeTime,
  Section,
  Sheet,
  SkeletonLines,
  Timeline,
} from '../../design/index.ts'
import { EndpointActions } from './endpoint-actions.tsx'
import { ExampleSection } from './example-section.tsx'
import { EndpointStatus } from './webhooks-page.tsx'

interface EndpointSheetProps {
  readonly endpoint: WebhookEndpoint | undefined
  readonly onClose: () => void
}

export function EndpointSheet({ endpoint, onClose }: EndpointSheetProps) {
  if (endpoint === undefined) {
    return (
      <Sheet open onClose={onClose} title="No such endpoint">
        <Empty plain title="There is no endpoint with this id" />
      </Sheet>
    )
  }
  return (
    <Sheet
      open
      onClose={onClose}
      title={endpoint.url}
      size="l"
      actions={<EndpointActions endpoint={endpoint} onGone={onClose} />}
    >
      <div className="stack">
        {endpoint.status_reason !== null && (
          <Notice tone={endpoint.status === 'disabled' ? 'bad' : 'warn'} title={`It is ${endpoint.status}`}>
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
      <Fact name="Health">
        <EndpointStatus endpoint={endpoint} />
      </Fact>
      <Fact name="Events">{endpoint.event_types.join(', ')}</Fact>
      {endpoint.exclude_own_events && <Fact name="Own events">left out</Fact>}
      <Fact name="Last success">
        <RelativeTime at={endpoint.last_success_at} none="never" />
      </Fact>
      <Fact name="Last failure">
        <RelativeTime at={endpoint.last_failure_at} none="never" />
      </Fact>
      <Fact name="Verified">{dateTime(endpoint.verified_at)}</Fact>
      {endpoint.previous_secret_expires_at !== null && (
        <Fact name="Former secret">
          signs until <RelativeTime at={endpoint.previous_secret_expires_at} />
        </Fact>
      )}
      <Fact name="Version">{endpoint.api_version}</Fact>
      <Fact name="Id">
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
    <Section title="Attempts" description={data === undefined ? ' ' : wordsOf(data)}>
      {health.error ? (
        <ErrorState error={health.error} onRetry={() => void health.refetch()} plain />
      ) : data === undefined ? (
        <SkeletonLines lines={6} />
      ) : data.attempts.length === 0 ? (
        <p className="subtle">Nothing was sent yet. Change something that it subscribes to, or send an example.</p>
      ) : (
        <Timeline label="Attempts" entries={data.attempts.map(entryOf)} />
      )}
    </Section>
  )
}

function wordsOf(health: {
  readonly success_rate: number | null
  readonly p50_ms: number | null
  readonly pending: number
}) {
  const { success_rate, p50_ms, pending } = health
  const waiting = pending === 0 ? 'nothing waits' : `${pending.toLocaleString('en')} wait`
  if (success_rate === null || p50_ms === null) return `No attempts yet, ${waiting}.`
  return `${Math.round(success_rate * 100)} % of the last ones succeeded, half of them within ${duration(p50_ms)}; ${waiting}.`
}

function entryOf(attempt: EndpointAttempt) {
  const { delivery, number, event, event_type, http_status, error_category, response_excerpt } = attempt
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
          {http_status ?? error_category} in {duration(attempt.duration_ms)}
          {number > 1 && `, attempt ${number}`}
          {attempt.trigger !== 'automatic' && `, ${attempt.trigger}`}
        </span>
        {response_excerpt !== null && <pre className="dev-excerpt">{response_excerpt}</pre>}
      </>
    ),
  }
}
