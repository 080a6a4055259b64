/** A project: its board, with the task of the URL parameter `task` open beside it. */
import './project.css'
import type { Project, SavedFilter } from '@atrium/sdk'
import { Archive, ArchiveRestore, Copy, MoreHorizontal, Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { FavoriteButton } from '../../app/favorites.tsx'
import { FilterBar, NoMatches } from '../../app/filter/bar.tsx'
import { useVocabulary } from '../../app/filter/vocabulary.ts'
import { LayoutLinks } from '../../app/layout-links.tsx'
import { inProject } from '../../app/project-filter.ts'
import { useWorkspaces } from '../../app/tasks/reads.ts'
import { useHasRole, useMode, useObject, useUrlChange, useUrlPanel, useWrite } from '../../data/index.ts'
import { Button, IconButton, Menu, Notice, Page, Skeleton } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { Board } from './board.tsx'
import { ShownFieldsMenu } from './field-columns.tsx'
import { NameDialog, type NameFields } from './name-dialog.tsx'
import { openNewTask } from './new-task.ts'
import { SavedFilters } from './saved-filters.tsx'
import { useBoardFilter, useTaskFilter } from './task-filter.ts'
import { useBoardPlace } from './task-order.ts'
import { panel_params, TaskSheet } from './task-sheet.tsx'
import { WatchControl } from './watch-control.tsx'

export function ProjectPage() {
  const { id = '' } = useParams()
  const mode = useMode()
  const { value: task, open, close } = useUrlPanel('task', panel_params)
  const place = useBoardPlace(task)
  const project = useObject<Project>('project', id, (atrium, given) => atrium.projects.retrieve(given))
  const { data } = project
  const { filter, saved, apply } = useTaskFilter()
  const { applied, tasks, isEmpty, isPending, fault, error } = useBoardFilter(data, filter)
  const vocabulary = useVocabulary(tasks, { project: id, workspace: data?.workspace })
  if (project.error) {
    return (
      <Page title={t('Project')} trail={<Link href="/work">{t('Work')}</Link>}>
        <ErrorState error={project.error} onRetry={() => void project.refetch()} />
      </Page>
    )
  }
  return (
    <Page
      title={data?.name ?? t('Project')}
      beside={<FavoriteButton id={id} />}
      description={
        <span className="project-about">{data === undefined ? '\u00a0' : data.description || t('No description')}</span>
      }
      width="full"
      fixed
      trail={<Trail project={data} />}
      actions={<Actions id={id} project={data} filter={filter} saved={saved} />}
      tabs={<FilterBar value={filter} onApply={apply} fault={fault} vocabulary={vocabulary} />}
    >
      {data?.status === 'archived' && (
        <Notice tone="warn" title={t('This project is archived')}>
          {t('Its tasks are read-only. To change them, restore the project from its menu.')}
        </Notice>
      )}
      {error !== null && <ErrorState error={error} />}
      {isEmpty ? (
        <NoMatches filter={filter} onApply={apply} vocabulary={vocabulary} />
      ) : (
        <Board key={`${mode} ${id}`} id={id} project={isPending ? undefined : data} onOpen={open} filter={applied} />
      )}
      {task !== null && <TaskSheet id={task} place={place} onClose={close} onOpen={open} />}
    </Page>
  )
}

interface ActionsProps {
  readonly id: string
  readonly project: Project | undefined
  /** The filter of the board, which the list takes over, in the order of the board. */
  readonly filter: string
  readonly saved: SavedFilter | undefined
}

const no_columns: readonly string[] = []

function Actions({ id, project, filter, saved }: ActionsProps) {
  const isMember = useHasRole('member')
  const change = useUrlChange()
  return (
    <>
      <LayoutLinks current="board" filter={inProject(id, filter)} />
      <SavedFilters
        current={saved}
        filter={inProject(id, filter)}
        sort={saved?.sort ?? ''}
        layout="board"
        group={saved?.group_by ?? null}
        columns={no_columns}
        onChoose={(chosen) => change({ filter: null, saved: chosen })}
      />
      <ShownFieldsMenu />
      <WatchControl subject={{ object: 'project', id }} isLarge />
      {!isMember ? null : project ? (
        <ProjectMenu project={project} />
      ) : (
        <IconButton icon={MoreHorizontal} label={t('Project actions')} kind="plain" disabled />
      )}
      <Button
        kind="primary"
        icon={Plus}
        disabled={project === undefined || project.status === 'archived'}
        onClick={() => project && openNewTask({ workspace: project.workspace, project: project.id })}
      >
        {t('New task')}
      </Button>
    </>
  )
}

function Trail({ project }: { readonly project: Project | undefined }) {
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
