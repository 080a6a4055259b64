/** One event: what it says, what caused it, and where it was delivered. */
import type { AtriumEvent, EventWithDeliveries } from '@atrium/sdk'
import { RotateCcw, Send } from 'lucide-react'
import { Link } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useMay, useObject, useWrite } from '../../data/index.ts'
import {
  Badge,
  Button,
  CopyText,
  dateTime,
  duration,
  Fact,
  Facts,
  JsonTree,
  RelativeTime,
  Section,
  Sheet,
  SkeletonLines,
  Timeline,
  type Tone,
} from '../../design/index.ts'
import { EventActor } from './events-page.tsx'

export function EventSheet({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const may = useMay('admin')
  const event = useObject('event_with_deliveries', id, (atrium) => atrium.events.retrieve(id), { every_ms: 5000 })
  const { data } = event
  return (
    <Sheet
      open
      onClose={onClose}
      title={data?.type ?? 'Event'}
      size="l"
      actions={may && data !== undefined && <Actions event={data} onDone={() => void event.refetch()} />}
    >
      {event.error ? (
        <ErrorState error={event.error} onRetry={() => void event.refetch()} plain />
      ) : data === undefined ? (
        <SkeletonLines lines={14} />
      ) : (
        <Details event={data} />
      )}
    </Sheet>
  )
}

function Details({ event }: { readonly event: EventWithDeliveries }) {
  const object = event.data.object as { readonly id: string; readonly object: string }
  const { deliveries, ...rest } = event
  return (
    <div className="stack">
      <Facts>
        <Fact name="When">{dateTime(event.created)}</Fact>
        <Fact name="By">
          <EventActor actor={event.actor} />
        </Fact>
        <Fact name={object.object}>
          <Link href={`/open/${object.id}`} className="dev-mono">
            {object.id}
          </Link>
        </Fact>
        <Cause event={event} />
        <Fact name="Number">{event.sequence}</Fact>
        <Fact name="Id">
          <CopyText text={event.id} />
        </Fact>
      </Facts>
      <Section title="Deliveries">
        {deliveries.length === 0 ? (
          <p className="subtle">There is no endpoint that it could go to.</p>
        ) : (
          deliveries.map((delivery) => <DeliveryOf key={delivery.webhook_endpoint} delivery={delivery} />)
        )}
      </Section>
      <Section title="As it is sent">
        <JsonTree value={rest} label="The event as JSON" text={(value) => <TextOf value={value} />} />
      </Section>
    </div>
  )
}

/** What was asked for, and who else was changed by the same request. */
function Cause({ event }: { readonly event: AtriumEvent }) {
  const { request, commit } = event
  if (request === null) return <Fact name="Request">none: a worker or the operator did it</Fact>
  return (
    <Fact name="Request">
      <Link href={`/developers/requests/${request.id}`} className="dev-mono">
        {request.id}
      </Link>
      {commit.size > 1 && <span className="subtle">{` one of ${commit.size} events of its commit`}</span>}
    </Fact>
  )
}

/** Ids lead to what they stand for. */
function TextOf({ value }: { readonly value: string }) {
  return /^[a-z]{2,8}_[0-9A-HJKMNP-TV-Z]{26}$/.test(value) ? <Link href={`/open/${value}`}>{value}</Link> : value
}

type Delivery = EventWithDeliveries['deliveries'][number]

const tones: Readonly<Record<string, Tone>> = { succeeded: 'good', failed: 'bad', pending: 'warn', skipped: 'neutral' }

function DeliveryOf({ delivery }: { readonly delivery: Delivery }) {
  const { status, skip_reason, next_attempt_at, attempts, webhook_endpoint } = delivery
  return (
    <div className="stack">
      <div className="row spread">
        <Link href={`/developers/webhooks/${webhook_endpoint}`} className="dev-mono">
          {webhook_endpoint}
        </Link>
        <span className="row">
          {next_attempt_at !== null && (
            <span className="subtle">
              next <RelativeTime at={next_attempt_at} />
            </span>
          )}
          <Badge tone={tones[status] ?? 'neutral'}>{skip_reason?.replaceAll('_', ' ') ?? status}</Badge>
        </span>
      </div>
      {attempts.length > 0 && <Timeline label="Attempts" entries={attempts.map(attemptEntry)} />}
    </div>
  )
}

function attemptEntry(attempt: Delivery['attempts'][number]) {
  const { number, http_status, error_category, response_excerpt } = attempt
  return {
    key: String(number),
    tone: error_category === null ? ('good' as const) : ('bad' as const),
    title: `${http_status ?? error_category} in ${duration(attempt.duration_ms)}`,
    time: <RelativeTime at={attempt.created} />,
    children: response_excerpt === null ? null : <pre className="dev-excerpt">{response_excerpt}</pre>,
  }
}

function Actions({ event, onDone }: { readonly event: EventWithDeliveries; readonly onDone: () => void }) {
  const resend = useWrite({
    write: (atrium, id: string) => atrium.events.resend(id),
    manage: true,
    done: () => 'Sent again to the endpoints that failed to take it',
  })
  const replay = useWrite({
    write: (atrium, id: string) => atrium.events.replay(id),
    manage: true,
    done: () => 'Sent to every endpoint that subscribes to it',
  })
  const run = async (write: typeof resend) => {
    if ((await write.run(event.id)) !== undefined) onDone()
  }
  return (
    <>
      <Button icon={Send} busy={resend.busy} onClick={() => void run(resend)}>
        Resend
      </Button>
      <Button icon={RotateCcw} busy={replay.busy} onClick={() => void run(replay)}>
        Replay
      </Button>
    </>
  )
}
