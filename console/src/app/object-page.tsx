/** The page of one object: the same frame while loading, after an error, and with the object. */
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Page, Skeleton, SkeletonLines } from '../design/index.ts'
import { ErrorState } from './error-state.tsx'

interface ObjectPageProps<T> {
  readonly query: UseQueryResult<T, Error>
  readonly title: string
  readonly trail: ReactNode
  /** Also shown while loading. */
  readonly description?: ReactNode
  readonly beside?: ReactNode
  /** Buttons that only make sense with the object. */
  readonly actions?: (object: T) => ReactNode
  /** Every object has actions, so a placeholder reserves their space while loading. */
  readonly alwaysHasActions?: true
  readonly children: (object: T) => ReactNode
}

const skeleton_lines = 12

export function ObjectPage<T>({ query, actions, alwaysHasActions, children, ...frame }: ObjectPageProps<T>) {
  const { data, error, refetch } = query
  const placeholder = alwaysHasActions && !error && <Skeleton width="10rem" height="var(--control)" />
  return (
    // A new key: the loaded page may have another width than the placeholder, which must not count as a layout shift.
    <Page
      key={data === undefined ? 'loading' : 'loaded'}
      {...frame}
      actions={data === undefined ? placeholder : actions?.(data)}
    >
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={skeleton_lines} />
      ) : (
        children(data)
      )}
    </Page>
  )
}
