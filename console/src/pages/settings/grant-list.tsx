/** Access that was given to applications, as a person and an owner see it. */
import '../../design/item-list.css'
import { Blocks } from 'lucide-react'
import type { ReactNode } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import type { OauthGrant } from '../../data/shapes.ts'
import { Badge, Card, RelativeTime, SkeletonLines } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'

interface GrantListProps<T> {
  readonly label: string
  readonly list: {
    readonly data: { readonly data: readonly T[] } | undefined
    readonly error: Error | null
    readonly refetch: () => unknown
  }
  /** What an empty list says. */
  readonly empty: string
  readonly item: (grant: T) => ReactNode
}

export function GrantList<T>({ label, list, empty, item }: GrantListProps<T>) {
  const rows = list.data?.data
  if (list.error) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />
  return (
    <Card flush={rows !== undefined && rows.length > 0}>
      {rows === undefined && <SkeletonLines lines={2} />}
      {rows?.length === 0 && <p className="subtle">{empty}</p>}
      {rows !== undefined && rows.length > 0 && (
        <ul className="item-list" aria-label={label}>
          {rows.map(item)}
        </ul>
      )}
    </Card>
  )
}

interface GrantRowProps {
  readonly grant: OauthGrant
  readonly title: string
  /** Below the times. */
  readonly details?: ReactNode
  /** The button that ends the access. */
  readonly children: ReactNode
}

export function GrantRow({ grant: { mode, created, last_used_at }, title, details, children }: GrantRowProps) {
  return (
    <li className="item">
      <span className="item-icon">
        <Blocks aria-hidden="true" />
      </span>
      <div className="grow">
        <p className="item-title">
          <span className="cut">{title}</span>
          {mode === 'test' && <Badge>{t('Test data')}</Badge>}
        </p>
        <p className="item-hint">
          {rich('allowed {relativeTime}, last signed in', { relativeTime: <RelativeTime at={created} /> })}{' '}
          <RelativeTime at={last_used_at} />
        </p>
        {details}
      </div>
      {children}
    </li>
  )
}
