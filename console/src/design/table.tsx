/**
 * Rows of one kind. The columns say what they are; the first is the row's name. A row that opens something is a link over
 * its whole width (`to`). On a narrow screen columns that are marked `wide` are left out, so nothing scrolls sideways that
 * need not. Long lists are virtual lists of their own; this is for what is loaded page by page.
 */
import './table.css'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Button } from './button.tsx'
import { Skeleton } from './skeleton.tsx'

export interface TableColumn<T> {
  readonly key: string
  readonly title: ReactNode
  readonly cell: (row: T) => ReactNode
  /** A CSS width; without one the column takes what is left. */
  readonly width?: string
  readonly align?: 'end'
  /** From which screen on it is shown: `wide` from 768 px, `widest` from 1200 px. */
  readonly from?: 'wide' | 'widest'
  /** The title is only for screen readers. */
  readonly bare?: boolean
}

interface TableProps<T> {
  /** What the rows are, for screen readers. */
  readonly label: string
  readonly columns: readonly TableColumn<T>[]
  readonly rows: readonly T[] | undefined
  readonly rowKey: (row: T) => string
  /** Where a row leads. */
  readonly to?: (row: T) => string | null
  /** Marks the row whose panel is open, or that the keyboard is on. */
  readonly current?: string | null | undefined
  /** Instead of the rows when there are none. */
  readonly empty?: ReactNode
  /** How many rows to draw while they come. */
  readonly expected?: number
}

export function Table<T>({ label, columns, rows, rowKey, to, current, empty, expected = 6 }: TableProps<T>) {
  if (rows?.length === 0 && empty !== undefined) return <>{empty}</>
  return (
    <div className="table-frame">
      <table className="table" aria-label={label} aria-busy={rows === undefined}>
        <thead>
          <tr>
            {columns.map(({ key, title, width, align, from, bare }) => (
              <th key={key} scope="col" data-align={align} data-from={from} style={width ? { width } : undefined}>
                {bare ? <span className="unseen">{title}</span> : title}
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
          {rows === undefined && <Expected columns={columns} count={expected} />}
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
      {columns.map(({ key, cell, align, from }, at) => (
        <td key={key} data-align={align} data-from={from}>
          {at === 0 && to !== null ? (
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

function Expected<T>({ columns, count }: { readonly columns: readonly TableColumn<T>[]; readonly count: number }) {
  return Array.from({ length: count }, (_, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
    <tr key={at}>
      {columns.map(({ key, align, from }, place) => (
        <td key={key} data-align={align} data-from={from}>
          <Skeleton width={place === 0 ? '60%' : '40%'} />
        </td>
      ))}
    </tr>
  ))
}

interface MoreProps {
  readonly hasMore: boolean
  readonly busy: boolean
  readonly onMore: () => void
  /** How many are shown. */
  readonly shown: number
}

/** The foot of a list that comes page by page. It keeps its place when the last page is there. */
export function More({ hasMore, busy, onMore, shown }: MoreProps) {
  // What is empty says so itself.
  if (shown === 0 && !hasMore) return null
  return (
    <div className="more">
      <span className="subtle numbers">{shown === 1 ? '1 shown' : `${shown} shown`}</span>
      {hasMore && (
        <Button size="s" busy={busy} onClick={onMore}>
          Load more
        </Button>
      )}
    </div>
  )
}
