/**
 * Everything about one task. Each part reads and writes its own data. Parts that load later are tabs at the end, so that
 * they move nothing when they arrive.
 */
import './task.css'
import type { Task } from '@atrium/sdk'
import { useUrlParam } from '../../data/index.ts'
import { dateTime, Section, Tabs } from '../../design/index.ts'
import { Comments } from './comments.tsx'
import { CustomFields } from './custom-fields.tsx'
import { Dependencies } from './dependencies.tsx'
import { TaskFacts } from './task-fields.tsx'
import { TaskHistory } from './task-history.tsx'
import { Description, Title } from './task-text.tsx'
import { TaskTime } from './task-time.tsx'

const parts = [
  { value: 'comments', label: 'Comments', show: Comments },
  { value: 'time', label: 'Time', show: TaskTime },
  { value: 'dependencies', label: 'Dependencies', show: Dependencies },
  { value: 'history', label: 'History', show: TaskHistory },
] as const

export function TaskDetails({ task }: { readonly task: Task }) {
  const [part, setPart] = useUrlParam('part', 'comments')
  const { value, show: Part } = parts.find((each) => each.value === part) ?? parts[0]
  return (
    <div className="stack task">
      <Title task={task} />
      <TaskFacts task={task} />
      <Description task={task} />
      <Section title="Custom fields">
        <CustomFields task={task} />
      </Section>
      <p className="subtle task-made">
        Created {dateTime(task.created)}, revision {task.revision}
      </p>
      <Tabs label={`Details of ${task.key}`} value={value} tabs={parts} onChange={setPart}>
        <Part task={task} />
      </Tabs>
    </div>
  )
}
