/** The applications to which the person has given access. */
import '../../design/item-list.css'
import { Blocks } from 'lucide-react'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { ScopeWords } from '../../app/scope-words.tsx'
import { useApp, useAppWrite } from '../../data/index.ts'
import type { OauthGrant } from '../../data/shapes.ts'
import { Badge, Card, RelativeTime, Section, SkeletonLines } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'

export function Grants() {
  const list = useApp('GET oauth/grants', {})
  const rows = list.data?.data
  return (
    <Section
      title={t('Applications with access')}
      description={t(
        'Programs that you have allowed to work in this organization. They sign in without your password.',
      )}
    >
      {list.error ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Card flush={rows !== undefined && rows.length > 0}>
          {rows === undefined && <SkeletonLines lines={2} />}
          {rows?.length === 0 && (
            <p className="subtle">
              {t('None. An application that asks for access is listed here after you allow it.')}
            </p>
          )}
          {rows !== undefined && rows.length > 0 && (
            <ul className="item-list" aria-label={t('Applications with access')}>
              {rows.map((grant) => (
                <GrantItem key={grant.id} grant={grant} />
              ))}
            </ul>
          )}
        </Card>
      )}
    </Section>
  )
}

function GrantItem({ grant }: { readonly grant: OauthGrant }) {
  const { id, application, scopes, mode, created, last_used_at } = grant
  const { name } = application
  const end = useAppWrite('DELETE oauth/grants/{id}', {
    invalidates: ['GET oauth/grants'],
    toastErrors: false,
    done: () => t('The access of {name} has ended', { name }),
  })
  return (
    <li className="item">
      <span className="item-icon">
        <Blocks aria-hidden="true" />
      </span>
      <div className="grow">
        <p className="item-title">
          <span className="cut">{name}</span>
          {mode === 'test' && <Badge>{t('Test data')}</Badge>}
        </p>
        <p className="item-hint">
          {rich('allowed {relativeTime}, last signed in', { relativeTime: <RelativeTime at={created} /> })}{' '}
          <RelativeTime at={last_used_at} />
        </p>
      </div>
      <ConfirmButton
        action={t('End access')}
        title={t('End the access of {name}?', { name })}
        write={end}
        run={() => end.run({ params: { id } })}
        onDone={() => {}}
      >
        <p>
          {t('Its tokens stop working immediately. To use it again, you have to allow it again. Until now it can:')}
        </p>
        <ScopeWords scopes={scopes} label={t('What it can do')} />
      </ConfirmButton>
    </li>
  )
}
