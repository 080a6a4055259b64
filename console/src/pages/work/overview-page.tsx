/** The workspaces of the organization with their projects, or one workspace. */
import './overview.css'
import type { Project, Workspace } from '@atrium/sdk'
import { FileUp, FolderKanban, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useProjects, useWorkspaces } from '../../app/tasks/reads.ts'
import { useHasRole, useUrlParam, useWrite } from '../../data/index.ts'
import {
  Badge,
  Button,
  ButtonLink,
  Empty,
  IconButton,
  Page,
  Progress,
  RelativeTime,
  Section,
  Skeleton,
  Switch,
} from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'
import { DeleteWorkspaceDialog } from './delete-workspace-dialog.tsx'
import { NameDialog, type NameFields } from './name-dialog.tsx'
import { type Progress as ProgressOf, useLastChange, useProgress } from './project-progress.ts'

export function OverviewPage() {
  const { id } = useParams()
  const isMember = useHasRole('member')
  const workspaces = useWorkspaces()
  const projects = useProjects()
  const [archived, setArchived] = useUrlParam('archived')
  const [isCreating, setCreating] = useState(false)
  const hasArchived = projects.data?.some(({ status }) => status === 'archived') ?? false
  const workspace = workspaces.data?.find((each) => each.id === id)
  const isOverview = id === undefined
  return (
    <Page
      title={isOverview ? t('Work') : (workspace?.title ?? t('Workspace'))}
      description={isOverview ? t('Workspaces contain projects, and projects contain tasks.') : undefined}
      trail={isOverview ? undefined : <Link href="/work">{t('Work')}</Link>}
      actions={
        <>
          {hasArchived && (
            <Switch
              label={t('Show archived')}
              checked={archived !== null}
              onChange={(checked) => setArchived(checked ? 'shown' : null)}
            />
          )}
          {isOverview && isMember && (
            <ButtonLink icon={FileUp} to="/work/import">
              {t('Import')}
            </ButtonLink>
          )}
          {isOverview && isMember && (
            <Button icon={Plus} onClick={() => setCreating(true)}>
              {t('New workspace')}
            </Button>
          )}
        </>
      }
    >
      <Workspaces
        workspaces={workspaces}
        projects={projects}
        only={id}
        showsArchived={archived !== null}
        onCreate={() => setCreating(true)}
      />
      {isCreating && <NewWorkspace onClose={() => setCreating(false)} />}
    </Page>
  )
}

interface WorkspacesProps {
  readonly workspaces: ReturnType<typeof useWorkspaces>
  readonly projects: ReturnType<typeof useProjects>
  /** The ID of the only workspace to show. */
  readonly only: string | undefined
  readonly showsArchived: boolean
  readonly onCreate: () => void
}

function Workspaces({ workspaces, projects, only, showsArchived, onCreate }: WorkspacesProps) {
  const error = workspaces.error ?? projects.error
  if (error) {
    const retry = () => {
      void workspaces.refetch()
      void projects.refetch()
    }
    return <ErrorState error={error} onRetry={retry} />
  }
  if (workspaces.data === undefined || projects.data === undefined) return <ProjectSkeletons />
  const shown = workspaces.data.filter(({ id }) => only === undefined || id === only)
  if (shown.length === 0) return only === undefined ? <NoWorkspaces onCreate={onCreate} /> : <WorkspaceNotFound />
  const visible = projects.data.filter(({ status }) => status !== 'archived' || showsArchived)
  return shown.map((workspace) => (
    <WorkspaceView
      key={workspace.id}
      workspace={workspace}
      projects={visible.filter((project) => project.workspace === workspace.id)}
    />
  ))
}

