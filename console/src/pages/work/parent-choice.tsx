/** Chooses the parent of a task. A refusal is said where the choice was made. */
import type { Task } from '@atrium/sdk'
import { useState } from 'react'
import { useTask } from '../../app/tasks/reads.ts'
import { t } from '../../language/index.ts'
import { parentRefusal, useParentChange } from './subtask-writes.ts'
import { TaskChoice } from './task-choice.tsx'

export function ParentChoice({ task }: { readonly task: Task }) {
  const parent = useTask(task.parent).data
  const change = useParentChange()
  const [tried, setTried] = useState('')
  const choose = (next: Task | null) => {
    if ((next?.id ?? null) === task.parent) return
    setTried(next?.key ?? '')
    void change.run({ task, parent: next })
  }
  return (
    <div>
      <TaskChoice
        label={t('Parent')}
        size="s"
        workspace={task.workspace}
        without={[task.id]}
        value={task.parent === null ? null : (parent ?? { id: task.parent, key: '', title: '…' })}
        noneLabel={t('None')}
        onChoose={choose}
      />
      {change.error !== null && (
        <p className="task-refusal" role="alert">
          {parentRefusal(change.error, task.key, tried)}
        </p>
      )}
    </div>
  )
}
