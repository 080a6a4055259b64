/** One event: its payload, its cause, and its deliveries. */
import type { AtriumEvent, EventWithDeliveries } from '@atrium/sdk'
import { RotateCcw, Send } from 'lucide-react'
import { Link } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useHasRole, useObject, useWrite } from '../../data/index.ts'
import {
  Badge,
  Button,
  CopyText,
  duration,
  exactTime,
  Fact,
  Facts,
  inWords,
  RelativeTime,
  Section,
  Sheet,
  SkeletonLines,
  Timeline,
  toneOf,
} from '../../design/index.ts'
import { JsonTree } from '../../design/json-tree.tsx'
import { t } from '../../language/index.ts'
import { EventActor } from './event-actor.tsx'
import { outcomeText } from './outcome.ts'

export function EventSheet({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const isAdmin = useHasRole('admin')
  const event = useObject('event_with_deliveries', id, (atrium) => atrium.events.retrieve(id), { every_ms: 5000 })
  const { data } = event
  return (
    <Sheet
      open
      onClose={onClose}
      title={data?.type ?? t('Event')}
      size="l"
      actions={isAdmin && data !== undefined && <Actions event={data} onDone={() => void event.refetch()} />}
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
  const { deliveries, ...payload } = event
  return (
    <div className="stack">
      <Facts>
        <Fact name={t('Time')}>{exactTime(event.created)}</Fact>
        <Fact name={t('Actor')}>
          <EventActor actor={event.actor} />
        </Fact>
        <Fact name={inWords(object.object)}>
          <Link href={`/open/${object.id}`} className="dev-mono">
            {object.id}
          </Link>
        </Fact>
        <Cause event={event} />
        <Fact name={t('Sequence')}>{event.sequence}</Fact>
        <Fact name={t('ID')}>
          <CopyText text={event.id} />
        </Fact>
      </Facts>
      <Section title={t('Deliveries')}>
        {deliveries.length === 0 ? (
          <p className="subtle">{t('No endpoint subscribes to this event.')}</p>
        ) : (
          deliveries.map((delivery) => <DeliveryView key={delivery.webhook_endpoint} delivery={delivery} />)
        )}
      </Section>
      <Section title={t('Payload')}>
        <JsonTree value={payload} label={t('The event as JSON')} text={(value) => <TextOrLink value={value} />} />
      </Section>
    </div>
  )
}

/** The request that caused the event, and how many events its commit has. */
function Cause({ event }: { readonly event: AtriumEvent }) {
  const { request, commit } = event
  if (request === null) return <Fact name={t('Request')}>{t('None (caused by a worker or the operator)')}</Fact>
  return (
    <Fact name={t('Request')}>
      <Link href={`/developers/requests/${request.id}`} className="dev-mono">
        {request.id}
      </Link>
      {commit.size > 1 && (
        <span className="subtle">{t(', one of {size} events in its commit', { size: commit.size })}</span>
      )}
    </Fact>
  )
}

/** IDs link to their objects. */
function TextOrLink({ value }: { readonly value: string }) {
  return /^[a-z]{2,8}_[0-9A-HJKMNP-TV-Z]{26}$/.test(value) ? <Link href={`/open/${value}`}>{value}</Link> : value
}

type Delivery = EventWithDeliveries['deliveries'][number]

function DeliveryView({ delivery }: { readonly delivery: Delivery }) {
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
              {t('next attempt')} <RelativeTime at={next_attempt_at} />
            </span>
          )}
          <Badge tone={toneOf(status)}>{inWords(skip_reason ?? status)}</Badge>
        </span>
      </div>
      {attempts.length > 0 && <Timeline label={t('Attempts')} entries={attempts.map(attemptEntry)} />}
    </div>
  )
}

function attemptEntry(attempt: Delivery['attempts'][number]) {
  const { number, error_category, response_excerpt } = attempt
  return {
    key: String(number),
    tone: error_category === null ? ('good' as const) : ('bad' as const),
    title: `${outcomeText(attempt)} in ${duration(attempt.duration_ms)}`,
    time: <RelativeTime at={attempt.created} />,
    children: response_excerpt === null ? null : <pre className="dev-excerpt">{response_excerpt}</pre>,
  }
}

function Actions({ event, onDone }: { readonly event: EventWithDeliveries; readonly onDone: () => void }) {
  const resend = useWrite({
    write: (atrium, id: string) => atrium.events.resend(id),
    manage: true,
    done: () => t('Resent to the endpoints where it failed'),
  })
  const replay = useWrite({
    write: (atrium, id: string) => atrium.events.replay(id),
    manage: true,
    done: () => t('Replayed to every subscribed endpoint'),
  })
  const run = async (write: typeof resend) => {
    if ((await write.run(event.id)) !== undefined) onDone()
  }
  return (
    <>
      <Button icon={Send} busy={resend.busy} onClick={() => void run(resend)}>
        {t('Resend')}
      </Button>
      <Button icon={RotateCcw} busy={replay.busy} onClick={() => void run(replay)}>
        {t('Replay')}
      </Button>
    </>
  )
}