function NewWorkspace({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation()
  const write = useWrite({
    write: (atrium, { name }: NameFields) => atrium.workspaces.create({ title: name }),
    done: ({ title }) => t('{title} created', { title }),
    toastErrors: false,
  })
  return (
    <NameDialog
      title={t('New workspace')}
      action={t('Create')}
      hint={t('A team or a client. Letters of the name start the keys of its tasks, such as KEP-42.')}
      write={write}
      onClose={onClose}
      onDone={(created) => navigate(`/work/workspaces/${created}`)}
    />
  )
}

function WorkspaceNotFound() {
  return (
    <Empty title={t('Workspace not found')}>
      {t('It may be in the other mode: check whether you are looking at live or test data.')}
    </Empty>
  )
}

function NoWorkspaces({ onCreate }: { readonly onCreate: () => void }) {
  const isMember = useHasRole('member')
  if (!isMember) {
    return (
      <Empty icon={FolderKanban} title={t('No projects yet')}>
        {t('An owner or admin chooses the projects that you see as a guest.')}
      </Empty>
    )
  }
  return (
    <Empty
      icon={FolderKanban}
      title={t('No workspaces yet')}
      actions={
        <Button kind="primary" icon={Plus} onClick={onCreate}>
          {t('New workspace')}
        </Button>
      }
    >
      {t('A workspace contains the projects of a team or a client.')}
    </Empty>
  )
}

interface WorkspaceViewProps {
  readonly workspace: Workspace
  readonly projects: readonly Project[]
}

function WorkspaceView({ workspace, projects }: WorkspaceViewProps) {
  const progress = useProgress()
  const isMember = useHasRole('member')
  const [dialog, setDialog] = useState<'project' | 'rename' | 'delete' | null>(null)
  const [, navigate] = useLocation()
  const close = () => setDialog(null)
  const { id, title, key } = workspace
  return (
    <Section
      title={
        <span className="row">
          <Link href={`/work/workspaces/${id}`}>{title}</Link>
          <span className="subtle task-key">{key}</span>
        </span>
      }
      actions={
        isMember && (
          <>
            <IconButton
              icon={Pencil}
              label={t('Rename {title}', { title })}
              size="s"
              onClick={() => setDialog('rename')}
            />
            <IconButton
              icon={Trash2}
              label={t('Delete {title}', { title })}
              size="s"
              onClick={() => setDialog('delete')}
            />
            <ButtonLink size="s" kind="quiet" to={`/work/fields/${id}`}>
              {rich('Fields{span}', { span: <span className="unseen"> {t('of {title}', { title })}</span> })}
            </ButtonLink>
            <Button size="s" icon={Plus} onClick={() => setDialog('project')}>
              {rich('New project{span}', { span: <span className="unseen"> {t('in {title}', { title })}</span> })}
            </Button>
          </>
        )
      }
    >
      {projects.length === 0 ? (
        <Empty
          icon={FolderKanban}
          title={t('No projects yet')}
          actions={
            <>
              <Button onClick={() => setDialog('project')}>{t('New project')}</Button>
              <ButtonLink to="/work/import">{t('Import')}</ButtonLink>
            </>
          }
        >
          {t('A project shows its tasks on a board, in columns from left to right.')}
        </Empty>
      ) : (
        <ul className="grid" style={{ '--least': '18rem' }} aria-label={t('Projects of {title}', { title })}>
          {projects.map((project) => (
            <ProjectCard key={project.id} project={project} progress={progress?.get(project.id)} />
          ))}
        </ul>
      )}
      {dialog === 'project' && <NewProject workspace={workspace} onClose={close} />}
      {dialog === 'rename' && <RenameWorkspace workspace={workspace} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteWorkspaceDialog workspace={workspace} onClose={close} onDeleted={() => navigate('/work')} />
      )}
    </Section>
  )
}

interface WorkspaceDialogProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

function NewProject({ workspace: { id, title }, onClose }: WorkspaceDialogProps) {
  const [, navigate] = useLocation()
  const write = useWrite({
    write: (atrium, { name, description }: NameFields) =>
      atrium.projects.create({ workspace: id, name, ...(description !== null && { description }) }),
    done: ({ name }) => t('{name} created', { name }),
    toastErrors: false,
  })
  return (
    <NameDialog
      title={t('New project in {title}', { title })}
      action={t('Create')}
      description=""
      write={write}
      onClose={onClose}
      onDone={(created) => navigate(`/work/projects/${created}`)}
    />
  )
}

function RenameWorkspace({ workspace: { id, title }, onClose }: WorkspaceDialogProps) {
  const write = useWrite({
    write: (atrium, { name }: NameFields) => atrium.workspaces.update(id, { title: name }),
    done: (renamed) => t('Renamed to {title}', { title: renamed.title }),
    undo: () => (atrium) => atrium.workspaces.update(id, { title }),
    toastErrors: false,
  })
  return <NameDialog title={t('Rename workspace')} action={t('Rename')} name={title} write={write} onClose={onClose} />
}

interface ProjectCardProps {
  readonly project: Project
  /** Undefined without tasks, and until it is read. */
  readonly progress: ProgressOf | undefined
}

function ProjectCard({ project, progress }: ProjectCardProps) {
  const { id, name, description, status } = project
  const changed = useLastChange(project)
  return (
    <li className="project-card">
      <div className="row">
        <Link href={`/work/projects/${id}`} className="project-link cut">
          {name}
        </Link>
        {status === 'archived' && <Badge>{t('Archived')}</Badge>}
      </div>
      <p className="project-text">{description}</p>
      <p className="subtle project-when">
        {progress && t('{done} of {all} done · ', { done: progress.done, all: progress.all })}
        {t('Changed')} <RelativeTime at={changed} />
      </p>
      {/* The place is kept, because the numbers arrive after the card. */}
      <div className="project-progress">
        {progress && (
          <Progress label={t('Progress of {name}', { name })} value={progress.done / Math.max(1, progress.all)} />
        )}
      </div>
    </li>
  )
}

function ProjectSkeletons() {
  return (
    <div className="grid" style={{ '--least': '18rem' }} aria-busy="true">
      {['a', 'b', 'c', 'd', 'e', 'f'].map((each) => (
        <Skeleton key={each} height="8rem" />
      ))}
    </div>
  )
}
