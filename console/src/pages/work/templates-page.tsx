/** Task templates: the fields that recurring tasks start with. */
import type { TaskTemplate } from '@atrium/sdk'
import { CopyPlus, MoreHorizontal, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { Labels, PriorityMark } from '../../app/tasks/marks.tsx'
import { useProjects, useWorkspaces } from '../../app/tasks/reads.ts'
import { toast } from '../../app/toasts.ts'
import { useAll, useAppWrite, useMode, useUrlParam, useWrite } from '../../data/index.ts'
import {
  Badge,
  Button,
  ConfirmDialog,
  Empty,
  IconButton,
  Menu,
  Page,
  Table,
  type TableColumn,
} from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'
import { TaskSheet } from './task-sheet.tsx'
import { TemplateDialog } from './template-dialog.tsx'

const day_s = 86_400

export function TemplatesPage() {
  const [task, setTask] = useUrlParam('task')
  const [open, setOpen] = useState<TaskTemplate | 'new' | null>(null)
  const list = useAll<TaskTemplate>('task_template', {}, (atrium) => atrium.taskTemplates.list({ limit: 100 }))
  const workspaces = useWorkspaces().data ?? []
  const projects = useProjects().data ?? []
  const targetName = ({ workspace, project }: TaskTemplate) =>
    projects.find(({ id }) => id === project)?.name ?? workspaces.find(({ id }) => id === workspace)?.title ?? ''
  const create = (
    <Button kind="primary" icon={Plus} disabled={workspaces.length === 0} onClick={() => setOpen('new')}>
      {t('New template')}
    </Button>
  )
  return (
    <Page title={t('Templates')} description={t('Create recurring tasks from a template.')} actions={create}>
      {list.error ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Table
          label={t('Templates')}
          rows={list.data}
          rowKey={({ id }) => id}
          columns={columnsWith(targetName, setOpen, setTask)}
          empty={
            <Empty icon={CopyPlus} title={t('No templates yet')} actions={create}>
              {t(
                'A template sets the title, priority, labels and due date of new tasks. Use it here or in an automation.',
              )}
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
  targetName: (template: TaskTemplate) => string,
  onEdit: (template: TaskTemplate) => void,
  onUsed: (key: string) => void,
): readonly TableColumn<TaskTemplate>[] {
  return [
    { key: 'name', title: t('Name'), cell: ({ name }) => <span className="cut">{name}</span> },
    {
      key: 'title',
      title: t('Task title'),
      from: 'wide',
      cell: ({ name, defaults }) => <span className="cut muted">{defaults.title ?? name}</span>,
    },
    {
      key: 'defaults',
      title: t('Defaults'),
      from: 'widest',
      width: '16rem',
      cell: ({ defaults }) => (
        <span className="row">
          {defaults.priority && <PriorityMark priority={defaults.priority} />}
          {defaults.due_in_seconds !== null && <Badge>{dueText(defaults.due_in_seconds)}</Badge>}
          <Labels labels={defaults.labels} max={2} />
        </span>
      ),
    },
    {
      key: 'target',
      title: t('Project'),
      from: 'wide',
      width: '12rem',
      cell: (row) => <span className="cut">{targetName(row)}</span>,
    },
    {
      key: 'actions',
      title: t('Actions'),
      hiddenTitle: true,
      width: '10rem',
      align: 'end',
      cell: (row) => <TemplateActions template={row} onEdit={() => onEdit(row)} onUsed={onUsed} />,
    },
  ]
}

function dueText(seconds: number): string {
  const days = Math.round((seconds / day_s) * 10) / 10
  return t('{days, plural, one {Due after 1 day} other {Due after # days}}', { days })
}

interface TemplateActionsProps {
  readonly template: TaskTemplate
  readonly onEdit: () => void
  /** Gets the key of the new task. */
  readonly onUsed: (key: string) => void
}

function TemplateActions({ template, onEdit, onUsed }: TemplateActionsProps) {
  const [isDeleting, setDeleting] = useState(false)
  const { id, name, workspace, defaults } = template
  const write = useWrite({
    write: (atrium, title: string | null) =>
      atrium.taskTemplates.instantiate(id, { workspace, ...(title !== null && { title }) }),
    invalidates: ['task'],
  })
  const use = async () => {
    const task = await write.run(defaults.title === null ? name : null)
    if (task === undefined) return
    toast({ text: t('{key} created from {name}', { key: task.key, name }), tone: 'good' })
    onUsed(task.key)
  }
  return (
    <span className="row" style={{ justifyContent: 'flex-end' }}>
      <Button size="s" busy={write.busy} onClick={() => void use()}>
        {rich('Use{span}', { span: <span className="unseen"> {name}</span> })}
      </Button>
      <Menu
        label={name}
        trigger={<IconButton icon={MoreHorizontal} label={t('Actions for {name}', { name })} size="s" />}
        items={[
          { label: t('Edit…'), icon: Pencil, onSelect: onEdit },
          { label: t('Delete…'), icon: Trash2, danger: true, onSelect: () => setDeleting(true) },
        ]}
      />
      {isDeleting && <DeleteTemplate template={template} onClose={() => setDeleting(false)} />}
    </span>
  )
}

interface DeleteTemplateProps {
  readonly template: TaskTemplate
  readonly onClose: () => void
}

function DeleteTemplate({ template: { id, name }, onClose }: DeleteTemplateProps) {
  const mode = useMode()
  const write = useAppWrite('DELETE task-templates/{id}', {
    nouns: ['task_template'],
    done: () => t('{name} deleted', { name }),
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('Delete “{name}”?', { name })}
      action={t('Delete')}
      busy={write.busy}
      onConfirm={() => void write.run({ params: { id }, body: { mode } }).then(onClose)}
    >
      {t('Tasks created from it stay. Automations that use it fail until you change them.')}
    </ConfirmDialog>
  )
}
