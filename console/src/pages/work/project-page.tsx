/** A project: its tasks as a board, column by column. What is open beside it stands in the URL as `task`. */
import './project.css'
import type { Project } from '@atrium/sdk'
import { Archive, Copy, List, MoreHorizontal, Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useMode, useObject, useUrlParam, useWrite } from '../../data/index.ts'
import { Button, ButtonLink, IconButton, Menu, Notice, Page, Skeleton } from '../../design/index.ts'
import { Board } from './board.tsx'
import { NameDialog } from './name-dialog.tsx'
import { newTask } from './new-task.ts'
import { useWorkspaces } from './reads.ts'
import { TaskSheet } from './task-sheet.tsx'

export function ProjectPage() {
  const { id = '' } = useParams()
  const mode = useMode()
  const [task, setTask] = useUrlParam('task')
  const project = useObject<Project>('project', id, (atrium, given) => atrium.projects.retrieve(given))
  const { data } = project
  if (project.error) {
    return (
      <Page title="Project" trail={<Link href="/work">Work</Link>}>
        <ErrorState error={project.error} onRetry={() => void project.refetch()} />
      </Page>
    )
  }
  return (
    <Page
      title={data?.name ?? 'Project'}
      description={
        <span className="project-about">{data === undefined ? '\u00a0' : data.description || 'No description'}</span>
      }
      width="full"
      fixed
      trail={<Trail project={data} />}
      actions={
        <>
          <ButtonLink to={listPath(id)} icon={List}>
            List
          </ButtonLink>
          {data ? (
            <ProjectMenu project={data} />
          ) : (
            <IconButton icon={MoreHorizontal} label="More" kind="plain" disabled />
          )}
          <Button
            kind="primary"
            icon={Plus}
            disabled={data === undefined || data.status === 'archived'}
            onClick={() => data && newTask({ workspace: data.workspace, project: data.id })}
          >
            New task
          </Button>
        </>
      }
    >
      {data?.status === 'archived' && (
        <Notice tone="warn" title="This project is archived">
          Its tasks can be read, not changed. Bring it back from the menu to go on.
        </Notice>
      )}
      <Board key={`${mode} ${id}`} id={id} project={data} onOpen={setTask} />
      {task !== null && <TaskSheet id={task} onClose={() => setTask(null)} />}
    </Page>
  )
}

function listPath(project: string): string {
  return `/work/tasks?${new URLSearchParams({ filter: `project = ${project}` })}`
}

function Trail({ project }: { readonly project: Project | undefined }) {
  const workspaces = useWorkspaces()
  const title = workspaces.data?.find(({ id }) => id === project?.workspace)?.title
  return (
    <>
      <Link href="/work">Work</Link>
      {project && title !== undefined ? (
        <Link href={`/work/workspaces/${project.workspace}`}>{title}</Link>
      ) : (
        <Skeleton width="6rem" />
      )}
    </>
  )
}

function ProjectMenu({ project }: { readonly project: Project }) {
  const [, navigate] = useLocation()
  const [isRenaming, setRenaming] = useState(false)
  const rename = useWrite({
    write: (atrium, { name, description }: { name: string; description: string | null }) =>
      atrium.projects.update(project.id, { name, description: description ?? '' }),
    done: ({ name }) => `${name} saved`,
    toastErrors: false,
  })
  const archive = useWrite({
    write: (atrium, id: string) => atrium.projects.archive(id),
    touches: ['task'],
    done: ({ name }) => `${name} archived`,
    undo:
      ({ id }) =>
      (atrium) =>
        atrium.projects.update(id, { archived_at: null }),
  })
  const restore = useWrite({
    write: (atrium, id: string) => atrium.projects.update(id, { archived_at: null }),
    touches: ['task'],
    done: ({ name }) => `${name} is active again`,
  })
  const duplicate = useWrite({
    write: (atrium, id: string) => atrium.projects.duplicate(id),
    touches: ['task', 'column'],
    done: ({ name }) => `${name} made`,
  })
  const copy = async () => {
    const made = await duplicate.run(project.id)
    if (made !== undefined) navigate(`/work/projects/${made.id}`)
  }
  const isArchived = project.status === 'archived'
  return (
    <>
      <Menu
        label="Project"
        trigger={<IconButton icon={MoreHorizontal} label="More about this project" kind="plain" />}
        items={[
          { label: 'Rename…', icon: Pencil, disabled: isArchived, onSelect: () => setRenaming(true) },
          { label: 'Duplicate', icon: Copy, onSelect: () => void copy() },
          'line',
          isArchived
            ? { label: 'Bring back', icon: Archive, onSelect: () => void restore.run(project.id) }
            : { label: 'Archive', icon: Archive, onSelect: () => void archive.run(project.id) },
        ]}
      />
      {isRenaming && (
        <NameDialog
          title="Rename the project"
          action="Save"
          name={project.name}
          description={project.description}
          write={rename}
          onClose={() => setRenaming(false)}
        />
      )}
    </>
  )
}
