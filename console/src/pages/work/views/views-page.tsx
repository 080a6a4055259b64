/** All views that the person sees: their layout, who sees them, and what can be done with them. */
import './views.css'
import type { SavedFilter } from '@atrium/sdk'
import { Bookmark, Lock, MoreHorizontal, Pencil, Pin, PinOff, Trash2, Users } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { ErrorState } from '../../../app/error-state.tsx'
import { useProjects } from '../../../app/tasks/reads.ts'
import { useSavedFilters, viewHref } from '../../../app/views.ts'
import { useDirectory, useSession } from '../../../data/index.ts'
import {
  Badge,
  Card,
  ConfirmDialog,
  Empty,
  IconButton,
  inWords,
  Menu,
  Page,
  RelativeTime,
  SkeletonLines,
} from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { NameDialog } from '../name-dialog.tsx'
import { usePin, useSharing, useViewChange, useViewDeletion } from './view-writes.ts'

export function ViewsPage() {
  const { data, error, refetch } = useSavedFilters()
  return (
    <Page
      title={t('Views')}
      description={t('A filter with its layout, groups and order. Save one from a list, board, calendar or timeline.')}
    >
      {error && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Card flush>
          {data === undefined ? (
            <SkeletonLines lines={4} />
          ) : data.length === 0 ? (
            <Empty plain icon={Bookmark} title={t('No views yet')}>
              {t('Filter tasks, choose a layout, then save it with the button Views.')}
            </Empty>
          ) : (
            <ul aria-label={t('Views')}>
              {data.map((view) => (
                <ViewRow key={view.id} view={view} />
              ))}
            </ul>
          )}
        </Card>
      )}
    </Page>
  )
}

function ViewRow({ view }: { readonly view: SavedFilter }) {
  const { nameOf } = useDirectory()
  const projects = useProjects().data
  const project = projects?.find(({ id }) => id === view.project)?.name
  return (
    <li className="view-row">
      <div className="grow view-name">
        <Link href={viewHref(view)}>{view.name}</Link>
        <span className="subtle">
          {[inWords(view.layout), project, `by ${nameOf(view.created_by)}`].filter(Boolean).join(' · ')}
        </span>
        {view.description !== null && <span className="subtle">{view.description}</span>}
      </div>
      {view.pinned && <Badge tone="accent">{t('Pinned')}</Badge>}
      <Badge tone={view.visibility === 'team' ? 'neutral' : 'violet'}>
        {view.visibility === 'team' ? t('Team') : t('Only you')}
      </Badge>
      <span className="subtle view-when">
        <RelativeTime at={view.updated} />
      </span>
      <ViewMenu view={view} />
    </li>
  )
}

function ViewMenu({ view }: { readonly view: SavedFilter }) {
  const { user } = useSession()
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null)
  const pin = usePin()
  const share = useSharing()
  const isShared = view.visibility === 'team'
  return (
    <>
      <Menu
        label={view.name}
        trigger={<IconButton icon={MoreHorizontal} label={t('Actions for {name}', { name: view.name })} size="s" />}
        items={[
          {
            label: view.pinned ? t('Unpin') : t('Pin to navigation'),
            icon: view.pinned ? PinOff : Pin,
            onSelect: () => pin(view),
          },
          {
            label: isShared ? t('Make private') : t('Share with the team'),
            icon: isShared ? Lock : Users,
            disabled: isShared && view.created_by !== user.id,
            onSelect: () => share(view),
          },
          { label: t('Rename…'), icon: Pencil, onSelect: () => setDialog('edit') },
          'line',
          { label: t('Delete…'), icon: Trash2, danger: true, onSelect: () => setDialog('delete') },
        ]}
      />
      {dialog === 'edit' && <RenameView view={view} onClose={() => setDialog(null)} />}
      {dialog === 'delete' && <DeleteView view={view} onClose={() => setDialog(null)} />}
    </>
  )
}

interface ViewDialogProps {
  readonly view: SavedFilter
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

export function RenameView({ view: { id, name, description }, onClose }: ViewDialogProps) {
  const write = useViewChange((edited) => t('{name} saved', { name: edited.name }), false)
  return (
    <NameDialog
      title={t('Edit view')}
      action={t('Save')}
      name={name}
      description={description}
      write={{ ...write, run: (fields) => write.run({ id, fields }) }}
      onClose={onClose}
    />
  )
}

export function DeleteView({ view: { id, name, visibility }, onClose, onDeleted }: ViewDialogProps) {
  const write = useViewDeletion()
  const close = () => {
    onClose()
    onDeleted?.()
  }
  const confirm = async () => {
    if ((await write.run(id, close)) !== undefined) close()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('Delete “{name}”?', { name })}
      action={t('Delete')}
      busy={write.busy}
      onConfirm={() => void confirm()}
    >
      {visibility === 'team'
        ? t('The view is deleted for everyone in the workspace. Its tasks stay.')
        : t('Its tasks stay.')}
    </ConfirmDialog>
  )
}
