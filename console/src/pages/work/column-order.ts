import type { Column, ColumnList, Project } from '@atrium/sdk'
import { patch, useWrite } from '../../data/index.ts'

/** As the server gives them to columns that are put in order. */
const position_step = 1024

export interface ColumnOrder {
  /** Puts a column where another one stands. */
  readonly before: (column: string, target: string) => void
  /** One place to the left (-1) or right. */
  readonly step: (column: string, by: -1 | 1) => void
}

/** The order of a project's columns, all of them at once. */
export function useColumnOrder({ id: project, workspace }: Project, columns: readonly Column[]): ColumnOrder {
  const ids = columns.map(({ id }) => id)
  const reorder = useWrite<readonly string[], ColumnList>({
    write: (atrium, data) => atrium.columns.reorder({ workspace, project, data }),
    changes: (data) => data.map((id, at) => patch('column', id, { position: (at + 1) * position_step })),
    done: () => 'Columns put in order',
    undo: () => (atrium) => atrium.columns.reorder({ workspace, project, data: ids }),
  })
  const put = (column: string, at: number) => {
    const others = ids.filter((id) => id !== column)
    void reorder.run([...others.slice(0, at), column, ...others.slice(at)])
  }
  return {
    before: (column, target) => {
      if (column !== target && ids.includes(target)) put(column, ids.indexOf(target))
    },
    step: (column, by) => put(column, ids.indexOf(column) + by),
  }
}
