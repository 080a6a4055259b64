/** A task with a page of its own: what links from elsewhere lead to. */
import { Link, useLocation, useParams } from 'wouter'
import { Page, SkeletonLines } from '../../design/index.ts'
import { useProjects, useTask } from './reads.ts'
import { TaskDetails } from './task-details.tsx'
import { TaskState } from './task-sheet.tsx'
import { TaskTools } from './task-tools.tsx'

export function TaskPage() {
  const { id = '' } = useParams()
  const [, navigate] = useLocation()
  const task = useTask(id)
  const projects = useProjects()
  const { data } = task
  const project = projects.data?.find((each) => each.id === data?.project)
  // What stands before the key must be known, or the key moves when it comes.
  const isPlaced = !task.isPending && (!data?.project || !projects.isPending)
  const above = data?.project ? `/work/projects/${data.project}` : '/work/tasks'
  return (
    <Page
      title={data === undefined ? id : `${data.key} ${data.title}`}
      bareTitle
      width="narrow"
      trail={
        <>
          <Link href={above}>{project?.name ?? 'Tasks'}</Link>
          {isPlaced && <span>{data?.key ?? id}</span>}
        </>
      }
      actions={data && <TaskTools task={data} onDeleted={() => navigate(above)} />}
    >
      <TaskState error={task.error} onRetry={() => void task.refetch()}>
        {data === undefined ? <SkeletonLines lines={16} /> : <TaskDetails key={data.id} task={data} />}
      </TaskState>
    </Page>
  )
}
