import '../../design/item-list.css'
import { Laptop, LogOut, Smartphone } from 'lucide-react'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp, useAppWrite } from '../../data/index.ts'
import type { SessionEntry } from '../../data/shapes.ts'
import { Badge, Button, Card, IconButton, RelativeTime, Section, SkeletonLines } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'
import { deviceOf } from './device.ts'

export function Sessions() {
  const list = useApp('GET sessions', {})
  const others = useAppWrite('DELETE sessions', {
    invalidates: ['GET sessions'],
    done: ({ ended }) => t('{ended, plural, one {1 session ended} other {# sessions ended}}', { ended }),
  })
  const rows = list.data?.data
  return (
    <Section
      title={t('Sessions')}
      description={t('Where you are signed in. If you do not recognize a session, end it and change your password.')}
      actions={
        rows !== undefined &&
        rows.length > 1 && (
          <Button icon={LogOut} busy={others.busy} onClick={() => void others.run({})}>
            {t('End all other sessions')}
          </Button>
        )
      }
    >
      {list.error ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Card flush={rows !== undefined}>
          {rows === undefined ? (
            <SkeletonLines lines={2} />
          ) : (
            <ul className="item-list" aria-label={t('Sessions')}>
              {rows.map((session) => (
                <SessionItem key={session.id} session={session} />
              ))}
            </ul>
          )}
        </Card>
      )}
    </Section>
  )
}

function SessionItem({ session }: { readonly session: SessionEntry }) {
  const { id, user_agent, ip, last_seen, created, current, organization } = session
  const end = useAppWrite('DELETE sessions/{id}', { invalidates: ['GET sessions'], done: () => t('Session ended') })
  const device = deviceOf(user_agent)
  const Icon = /iPhone|Android/.test(device) ? Smartphone : Laptop
  return (
    <li className="item">
      <span className="item-icon">
        <Icon aria-hidden="true" />
      </span>
      <div className="grow">
        <p className="item-title">
          <span className="cut">{device}</span>
          {current && <Badge tone="good">{t('This session')}</Badge>}
        </p>
        <p className="item-hint">
          {rich('{ip} · {name} · last seen {relativeTime} · started', {
            ip,
            name: organization.name,
            relativeTime: <RelativeTime at={last_seen} />,
          })}{' '}
          <RelativeTime at={created} />
        </p>
      </div>
      {!current && (
        <IconButton
          icon={LogOut}
          label={t('End session: {device}', { device })}
          onClick={() => !end.busy && void end.run({ params: { id } })}
        />
      )}
    </li>
  )
}
