/** Templates: what tasks that come again begin with. */
import type { TaskTemplate } from '@atrium/sdk'
import { CopyPlus, MoreHorizontal, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { toast } from '../../app/toasts.ts'
import { useAll, useAppWrite, useMode, useUrlParam, useWrite } from '../../data/index.ts'
import {
  Badge,
  Button,
  ConfirmDialog,
  duration,
  Empty,
  IconButton,
  Menu,
  Page,
  Table,
  type TableColumn,
} from '../../design/index.ts'
import { Labels, PriorityMark } from './marks.tsx'
import { useProjects, useWorkspaces } from './reads.ts'
import { TaskSheet } from './task-sheet.tsx'
import { TemplateDialog } from './template-dialog.tsx'

export function TemplatesPage() {
  const [task, setTask] = useUrlParam('task')
  const [open, setOpen] = useState<TaskTemplate | 'new' | null>(null)
  const list = useAll<TaskTemplate>('task_template', {}, (atrium) => atrium.taskTemplates.list({ limit: 100 }))
  const workspaces = useWorkspaces().data ?? []
  const projects = useProjects().data ?? []
  const placeOf = ({ workspace, project }: TaskTemplate) =>
    projects.find(({ id }) => id === project)?.name ?? workspaces.find(({ id }) => id === workspace)?.title ?? ''
  const add = (
    <Button kind="primary" icon={Plus} disabled={workspaces.length === 0} onClick={() => setOpen('new')}>
      New template
    </Button>
  )
  return (
    <Page title="Templates" description="What tasks that come again and again begin with." actions={add}>
      {list.error ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Table
          label="Templates"
          rows={list.data}
          rowKey={({ id }) => id}
          columns={columnsWith(placeOf, setOpen, setTask)}
          empty={
            <Empty icon={CopyPlus} title="No templates yet" actions={add}>
              A template has a title, a priority, labels and by when it is due. Make a task of it here, by{' '}
              <code>POST /v1/task_templates/{'{id}'}/instantiate</code>, or in an automation.
            </Empty>
          }
        />
      )}
      {open !== null && (
        <TemplateDialog {...(open === 'new' ? {} : { template: open })} onClose={() => setOpen(null)} />
      )}
      {task !== null && <TaskSheet id={task} onClose={() => setTask(null)} />}
    </Page>
  )
}

function columnsWith(
  placeOf: (template: TaskTemplate) => string,
  onEdit: (template: TaskTemplate) => void,
  onMade: (key: string) => void,
): readonly TableColumn<TaskTemplate>[] {
  return [
    { key: 'name', title: 'Name', cell: ({ name }) => <span className="cut">{name}</span> },
    {
      key: 'title',
      title: 'Title',
      from: 'wide',
      cell: ({ defaults }) => <span className="cut muted">{defaults.title ?? 'asked for'}</span>,
    },
    {
      key: 'begins',
      title: 'Begins with',
      from: 'widest',
      width: '16rem',
      cell: ({ defaults }) => (
        <span className="row">
          {defaults.priority && <PriorityMark priority={defaults.priority} />}
          {defaults.due_in_seconds !== null && <Badge>due in {duration(defaults.due_in_seconds * 1000)}</Badge>}
          <Labels labels={defaults.labels} max={2} />
        </span>
      ),
    },
    {
      key: 'place',
      title: 'Of',
      from: 'wide',
      width: '12rem',
      cell: (row) => <span className="cut">{placeOf(row)}</span>,
    },
    {
      key: 'actions',
      title: 'Actions',
      bare: true,
      width: '10rem',
      align: 'end',
      cell: (row) => <TemplateActions template={row} onEdit={() => onEdit(row)} onMade={onMade} />,
    },
  ]
}

interface TemplateActionsProps {
  readonly template: TaskTemplate
  readonly onEdit: () => void
  readonly onMade: (key: string) => void
}

function TemplateActions({ template, onEdit, onMade }: TemplateActionsProps) {
  const mode = useMode()
  const [isDeleting, setDeleting] = useState(false)
  const { id, name, workspace, defaults } = template
  const use = useWrite({
    write: (atrium, title: string | null) =>
      atrium.taskTemplates.instantiate(id, { workspace, ...(title === null ? {} : { title }) }),
    touches: ['task'],
  })
  const drop = useAppWrite('DELETE task-templates/{id}', { nouns: ['task_template'], done: () => `${name} deleted` })
  const make = async () => {
    const made = await use.run(defaults.title === null ? name : null)
    if (made === undefined) return
    toast({ text: `${made.key} made from ${name}`, tone: 'good' })
    onMade(made.key)
  }
  return (
    <span className="row" style={{ justifyContent: 'flex-end' }}>
      <Button size="s" busy={use.busy} onClick={() => void make()}>
        Use<span className="unseen"> {name}</span>
      </Button>
      <Menu
        label={name}
        trigger={<IconButton icon={MoreHorizontal} label={`More about ${name}`} size="s" />}
        items={[
          { label: 'Edit…', icon: Pencil, onSelect: onEdit },
          { label: 'Delete…', icon: Trash2, danger: true, onSelect: () => setDeleting(true) },
        ]}
      />
      <ConfirmDialog
        open={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete “${name}”?`}
        action="Delete"
        busy={drop.busy}
        onConfirm={() => void drop.run({ params: { id }, body: { mode } }).then(() => setDeleting(false))}
      >
        Tasks that were made from it stay. Automations that use it fail until they are changed.
      </ConfirmDialog>
    </span>
  )
}
