/**
 * A table of objects, loaded page by page. The first column names the row; with `to` it is a link over the whole row.
 * Columns with `from` are hidden on narrow screens, so the table does not scroll sideways. Long lists use a virtual list.
 */
import './table.css'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { t } from '../language/index.ts'
import { Button } from './button.tsx'
import { Skeleton } from './skeleton.tsx'

export interface TableColumn<T> {
  readonly key: string
  readonly title: ReactNode
  readonly cell: (row: T) => ReactNode
  /** A CSS width; without one the column takes the remaining space. */
  readonly width?: string
  readonly align?: 'end'
  /** The minimum screen width: `wide` is 768 px, `widest` is 1200 px. */
  readonly from?: 'wide' | 'widest'
  /** Shows the title to screen readers only. */
  readonly hiddenTitle?: boolean
}

interface TableProps<T> {
  /** The accessible name. */
  readonly label: string
  readonly columns: readonly TableColumn<T>[]
  readonly rows: readonly T[] | undefined
  readonly rowKey: (row: T) => string
  /** The page that a row opens. */
  readonly to?: (row: T) => string | null
  /** The key of the row whose panel is open, or that has the keyboard focus. */
  readonly current?: string | null | undefined
  /** Shown if there are no rows. */
  readonly empty?: ReactNode
  /** The number of placeholder rows while loading. */
  readonly expected?: number
}

export function Table<T>({ label, columns, rows, rowKey, to, current, empty, expected = 6 }: TableProps<T>) {
  if (rows?.length === 0 && empty !== undefined) return <>{empty}</>
  return (
    <div className="table-frame">
      <table className="table" aria-label={label} aria-busy={rows === undefined}>
        <thead>
          <tr>
            {columns.map(({ key, title, width, align, from, hiddenTitle }) => (
              <th key={key} scope="col" data-align={align} data-from={from} style={width ? { width } : undefined}>
                {hiddenTitle ? <span className="unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows?.map((row) => (
            <Row
              key={rowKey(row)}
              row={row}
              id={rowKey(row)}
              columns={columns}
              to={to?.(row) ?? null}
              current={current}
            />
          ))}
          {rows === undefined && <PlaceholderRows columns={columns} count={expected} />}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps<T> {
  readonly row: T
  readonly id: string
  readonly columns: readonly TableColumn<T>[]
  readonly to: string | null
  readonly current: string | null | undefined
}

function Row<T>({ row, id, columns, to, current }: RowProps<T>) {
  return (
    <tr data-current={current === id || undefined} data-link={to !== null || undefined}>
      {columns.map(({ key, cell, align, from }, i) => (
        <td key={key} data-align={align} data-from={from}>
          {i === 0 && to !== null ? (
            <Link className="table-link" href={to}>
              {cell(row)}
            </Link>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  )
}

function PlaceholderRows<T>({
  columns,
  count,
}: {
  readonly columns: readonly TableColumn<T>[]
  readonly count: number
}) {
  return Array.from({ length: count }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: all rows are alike
    <tr key={row}>
      {columns.map(({ key, align, from }, i) => (
        <td key={key} data-align={align} data-from={from}>
          <Skeleton width={i === 0 ? '60%' : '40%'} />
        </td>
      ))}
    </tr>
  ))
}

interface MoreProps {
  readonly hasMore: boolean
  readonly busy: boolean
  readonly onMore: () => void
  /** The number of rows shown. */
  readonly shown: number
}

/** The footer of a paged list. It stays after the last page, which avoids a layout shift. */
export function More({ hasMore, busy, onMore, shown }: MoreProps) {
  // An empty list shows its empty state instead.
  if (shown === 0 && !hasMore) return null
  return (
    <div className="more">
      <span className="subtle numbers">{t('{shown, plural, one {1 shown} other {# shown}}', { shown })}</span>
      {hasMore && (
        <Button size="s" busy={busy} onClick={onMore}>
          {t('Load more')}
        </Button>
      )}
    </div>
  )
}
