/** The page of one object: the same frame while it is read, when that failed, and when it is there. */
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Page, Skeleton, SkeletonLines } from '../design/index.ts'
import { ErrorState } from './error-state.tsx'

interface ObjectPageProps<T> {
  readonly of: UseQueryResult<T, Error>
  readonly title: string
  readonly trail: ReactNode
  /** Holds its place while the object is read. */
  readonly description?: ReactNode
  /** Buttons that only make sense with the object. */
  readonly actions?: (object: T) => ReactNode
  /** There are some whatever the object is: their place is held. */
  readonly alwaysActs?: true
  readonly children: (object: T) => ReactNode
}

/** How many lines stand there while the object is read. */
const lines = 12

export function ObjectPage<T>({ of: read, actions, alwaysActs, children, ...frame }: ObjectPageProps<T>) {
  const { data, error, refetch } = read
  const held = alwaysActs && !error && <Skeleton width="10rem" height="var(--control)" />
  return (
    // A frame of its own before and after: what comes need not be as wide as what held its place.
    <Page
      key={data === undefined ? 'coming' : 'there'}
      {...frame}
      actions={data === undefined ? held : actions?.(data)}
    >
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={lines} />
      ) : (
        children(data)
      )}
    </Page>
  )
}
