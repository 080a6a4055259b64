/** One request: what was asked, how it went, what it caused. */
import { Link } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useObject } from '../../data/index.ts'
import type { LoggedRequest } from '../../data/shapes.ts'
import { CopyText, dateTime, duration, Fact, Facts, Notice, Section, Sheet, SkeletonLines } from '../../design/index.ts'
import { CallerName, StatusBadge } from './request-words.tsx'

export function RequestSheet({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const request = useObject<LoggedRequest>(
    'request_log',
    id,
    async (atrium) => (await atrium.requestLogs.retrieve(id)) as unknown as LoggedRequest,
  )
  const { data } = request
  return (
    <Sheet open onClose={onClose} title={data === undefined ? 'Request' : `${data.method} ${data.path}`} size="m">
      {request.error ? (
        <ErrorState error={request.error} onRetry={() => void request.refetch()} plain />
      ) : data === undefined ? (
        <SkeletonLines lines={12} />
      ) : (
        <Details request={data} />
      )}
    </Sheet>
  )
}

function Details({ request }: { readonly request: LoggedRequest }) {
  const { error_code, error_param } = request
  return (
    <div className="stack">
      {error_code !== null && (
        <Notice tone={request.status >= 500 ? 'bad' : 'warn'} title={error_code}>
          {error_param === null ? '' : `Parameter: ${error_param}. `}
          <a href={`/docs#tag/errors`}>What to do about it</a>
        </Notice>
      )}
      <Facts>
        <Fact name="Status">
          <StatusBadge status={request.status} />
        </Fact>
        <Fact name="When">{dateTime(request.created)}</Fact>
        <Fact name="Took">{duration(request.duration_ms)}</Fact>
        <Fact name="Operation">
          <Link href={`/developers/requests?operation=${request.operation}`}>{request.operation}</Link>
        </Fact>
        <Fact name="Called by">
          <Link href={`/developers/requests?credential=${request.credential}`}>
            <CallerName credential={request.credential} />
          </Link>
        </Fact>
        <Fact name="Credits">{`${request.charged} charged of ${request.cost}`}</Fact>
        <Fact name="Version">{request.api_version}</Fact>
        <Fact name="Sent, answered">{`${bytes(request.request_bytes)}, ${bytes(request.response_bytes)}`}</Fact>
        {request.query_parameters.length > 0 && <Fact name="Parameters">{request.query_parameters.join(', ')}</Fact>}
        {request.dry_run && <Fact name="Dry run">It changed nothing.</Fact>}
        {request.original_request !== null && (
          <Fact name="Replay of">
            <Link href={`/developers/requests/${request.original_request}`}>{request.original_request}</Link>
          </Fact>
        )}
        <Fact name="From">{`${request.ip}${request.user_agent === null ? '' : `, ${request.user_agent}`}`}</Fact>
        <Fact name="Id">
          <CopyText text={request.id}>{request.id}</CopyText>
        </Fact>
      </Facts>
      {request.events.length > 0 && (
        <Section title="Events that it caused">
          <ul className="plain-list">
            {request.events.map((event) => (
              <li key={event}>
                <Link href={`/developers/events/${event}`} className="dev-mono">
                  {event}
                </Link>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  )
}

function bytes(count: number): string {
  return count < 1024 ? `${count} B` : `${(count / 1024).toFixed(1)} KiB`
}
