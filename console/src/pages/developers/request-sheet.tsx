/** One request of the log: its outcome, its cost, and the events it caused. */
import { Link } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useObject } from '../../data/index.ts'
import type { LoggedRequest } from '../../data/shapes.ts'
import {
  CopyText,
  duration,
  exactTime,
  Fact,
  Facts,
  Notice,
  Section,
  Sheet,
  SkeletonLines,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { CallerName, HttpStatus } from './request-log.tsx'

export function RequestSheet({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const request = useObject<LoggedRequest>(
    'request_log',
    id,
    // The SDK types a few fields of an entry more loosely than this page needs.
    async (atrium) => (await atrium.requestLogs.retrieve(id)) as LoggedRequest,
  )
  const { data } = request
  return (
    <Sheet open onClose={onClose} title={data === undefined ? t('Request') : `${data.method} ${data.path}`} size="m">
      {request.error ? (
        <ErrorState error={request.error} onRetry={() => void request.refetch()} plain />
      ) : data === undefined ? (
        <SkeletonLines lines={12} />
      ) : (
        <div className="stack">
          <Failure request={data} />
          <RequestFacts request={data} />
          <CausedEvents events={data.events} />
        </div>
      )}
    </Sheet>
  )
}

function Failure({ request: { status, error_code, error_param } }: { readonly request: LoggedRequest }) {
  if (error_code === null) return null
  return (
    <Notice tone={status >= 500 ? 'bad' : 'warn'} title={error_code}>
      {error_param !== null && t('Parameter: {error_param}. ', { error_param })}
      <a className="link" href="/docs#tag/errors">
        {t('How to handle this error')}
      </a>
    </Notice>
  )
}

function RequestFacts({ request }: { readonly request: LoggedRequest }) {
  return (
    <Facts>
      <Fact name={t('Status')}>
        <HttpStatus status={request.status} />
      </Fact>
      <Fact name={t('Time')}>{exactTime(request.created)}</Fact>
      <Fact name={t('Duration')}>{duration(request.duration_ms)}</Fact>
      <Fact name={t('Operation')}>
        <Link href={`/developers/requests?operation=${request.operation ?? 'none'}`}>
          {request.operation ?? t('None')}
        </Link>
      </Fact>
      <Fact name={t('Caller')}>
        <Link href={`/developers/requests?credential=${request.credential}`}>
          <CallerName credential={request.credential} />
        </Link>
      </Fact>
      <Fact name={t('Credits')}>
        {t('{charged} charged, cost {cost}', { charged: request.charged, cost: request.cost })}
      </Fact>
      <Fact name={t('API version')}>{request.api_version}</Fact>
      <Fact name={t('Size')}>
        {t('{bytes} request, {bytes2} response', {
          bytes: bytes(request.request_bytes),
          bytes2: bytes(request.response_bytes),
        })}
      </Fact>
      {request.query_parameters.length > 0 && <Fact name={t('Parameters')}>{request.query_parameters.join(', ')}</Fact>}
      {request.dry_run && <Fact name={t('Dry run')}>{t('Yes, nothing was changed')}</Fact>}
      {request.original_request !== null && (
        <Fact name={t('Replay of')}>
          <Link href={`/developers/requests/${request.original_request}`}>{request.original_request}</Link>
        </Fact>
      )}
      <Fact name={t('Source')}>{[request.ip, request.user_agent].filter(Boolean).join(', ')}</Fact>
      <Fact name={t('ID')}>
        <CopyText text={request.id} />
      </Fact>
    </Facts>
  )
}

function CausedEvents({ events }: { readonly events: readonly string[] }) {
  if (events.length === 0) return null
  return (
    <Section title={t('Events')}>
      <ul className="plain-list">
        {events.map((event) => (
          <li key={event}>
            <Link href={`/developers/events/${event}`} className="dev-mono">
              {event}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function bytes(count: number): string {
  return count < 1024 ? `${count} B` : t('{value} KiB', { value: (count / 1024).toFixed(1) })
}
