/**
 * What stands above the tasks of a project in every layout: the way back, its name and description, who watches it, and its
 * menu. A layout is that of a project while its filter is limited to one; the bar then shows the other conditions.
 */
import './project.css'
import type { Project } from '@atrium/sdk'
import { Archive, ArchiveRestore, Copy, MoreHorizontal, Pencil } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { FavoriteButton } from '../../app/favorites.tsx'
import { type FilterFault, faultWithin } from '../../app/filter/fault.ts'
import { inProject, projectOf } from '../../app/project-filter.ts'
import { useWorkspaces } from '../../app/tasks/reads.ts'
import { useHasRole, useObject, useWrite } from '../../data/index.ts'
import { IconButton, Menu, type Page, Skeleton } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { NameDialog, type NameFields } from './name-dialog.tsx'
import { WatchControl } from './watch-control.tsx'

interface TasksHead {
  /** Of the page. */
  readonly head: Pick<ComponentProps<typeof Page>, 'title' | 'beside' | 'description' | 'trail'>
  readonly tools: ReactNode
  /** Of the filter bar: the filter without the project, and where its fault is in that. */
  readonly barOf: (fault: FilterFault | null) => {
    readonly value: string
    readonly onApply: (text: string) => void
    readonly fault: FilterFault | null
  }
}

/** `title` names the layout for tasks of any project. */
export function useTasksHead(title: string, filter: string, apply: (text: string) => void): TasksHead {
  const { project: id, rest } = projectOf(filter)
  const { data, error } = useObject<Project>('project', id, (atrium, given) => atrium.projects.retrieve(given))
  if (id === null || (error !== null && data === undefined)) {
    return { head: { title }, tools: null, barOf: (fault) => ({ value: filter, onApply: apply, fault }) }
  }
  return {
    head: headOf(id, data),
    tools: <ProjectTools id={id} project={data} />,
    barOf: (fault) => ({
      value: rest,
      onApply: (text) => apply(inProject(id, text)),
      fault: fault && faultWithin(fault, filter.lastIndexOf(rest)),
    }),
  }
}

/** Takes the same room before the project is read. */
export function headOf(id: string, project: Project | undefined): TasksHead['head'] {
  const about = project === undefined ? '\u00a0' : project.description || t('No description')
  return {
    title: project?.name ?? t('Project'),
    // A name that arrives would push it aside.
    beside: project && <FavoriteButton id={id} />,
    description: <span className="project-about">{about}</span>,
    trail: <ProjectTrail project={project} />,
  }
}

function ProjectTrail({ project }: { readonly project: Project | undefined }) {
  const workspaces = useWorkspaces()
  const title = workspaces.data?.find(({ id }) => id === project?.workspace)?.title
  return (
    <>
      <Link href="/work">{t('Work')}</Link>
      {project && title !== undefined ? (
        <Link href={`/work/workspaces/${project.workspace}`}>{title}</Link>
      ) : (
        <Skeleton width="6rem" />
      )}
    </>
  )
}

interface ProjectToolsProps {
  readonly id: string
  readonly project: Project | undefined
}

export function ProjectTools({ id, project }: ProjectToolsProps) {
  const isMember = useHasRole('member')
  return (
    <>
      <WatchControl subject={{ object: 'project', id }} isLarge />
      {!isMember ? null : project ? (
        <ProjectMenu project={project} />
      ) : (
        <IconButton icon={MoreHorizontal} label={t('Project actions')} kind="plain" disabled />
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
        label={t('Project')}
        trigger={<IconButton icon={MoreHorizontal} label={t('Project actions')} kind="plain" />}
        items={[
          { label: t('Edit…'), icon: Pencil, disabled: isArchived, onSelect: () => setEditing(true) },
          { label: t('Duplicate'), icon: Copy, onSelect: () => void copy() },
          'line',
          isArchived
            ? { label: t('Restore'), icon: ArchiveRestore, onSelect: () => void restore.run(id) }
            : { label: t('Archive'), icon: Archive, onSelect: () => void archive.run(id) },
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
    done: ({ name }) => t('{name} archived', { name }),
    undo:
      ({ id }) =>
      (atrium) =>
        atrium.projects.update(id, { archived_at: null }),
  })
  const restore = useWrite({
    write: (atrium, id: string) => atrium.projects.update(id, { archived_at: null }),
    invalidates: ['task'],
    done: ({ name }) => t('{name} restored', { name }),
  })
  const duplicate = useWrite({
    write: (atrium, id: string) => atrium.projects.duplicate(id),
    invalidates: ['task', 'column'],
    done: ({ name }) => t('{name} created', { name }),
  })
  return { archive, restore, duplicate }
}

function EditProject({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) {
  const write = useWrite({
    write: (atrium, { name, description }: NameFields) =>
      atrium.projects.update(project.id, { name, description: description ?? '' }),
    done: ({ name }) => t('{name} saved', { name }),
    toastErrors: false,
  })
  return (
    <NameDialog
      title={t('Edit project')}
      action={t('Save')}
      name={project.name}
      description={project.description}
      write={write}
      onClose={onClose}
    />
  )
}
