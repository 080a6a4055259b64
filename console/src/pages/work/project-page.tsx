/** A project: its board, with the task of the URL parameter `task` open beside it. */
import type { Project, SavedFilter } from '@atrium/sdk'
import { Plus } from 'lucide-react'
import { Link, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { FilterBar, NoMatches } from '../../app/filter/bar.tsx'
import { useVocabulary } from '../../app/filter/vocabulary.ts'
import { LayoutLinks } from '../../app/layout-links.tsx'
import { inProject } from '../../app/project-filter.ts'
import { useMode, useObject, useUrlChange, useUrlPanel } from '../../data/index.ts'
import { Button, Notice, Page } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { Board } from './board.tsx'
import { ShownFieldsMenu } from './field-columns.tsx'
import { openNewTask } from './new-task.ts'
import { headOf, ProjectTools } from './project-head.tsx'
import { SavedFilters } from './saved-filters.tsx'
import { useBoardFilter, useTaskFilter } from './task-filter.ts'
import { useBoardPlace } from './task-order.ts'
import { panel_params, TaskSheet } from './task-sheet.tsx'

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
      {...headOf(id, data)}
      width="full"
      fixed
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
      <ProjectTools id={id} project={project} />
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
