/** Asks whether the subtasks of a task go along to another project. */
import type { Atrium, Project, Task } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { useWrite } from '../../data/index.ts'
import { Button, Dialog, Radios } from '../../design/index.ts'
import { bulk_tasks_max, undoBulk, writeBulk } from './bulk-writes.ts'

/** Parents in one filter expression. */
const parents_max = 40

interface MoveWithSubtasksProps {
  readonly task: Task
  readonly project: Project | null
  readonly onClose: () => void
}

export function MoveWithSubtasks({ task, project, onClose }: MoveWithSubtasksProps) {
  const [choice, setChoice] = useState<'all' | 'one'>('all')
  const to = project?.name ?? 'no project'
  const set = { project: project?.id ?? null, column: null }
  const move = useWrite({
    write: async (atrium, withSubtasks: boolean, kept) => {
      const tasks = withSubtasks ? [task, ...(await readBelow(atrium, task))] : [task]
      if (tasks.length > bulk_tasks_max) {
        throw new Error(
          `More than ${bulk_tasks_max - 1} tasks stand below ${task.key}. Move the task alone, or parts of its subtasks first.`,
        )
      }
      const result = await writeBulk(atrium, tasks, { set }, { kept })
      if (result.error !== null) throw result.error
      return result
    },
    invalidates: ['task', 'dependency'],
    done: ({ before }) =>
      `${task.key}${before.length > 1 ? ` and ${before.length - 1} ${before.length === 2 ? 'task' : 'tasks'} below it` : ''} moved to ${to}`,
    undo: (result) => (atrium) => undoBulk(atrium, result, { set }),
    toastErrors: false,
  })
  const confirm = async () => {
    if ((await move.run(choice === 'all')) !== undefined) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Move ${task.key} to ${to}?`}
      size="s"
      onSubmit={() => !move.busy && void confirm()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={move.busy}>
            Move
          </Button>
        </>
      }
    >
      <div className="stack">
        <Radios
          label="Subtasks"
          value={choice}
          onChange={setChoice}
          options={[
            { value: 'all', label: 'Move the subtasks, too', hint: 'All tasks below this one, on every level.' },
            { value: 'one', label: 'Move this task only', hint: 'Its subtasks keep their project and their parent.' },
          ]}
        />
        <p className="subtle">Dependencies on tasks of the former project end.</p>
        <FormError error={move.error} />
      </div>
    </Dialog>
  )
}

/** All tasks below a task, level by level; stops when more than a bulk change takes were found. */
async function readBelow(atrium: Atrium, task: Task): Promise<readonly Task[]> {
  const found: Task[] = []
  for (let parents = task.subtask_count > 0 ? [task] : []; parents.length > 0; ) {
    const level: Task[] = []
    for (let i = 0; i < parents.length && found.length < bulk_tasks_max; i += parents_max) {
      const ids = parents.slice(i, i + parents_max).map(({ id }) => id)
      const filter = `parent IN (${ids.join(', ')})`
      const rows = await atrium.tasks.list({ filter, limit: 100 }).toArray({ max: bulk_tasks_max })
      level.push(...rows)
      found.push(...rows)
    }
    parents = level.filter(({ subtask_count }) => subtask_count > 0)
  }
  return found
}
