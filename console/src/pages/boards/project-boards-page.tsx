/** The whiteboards of a project, beside the layouts of its tasks. A file dropped on the page becomes a new board of the project. */
import './boards.css'
import type { Project, Workspace } from '@atrium/sdk'
import { ImageUp, PenTool, Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { LayoutLinks } from '../../app/layout-links.tsx'
import { inProject } from '../../app/project-filter.ts'
import { useShortcut } from '../../app/shortcuts.ts'
import { useHasRole, useObject, useUrlParam } from '../../data/index.ts'
import { Button, Empty, Notice, Page, Skeleton } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { BoardGrid } from './board-grid.tsx'
import { useImport } from './import-drawing.tsx'
import { CreateDialog } from './name-dialog.tsx'
import { useBoards, useProject } from './reads.ts'

export function ProjectBoardsPage() {
  const { id = '' } = useParams()
  const { data, error, refetch } = useProject(id)
  if (error && data === undefined) {
    return (
      <Page title={t('Whiteboards')} trail={<Link href="/work">{t('Work')}</Link>}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  return <ProjectBoards id={id} project={data} />
}

function ProjectBoards({ id, project }: { readonly id: string; readonly project: Project | undefined }) {
  const [filter] = useUrlParam('filter')
  const [isCreating, setCreating] = useState(false)
  const [, navigate] = useLocation()
  const list = useBoards(false, id)
  const isMember = useHasRole('member')
  const isActive = project?.status === 'active' && isMember
  const importing = useImport(null, ({ id: made }) => navigate(`/boards/${made}`), isActive && !isCreating, id)
  const create = () => isActive && setCreating(true)
  useShortcut('n', t('New whiteboard'), create)
  const rows = list.rows?.filter((board) => board.status === 'active' && board.project === id)
  return (
    <Page
      title={project?.name ?? t('Project')}
      description={project === undefined ? ' ' : project.description || t('No description')}
      width="full"
      trail={<Trail project={project} />}
      actions={
        <>
          <LayoutLinks current="whiteboards" filter={inProject(id, filter ?? '')} />
          <Button icon={ImageUp} busy={importing.busy} disabled={!isActive} onClick={importing.choose}>
            {t('Import')}
          </Button>
          <Button kind="primary" icon={Plus} disabled={!isActive} onClick={create}>
            {t('New whiteboard')}
          </Button>
        </>
      }
    >
      {importing.surface}
      {isCreating && <CreateDialog project={id} onClose={() => setCreating(false)} />}
      {project?.status === 'archived' && (
        <Notice tone="warn" title={t('This project is archived')}>
          {t('Its whiteboards can be changed. To attach others, restore the project from its menu.')}
        </Notice>
      )}
      <BoardGrid
        label={t('Whiteboards')}
        list={list}
        rows={rows}
        empty={<NoBoards isActive={isActive} onCreate={create} />}
      />
    </Page>
  )
}

function Trail({ project }: { readonly project: Project | undefined }) {
  const { data } = useObject<Workspace>('workspace', project?.workspace ?? null, (atrium, given, signal) =>
    atrium.workspaces.retrieve(given, {}, { signal }),
  )
  return (
    <>
      <Link href="/work">{t('Work')}</Link>
      {data === undefined ? <Skeleton width="6rem" /> : <Link href={`/work/workspaces/${data.id}`}>{data.title}</Link>}
    </>
  )
}

function NoBoards({ isActive, onCreate }: { readonly isActive: boolean; readonly onCreate: () => void }) {
  return (
    <Empty
      icon={PenTool}
      title={t('No whiteboards yet')}
      actions={
        isActive && (
          <Button icon={Plus} onClick={onCreate}>
            {t('New whiteboard')}
          </Button>
        )
      }
    >
      {t(
        'Draw plans and sketches of this project together, and turn notes into its tasks. To attach an existing board, choose “Attach to project…” in its menu.',
      )}
    </Empty>
  )
}
