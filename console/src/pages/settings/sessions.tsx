import { Laptop, LogOut, Smartphone } from 'lucide-react'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp, useAppWrite } from '../../data/index.ts'
import type { SessionEntry } from '../../data/shapes.ts'
import { Badge, Button, Card, IconButton, RelativeTime, Section, SkeletonLines } from '../../design/index.ts'

export function Sessions() {
  const list = useApp('GET sessions', {})
  const others = useAppWrite('DELETE sessions', {
    invalidates: ['GET sessions'],
    done: ({ ended }) => (ended === 1 ? '1 session ended' : `${ended} sessions ended`),
  })
  const rows = list.data?.data
  return (
    <Section
      title="Sessions"
      description="Where you are signed in. If you do not recognize a session, end it and change your password."
      actions={
        rows !== undefined &&
        rows.length > 1 && (
          <Button icon={LogOut} busy={others.busy} onClick={() => void others.run({})}>
            End all other sessions
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
            <ul className="item-list" aria-label="Sessions">
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
  const end = useAppWrite('DELETE sessions/{id}', { invalidates: ['GET sessions'], done: () => 'Session ended' })
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
          {current && <Badge tone="good">This session</Badge>}
        </p>
        <p className="item-hint">
          {ip} · {organization.name} · last seen <RelativeTime at={last_seen} /> · started <RelativeTime at={created} />
        </p>
      </div>
      {!current && (
        <IconButton
          icon={LogOut}
          label={`End session: ${device}`}
          onClick={() => !end.busy && void end.run({ params: { id } })}
        />
      )}
    </li>
  )
}

/** Browser and operating system, as far as the user agent names them. */
function deviceOf(agent: string | null): string {
  if (agent === null) return 'Unknown browser'
  const browser =
    ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'].find((name) => agent.includes(`${name}/`)) ?? 'Another browser'
  const system = /iPhone|iPad|Android|Mac OS|Windows|CrOS|Linux/.exec(agent)?.[0]
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS': 'macOS', CrOS: 'ChromeOS' }
  const named = names[browser] ?? browser
  return system === undefined ? named : `${named} on ${names[system] ?? system}`
}
