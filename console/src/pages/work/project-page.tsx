/** A project: its board, with the task of the URL parameter `task` open beside it. */
import './project.css'
import type { Project } from '@atrium/sdk'
import { Archive, ArchiveRestore, Copy, List, MoreHorizontal, Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useMode, useObject, useUrlParam, useWrite } from '../../data/index.ts'
import { Button, ButtonLink, IconButton, Menu, Notice, Page, Skeleton } from '../../design/index.ts'
import { Board } from './board.tsx'
import { NameDialog, type NameFields } from './name-dialog.tsx'
import { openNewTask } from './new-task.ts'
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
      actions={<Actions id={id} project={data} />}
    >
      {data?.status === 'archived' && (
        <Notice tone="warn" title="This project is archived">
          Its tasks are read-only. To change them, restore the project from its menu.
        </Notice>
      )}
      <Board key={`${mode} ${id}`} id={id} project={data} onOpen={setTask} />
      {task !== null && <TaskSheet id={task} onClose={() => setTask(null)} />}
    </Page>
  )
}

function Actions({ id, project }: { readonly id: string; readonly project: Project | undefined }) {
  return (
    <>
      <ButtonLink to={`/work/tasks?${new URLSearchParams({ filter: `project = ${id}` })}`} icon={List}>
        List
      </ButtonLink>
      {project ? (
        <ProjectMenu project={project} />
      ) : (
        <IconButton icon={MoreHorizontal} label="Project actions" kind="plain" disabled />
      )}
      <Button
        kind="primary"
        icon={Plus}
        disabled={project === undefined || project.status === 'archived'}
        onClick={() => project && openNewTask({ workspace: project.workspace, project: project.id })}
      >
        New task
      </Button>
    </>
  )
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
  const [isEditing, setEditing] = useState(false)
  const { archive, restore, duplicate } = useProjectWrites()
  const [, navigate] = useLocation()
  const { id } = project
  const isArchived = project.status === 'archived'
  const copy = async () => {
    const created = await duplicate.run(id)
    if (created !== undefined) navigate(`/work/projects/${created.id}`)
  }
  return (
    <>
      <Menu
        label="Project"
        trigger={<IconButton icon={MoreHorizontal} label="Project actions" kind="plain" />}
        items={[
          { label: 'Edit…', icon: Pencil, disabled: isArchived, onSelect: () => setEditing(true) },
          { label: 'Duplicate', icon: Copy, onSelect: () => void copy() },
          'line',
          isArchived
            ? { label: 'Restore', icon: ArchiveRestore, onSelect: () => void restore.run(id) }
            : { label: 'Archive', icon: Archive, onSelect: () => void archive.run(id) },
        ]}
      />
      {isEditing && <EditProject project={project} onClose={() => setEditing(false)} />}
    </>
  )
}

function useProjectWrites() {
  const archive = useWrite({
    write: (atrium, id: string) => atrium.projects.archive(id),
    invalidates: ['task'],
    done: ({ name }) => `${name} archived`,
    undo:
      ({ id }) =>
      (atrium) =>
        atrium.projects.update(id, { archived_at: null }),
  })
  const restore = useWrite({
    write: (atrium, id: string) => atrium.projects.update(id, { archived_at: null }),
    invalidates: ['task'],
    done: ({ name }) => `${name} restored`,
  })
  const duplicate = useWrite({
    write: (atrium, id: string) => atrium.projects.duplicate(id),
    invalidates: ['task', 'column'],
    done: ({ name }) => `${name} created`,
  })
  return { archive, restore, duplicate }
}

function EditProject({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) {
  const write = useWrite({
    write: (atrium, { name, description }: NameFields) =>
      atrium.projects.update(project.id, { name, description: description ?? '' }),
    done: ({ name }) => `${name} saved`,
    toastErrors: false,
  })
  return (
    <NameDialog
      title="Edit project"
      action="Save"
      name={project.name}
      description={project.description}
      write={write}
      onClose={onClose}
    />
  )
}
