import type { Column, ColumnList, Project } from '@atrium/sdk'
import { patch, useWrite } from '../../data/index.ts'
import { t } from '../../language/index.ts'

/** The server's distance between the positions of reordered columns. */
const position_step = 1024

export interface ColumnOrder {
  /** Moves a column to the position of another. */
  readonly moveBefore: (column: string, target: string) => void
  /** Moves a column one position left (-1) or right. */
  readonly moveBy: (column: string, by: -1 | 1) => void
}

/** Reorders the columns of a project. The API takes the complete order at once. */
export function useColumnOrder({ id: project, workspace }: Project, columns: readonly Column[]): ColumnOrder {
  const ids = columns.map(({ id }) => id)
  const reorder = useWrite<readonly string[], ColumnList>({
    write: (atrium, data) => atrium.columns.reorder({ workspace, project, data }),
    changes: (data) => data.map((id, index) => patch('column', id, { position: (index + 1) * position_step })),
    done: () => t('Columns reordered'),
    undo: () => (atrium) => atrium.columns.reorder({ workspace, project, data: ids }),
  })
  const moveTo = (column: string, index: number) => {
    const others = ids.filter((id) => id !== column)
    void reorder.run([...others.slice(0, index), column, ...others.slice(index)])
  }
  return {
    moveBefore: (column, target) => {
      if (column !== target && ids.includes(target)) moveTo(column, ids.indexOf(target))
    },
    moveBy: (column, by) => moveTo(column, ids.indexOf(column) + by),
  }
}
