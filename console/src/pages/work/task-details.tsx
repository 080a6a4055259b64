/**
 * Everything about one task. Each part reads and writes its own data. Parts that load later are tabs at the end, so that
 * they move nothing when they arrive.
 */
import './task.css'
import type { Task } from '@atrium/sdk'
import type { ComponentType } from 'react'
import { Link } from 'wouter'
import { Attachments } from '../../app/attachments.tsx'
import { useFieldsOf } from '../../app/tasks/field-reads.ts'
import { useHasRole, useUrlParam } from '../../data/index.ts'
import { dateTime, Section, SkeletonLines, Tabs } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { Comments } from './comments.tsx'
import { CustomFields } from './custom-fields.tsx'
import { Dependencies } from './dependencies.tsx'
import { ParentOffer, ParentTrail } from './parent-trail.tsx'
import { Subtasks } from './subtasks.tsx'
import { TaskFacts } from './task-fields.tsx'
import { TaskHistory } from './task-history.tsx'
import { Description, Title } from './task-text.tsx'
import { TaskTime } from './task-time.tsx'
import { useTaskChange } from './writes.ts'

interface Part {
  readonly value: string
  readonly label: string
  readonly show: ComponentType<{ readonly task: Task }>
  /** Closed to guests. */
  readonly isOfMembers?: true
}

const parts = [
  { value: 'comments', label: t('Comments'), show: Comments },
  { value: 'time', label: t('Time'), show: TaskTime, isOfMembers: true },
  { value: 'dependencies', label: t('Dependencies'), show: Dependencies },
  { value: 'history', label: t('History'), show: TaskHistory, isOfMembers: true },
] as const satisfies readonly Part[]

export function TaskDetails({ task }: { readonly task: Task }) {
  const [part, setPart] = useUrlParam('part', 'comments')
  const { isPending } = useFieldsOf(task.workspace)
  const isMember = useHasRole('member')
  const shown = (parts as readonly Part[]).filter(({ isOfMembers }) => isMember || isOfMembers !== true)
  const { value, show: Part } = shown.find((each) => each.value === part) ?? parts[0]
  // The parts below the custom fields would move when the fields arrive.
  if (isPending) return <SkeletonLines lines={16} />
  return (
    <div className="stack task">
      <ParentTrail task={task} />
      <Title task={task} />
      <TaskFacts task={task} />
      <ParentOffer task={task} />
      <Description task={task} />
      <Subtasks task={task} />
      <Section title={t('Files')}>
        <TaskFiles task={task} />
      </Section>
      <Section
        title={t('Custom fields')}
        actions={isMember && <Link href={`/work/fields/${task.workspace}`}>{t('Manage fields')}</Link>}
      >
        <CustomFields task={task} />
      </Section>
      <p className="subtle task-made">
        {t('Created {created}, revision {revision}', { created: dateTime(task.created), revision: task.revision })}
      </p>
      <Tabs label={t('Details of {key}', { key: task.key })} value={value} tabs={shown} onChange={setPart}>
        <Part task={task} />
      </Tabs>
    </div>
  )
}

/** The API's limit of files of a task. */
const files_max = 50

function TaskFiles({ task }: { readonly task: Task }) {
  const change = useTaskChange()
  const store = (attachments: readonly string[]) => change.run({ id: task.id, fields: { attachments } })
  return (
    <Attachments
      label={t('Files')}
      workspace={task.workspace}
      ids={task.attachments}
      max={files_max}
      {...(!task.is_archived && { onChange: store })}
    />
  )
}
