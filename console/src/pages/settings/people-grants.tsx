/** The access that people of the organization have given to applications, a page at a time. Only owners see and end it. */
import '../../design/item-list.css'
import { Blocks } from 'lucide-react'
import { useState } from 'react'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { ScopeWords } from '../../app/scope-words.tsx'
import { useApp, useAppWrite, useDirectory } from '../../data/index.ts'
import type { GrantOfPerson } from '../../data/shapes.ts'
import { Badge, Button, Card, RelativeTime, Section, SkeletonLines } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'

export function PeopleGrants() {
  const [cursor, setCursor] = useState<string | null>(null)
  const list = useApp('GET organization/oauth-grants', cursor === null ? { query: {} } : { query: { cursor } })
  const rows = list.data?.data
  const next = list.data?.next_cursor ?? null
  return (
    <Section
      title={t('Applications of people')}
      description={t(
        'Programs that people have allowed to work in this organization with their account, and what they can do. Only owners see this list.',
      )}
    >
      {list.error ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Card flush={rows !== undefined && rows.length > 0}>
          {rows === undefined && <SkeletonLines lines={2} />}
          {rows?.length === 0 && (
            <p className="subtle">{t('None. What a person allows to an application is listed here.')}</p>
          )}
          {rows !== undefined && rows.length > 0 && (
            <ul className="item-list" aria-label={t('Applications of people')}>
              {rows.map((grant) => (
                <GrantItem key={grant.id} grant={grant} />
              ))}
            </ul>
          )}
        </Card>
      )}
      {(cursor !== null || next !== null) && (
        <div className="row">
          {cursor !== null && <Button onClick={() => setCursor(null)}>{t('Newest')}</Button>}
          {next !== null && <Button onClick={() => setCursor(next)}>{t('Older')}</Button>}
        </div>
      )}
    </Section>
  )
}

function GrantItem({ grant }: { readonly grant: GrantOfPerson }) {
  const { id, application, scopes, mode, created, last_used_at, user } = grant
  const { nameOf } = useDirectory()
  const { name } = application
  const person = nameOf(user)
  const end = useAppWrite('DELETE organization/oauth-grants/{id}', {
    invalidates: ['GET organization/oauth-grants', 'GET oauth/grants'],
    toastErrors: false,
    done: () => t('The access of {name} for {person} has ended', { name, person }),
  })
  return (
    <li className="item">
      <span className="item-icon">
        <Blocks aria-hidden="true" />
      </span>
      <div className="grow">
        <p className="item-title">
          <span className="cut">{`${name} · ${person}`}</span>
          {mode === 'test' && <Badge>{t('Test data')}</Badge>}
        </p>
        <p className="item-hint">
          {rich('allowed {relativeTime}, last signed in', { relativeTime: <RelativeTime at={created} /> })}{' '}
          <RelativeTime at={last_used_at} />
        </p>
        <details>
          <summary>{t('What it can do')}</summary>
          <ScopeWords scopes={scopes} label={t('What {name} can do for {person}', { name, person })} />
        </details>
      </div>
      <ConfirmButton
        action={t('End access')}
        title={t('End the access of {name} for {person}?', { name, person })}
        write={end}
        run={() => end.run({ params: { id } })}
        onDone={() => {}}
      >
        {t('Its tokens stop working immediately. To use it again, {person} has to allow it again.', { person })}
      </ConfirmButton>
    </li>
  )
}
