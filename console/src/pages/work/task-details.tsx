/** Everything about one task. Each part reads and writes by itself. */
import './task.css'
import type { Task } from '@atrium/sdk'
import { dateTime, Section } from '../../design/index.ts'
import { Comments } from './comments.tsx'
import { CustomFields } from './custom-fields.tsx'
import { Dependencies } from './dependencies.tsx'
import { TaskFacts } from './task-fields.tsx'
import { TaskHistory } from './task-history.tsx'
import { Description, Title } from './task-text.tsx'
import { TaskTime } from './task-time.tsx'

export function TaskDetails({ task }: { readonly task: Task }) {
  return (
    <div className="stack task">
      <Title task={task} />
      <TaskFacts task={task} />
      <Description task={task} />
      <Section title="Fields of your own">
        <CustomFields task={task} />
      </Section>
      <Section title="Dependencies">
        <Dependencies task={task} />
      </Section>
      <Section title="Time">
        <TaskTime task={task} />
      </Section>
      <Section title="Comments">
        <Comments task={task} />
      </Section>
      <Section title="History">
        <TaskHistory task={task} />
      </Section>
      <p className="subtle task-made">
        Made {dateTime(task.created)}, revision {task.revision}
      </p>
    </div>
  )
}
