/** The bar of the selected cards of a board. */
import './task-actions.css'
import { BulkBar } from '../bulk-bar.tsx'
import { useSelection } from '../task-selection.ts'

export function SelectedTasks() {
  const { tasks, clear } = useSelection()
  if (tasks.length === 0) return null
  return (
    <div className="selected-tasks">
      <BulkBar tasks={tasks} onClear={clear} />
    </div>
  )
}
