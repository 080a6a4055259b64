/** A list that is read page by page: its rows, its error, and the button for the next page. */
import type { ListResult } from '../data/read.ts'
import { More, Table } from '../design/table.tsx'
import { ErrorState } from './error-state.tsx'

type TableProps<T> = Parameters<typeof Table<T>>[0]

interface ListTableProps<T> extends Omit<TableProps<T>, 'rows'> {
  readonly list: ListResult<T>
  /** Shown instead of the rows of `list`. */
  readonly rows?: readonly T[] | undefined
}

export function ListTable<T>({ list, rows = list.rows, ...table }: ListTableProps<T>) {
  if (list.error) return <ErrorState error={list.error} onRetry={list.refetch} />
  return (
    <>
      <Table {...table} rows={rows} />
      {rows !== undefined && (
        <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.loadMore} shown={rows.length} />
      )}
    </>
  )
}
