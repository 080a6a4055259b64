/** Workspaces with their projects: where work begins. */
import './overview.css'
import type { Project, Workspace } from '@atrium/sdk'
import { FolderKanban, Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useUrlParam, useWrite } from '../../data/index.ts'
import { Badge, Button, Empty, IconButton, Page, RelativeTime, Section, Skeleton, Switch } from '../../design/index.ts'
import { NameDialog } from './name-dialog.tsx'
import { useProjects, useWorkspaces } from './reads.ts'

export function OverviewPage() {
  const { id } = useParams()
  const workspaces = useWorkspaces()
  const projects = useProjects()
  const [archived, setArchived] = useUrlParam('archived')
  const [isMaking, setMaking] = useState(false)
  const [, navigate] = useLocation()
  const make = useWrite({
    write: (atrium, { name }: { name: string; description: string | null }) =>
      atrium.workspaces.create({ title: name }),
    done: ({ title }) => `${title} made`,
    toastErrors: false,
  })
  const error = workspaces.error ?? projects.error
  const shown = workspaces.data?.filter((workspace) => id === undefined || workspace.id === id)
  const hasArchived = projects.data?.some(({ status }) => status === 'archived') ?? false
  const title = id === undefined ? 'Work' : (shown?.[0]?.title ?? 'Workspace')
  return (
    <Page
      title={title}
      {...(id === undefined ? { description: 'Workspaces hold projects; projects hold tasks, in columns.' } : {})}
      trail={id === undefined ? undefined : <Link href="/work">Work</Link>}
      actions={
        <>
          {hasArchived && (
            <Switch
              label="Archived"
              checked={archived !== null}
              onChange={(checked) => setArchived(checked ? 'shown' : null)}
            />
          )}
          {id === undefined && (
            <Button icon={Plus} onClick={() => setMaking(true)}>
              New workspace
            </Button>
          )}
        </>
      }
    >
      {error ? (
        <ErrorState
          error={error}
          onRetry={() => {
            void workspaces.refetch()
            void projects.refetch()
          }}
        />
      ) : shown === undefined || projects.data === undefined ? (
        <ProjectsComing />
      ) : shown.length === 0 ? (
        <NoWorkspace isOne={id !== undefined} onMake={() => setMaking(true)} />
      ) : (
        shown.map((workspace) => (
          <WorkspaceView
            key={workspace.id}
            workspace={workspace}
            projects={(projects.data ?? []).filter(
              (project) => project.workspace === workspace.id && (project.status !== 'archived' || archived !== null),
            )}
          />
        ))
      )}
      {isMaking && (
        <NameDialog
          title="New workspace"
          action="Make it"
          hint="A team or a client. Its name gives the letters in front of its tasks’ numbers."
          write={make}
          onClose={() => setMaking(false)}
          onDone={(made) => navigate(`/work/workspaces/${made}`)}
        />
      )}
    </Page>
  )
}

function NoWorkspace({ isOne, onMake }: { readonly isOne: boolean; readonly onMake: () => void }) {
  if (isOne) {
    return (
      <Empty title="There is no such workspace">
        It may belong to the other mode: look whether you see live or test data.
      </Empty>
    )
  }
  return (
    <Empty
      icon={FolderKanban}
      title="No workspace yet"
      actions={
        <Button kind="primary" icon={Plus} onClick={onMake}>
          New workspace
        </Button>
      }
    >
      A workspace keeps the projects of a team or a client together. Programs make one with{' '}
      <code>POST /v1/workspaces</code>.
    </Empty>
  )
}

interface WorkspaceViewProps {
  readonly workspace: Workspace
  readonly projects: readonly Project[]
}

function WorkspaceView({ workspace, projects }: WorkspaceViewProps) {
  const [open, setOpen] = useState<'project' | 'rename' | null>(null)
  const [, navigate] = useLocation()
  const close = () => setOpen(null)
  const { id, title, key } = workspace
  const make = useWrite({
    write: (atrium, { name, description }: { name: string; description: string | null }) =>
      atrium.projects.create({ workspace: id, name, ...(description === null ? {} : { description }) }),
    done: (made) => `${made.name} made`,
    toastErrors: false,
  })
  const rename = useWrite({
    write: (atrium, { name }: { name: string; description: string | null }) =>
      atrium.workspaces.update(id, { title: name }),
    done: (made) => `Now called ${made.title}`,
    undo: () => (atrium) => atrium.workspaces.update(id, { title }),
    toastErrors: false,
  })
  return (
    <Section
      title={
        <span className="row">
          <Link href={`/work/workspaces/${id}`}>{title}</Link>
          <span className="subtle task-key">{key}</span>
        </span>
      }
      actions={
        <>
          <IconButton icon={Pencil} label={`Rename ${title}`} size="s" onClick={() => setOpen('rename')} />
          <Button size="s" icon={Plus} onClick={() => setOpen('project')}>
            New project<span className="unseen"> in {title}</span>
          </Button>
        </>
      }
    >
      {projects.length === 0 ? (
        <Empty
          icon={FolderKanban}
          title="No projects"
          actions={<Button onClick={() => setOpen('project')}>Make the first</Button>}
        >
          A project is a board: columns from left to right, and tasks that move through them.
        </Empty>
      ) : (
        <ul className="grid" style={{ '--least': '18rem' } as never} aria-label={`Projects of ${title}`}>
          {projects.map((project) => (
            <ProjectCard key={project.id} project={project} />
          ))}
        </ul>
      )}
      {open === 'project' && (
        <NameDialog
          title={`New project in ${title}`}
          action="Make it"
          description=""
          write={make}
          onClose={close}
          onDone={(made) => navigate(`/work/projects/${made}`)}
        />
      )}
      {open === 'rename' && (
        <NameDialog title="Rename the workspace" action="Rename" name={title} write={rename} onClose={close} />
      )}
    </Section>
  )
}

function ProjectCard({ project }: { readonly project: Project }) {
  const { id, name, description, status, updated } = project
  return (
    <li className="project-card">
      <div className="row">
        <Link href={`/work/projects/${id}`} className="project-link cut">
          {name}
        </Link>
        {status === 'archived' && <Badge>Archived</Badge>}
      </div>
      <p className="project-text">{description}</p>
      <p className="subtle project-when">
        Changed <RelativeTime at={updated} />
      </p>
    </li>
  )
}

function ProjectsComing() {
  return (
    <div className="grid" style={{ '--least': '18rem' } as never} aria-busy="true">
      {['a', 'b', 'c', 'd', 'e', 'f'].map((each) => (
        <Skeleton key={each} height="7rem" />
      ))}
    </div>
  )
}
