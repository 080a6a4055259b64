/** Filters that the team has saved: choose one, save what is shown, rename, delete. */
import type { SavedFilter } from '@atrium/sdk'
import { Bookmark, Pencil, Plus, Save, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, useAll, useAppWrite, useMode } from '../../data/index.ts'
import { Button, ConfirmDialog, Dialog, Field, Input, Menu, type MenuEntry, Select } from '../../design/index.ts'
import { useWorkspaces } from './reads.ts'

export function useSavedFilters() {
  return useAll<SavedFilter>('saved_filter', {}, (atrium) => atrium.savedFilters.list({ limit: 100 }))
}

interface SavedFiltersProps {
  readonly current: SavedFilter | undefined
  /** As the list is filtered and sorted now. */
  readonly filter: string
  readonly sort: string
  readonly onChoose: (id: string | null) => void
}

type Open = 'save' | 'rename' | 'delete' | null

export function SavedFilters({ current, filter, sort, onChoose }: SavedFiltersProps) {
  const mode = useMode()
  const [open, setOpen] = useState<Open>(null)
  const { data = [] } = useSavedFilters()
  const nouns = ['saved_filter']
  const update = useAppWrite('PATCH saved-filters/{id}', { nouns, done: () => 'Filter saved' })
  const drop = useAppWrite('DELETE saved-filters/{id}', { nouns, done: () => 'Filter deleted' })
  const isChanged = current !== undefined && (filter !== current.filter || sort !== (current.sort ?? ''))
  const close = () => setOpen(null)
  const overwrite = async (id: string) => {
    const body = { mode, filter, sort: sort || null }
    if ((await update.run({ params: { id }, body })) !== undefined) onChoose(id)
  }
  const items: MenuEntry[] = [
    { heading: data.length === 0 ? 'No filter is saved yet' : 'Saved filters' },
    ...data.map(({ id, name }) => ({ label: name, checked: id === current?.id, onSelect: () => onChoose(id) })),
    'line',
    { label: 'Save this filter…', icon: Plus, disabled: filter === '', onSelect: () => setOpen('save') },
  ]
  if (current !== undefined) {
    items.push(
      {
        label: `Change “${current.name}” to this`,
        icon: Save,
        disabled: !isChanged || filter === '',
        onSelect: () => void overwrite(current.id),
      },
      { label: 'Rename…', icon: Pencil, onSelect: () => setOpen('rename') },
      { label: 'Delete…', icon: Trash2, danger: true, onSelect: () => setOpen('delete') },
    )
  }
  return (
    <>
      <Menu
        label="Saved filters"
        items={items}
        trigger={
          <Button icon={Bookmark}>
            {current === undefined ? 'Saved filters' : `${current.name}${isChanged ? ' (changed)' : ''}`}
          </Button>
        }
      />
      {open === 'save' && <SaveDialog filter={filter} sort={sort} onClose={close} onSaved={onChoose} />}
      {open === 'rename' && current && <RenameDialog current={current} onClose={close} />}
      <ConfirmDialog
        open={open === 'delete'}
        onClose={close}
        title={`Delete “${current?.name}”?`}
        action="Delete"
        busy={drop.busy}
        onConfirm={() => {
          if (current === undefined) return
          void drop.run({ params: { id: current.id }, body: { mode } }).then((done) => {
            if (done === undefined) return
            close()
            onChoose(null)
          })
        }}
      >
        Everybody in the workspace can use it now, and nobody then. Tasks stay as they are.
      </ConfirmDialog>
    </>
  )
}

interface SaveDialogProps {
  readonly filter: string
  readonly sort: string
  readonly onClose: () => void
  readonly onSaved: (id: string) => void
}

function SaveDialog({ filter, sort, onClose, onSaved }: SaveDialogProps) {
  const mode = useMode()
  const workspaces = useWorkspaces().data ?? []
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const workspace = chosen ?? workspaces[0]?.id
  const write = useAppWrite('POST saved-filters', {
    nouns: ['saved_filter'],
    done: (made) => `${made.name} saved`,
    toastErrors: false,
  })
  const isReady = name.trim() !== '' && workspace !== undefined && !write.busy
  const send = async () => {
    if (workspace === undefined) return
    const made = await write.run({ body: { mode, workspace, name: name.trim(), filter, sort: sort || null } })
    if (made === undefined) return
    onClose()
    onSaved(made.id)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Save this filter"
      description="Everybody in the workspace can use it, here and as the filter of the API."
      size="s"
      onSubmit={() => isReady && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={!isReady && !write.busy}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" error={faultsOf(write.error).name} required>
          <Input value={name} maxLength={500} onChange={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        {workspaces.length > 1 && workspace !== undefined && (
          <Field label="Workspace" error={faultsOf(write.error).workspace}>
            <Select
              value={workspace}
              choices={workspaces.map(({ id, title }) => ({ value: id, label: title }))}
              onChange={setChosen}
            />
          </Field>
        )}
        <FormError error={write.error} at={['name', 'workspace']} />
      </div>
    </Dialog>
  )
}

function RenameDialog({ current, onClose }: { readonly current: SavedFilter; readonly onClose: () => void }) {
  const mode = useMode()
  const [name, setName] = useState(current.name)
  const write = useAppWrite('PATCH saved-filters/{id}', {
    nouns: ['saved_filter'],
    done: (made) => `Now called ${made.name}`,
    toastErrors: false,
  })
  const send = async () => {
    if ((await write.run({ params: { id: current.id }, body: { mode, name: name.trim() } })) !== undefined) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Rename the filter"
      size="s"
      onSubmit={() => name.trim() !== '' && !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={name.trim() === ''}>
            Rename
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" error={faultsOf(write.error).name} required>
          <Input value={name} maxLength={500} onChange={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        <FormError error={write.error} at={['name']} />
      </div>
    </Dialog>
  )
}
