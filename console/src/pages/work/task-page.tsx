/** A task as a page, the target of links from elsewhere. */
import { Link, useLocation, useParams } from 'wouter'
import { useAllFields } from '../../app/tasks/field-reads.ts'
import { useProjects, useTask } from '../../app/tasks/reads.ts'
import { Page, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { TaskDetails } from './task-details.tsx'
import { TaskState } from './task-sheet.tsx'
import { TaskTools } from './task-tools.tsx'

export function TaskPage() {
  const { id = '' } = useParams()
  const [, navigate] = useLocation()
  const task = useTask(id)
  const projects = useProjects()
  // Read with the task, which waits for them.
  useAllFields()
  const { data } = task
  const project = projects.data?.find((each) => each.id === data?.project)
  // The key waits for the project's name before it, which would move it.
  const isTrailKnown = !task.isPending && (!data?.project || !projects.isPending)
  const parent = data?.project ? `/work/projects/${data.project}` : '/work/tasks'
  return (
    <Page
      title={data === undefined ? id : `${data.key} ${data.title}`}
      hiddenTitle
      width="narrow"
      trail={
        <>
          <Link href={parent}>{project?.name ?? t('Tasks')}</Link>
          {isTrailKnown && <span>{data?.key ?? id}</span>}
        </>
      }
      actions={data && <TaskTools task={data} onDeleted={() => navigate(parent)} />}
    >
      <TaskState error={task.error} onRetry={() => void task.refetch()}>
        {data === undefined ? <SkeletonLines lines={16} /> : <TaskDetails key={data.id} task={data} />}
      </TaskState>
    </Page>
  )
}
