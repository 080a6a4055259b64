/** Asks whether the subtasks of a task go along to another project. */
import type { Atrium, Project, Task } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { useWrite } from '../../data/index.ts'
import { Button, Dialog, Radios } from '../../design/index.ts'
import { t } from '../../language/index.ts'
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
  const to = project?.name ?? t('no project')
  const set = { project: project?.id ?? null, column: null }
  const move = useWrite({
    write: async (atrium, withSubtasks: boolean, kept) => {
      const tasks = withSubtasks ? [task, ...(await readBelow(atrium, task))] : [task]
      if (tasks.length > bulk_tasks_max) {
        throw new Error(
          t(
            'More than {bulk_tasks_max} tasks stand below {key}. Move the task alone, or parts of its subtasks first.',
            { bulk_tasks_max: bulk_tasks_max - 1, key: task.key },
          ),
        )
      }
      const result = await writeBulk(atrium, tasks, { set }, { kept })
      if (result.error !== null) throw result.error
      return result
    },
    invalidates: ['task', 'dependency'],
    done: ({ before }) =>
      before.length > 1
        ? t('{key} and {count, plural, one {# task} other {# tasks}} below it moved to {to}', {
            key: task.key,
            count: before.length - 1,
            to,
          })
        : t('{key} moved to {to}', { key: task.key, to }),
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
      title={t('Move {key} to {to}?', { key: task.key, to })}
      size="s"
      onSubmit={() => !move.busy && void confirm()}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" type="submit" busy={move.busy}>
            {t('Move')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Radios
          label={t('Subtasks')}
          value={choice}
          onChange={setChoice}
          options={[
            { value: 'all', label: t('Move the subtasks, too'), hint: t('All tasks below this one, on every level.') },
            {
              value: 'one',
              label: t('Move this task only'),
              hint: t('Its subtasks keep their project and their parent.'),
            },
          ]}
        />
        <p className="subtle">{t('Dependencies on tasks of the former project end.')}</p>
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
