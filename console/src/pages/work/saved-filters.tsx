/** The menu of saved filters, which a workspace shares: apply, save, update, rename, delete. */
import type { SavedFilter } from '@atrium/sdk'
import { Bookmark, Pencil, Plus, Save, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, useAll, useAppWrite, useMode } from '../../data/index.ts'
import { Button, ConfirmDialog, Field, Input, Menu, type MenuEntry, Select } from '../../design/index.ts'
import { NameDialog } from './name-dialog.tsx'
import { useWorkspaces } from './reads.ts'

const nouns = ['saved_filter']

export function useSavedFilters() {
  return useAll<SavedFilter>('saved_filter', {}, (atrium) => atrium.savedFilters.list({ limit: 100 }))
}

interface SavedFiltersProps {
  readonly current: SavedFilter | undefined
  /** The filter and sort order of the list now. */
  readonly filter: string
  readonly sort: string
  readonly onChoose: (id: string | null) => void
}

type Dialog = 'save' | 'rename' | 'delete' | null

export function SavedFilters({ current, filter, sort, onChoose }: SavedFiltersProps) {
  const [dialog, setDialog] = useState<Dialog>(null)
  const isEdited = current !== undefined && (filter !== current.filter || sort !== (current.sort ?? ''))
  const items = useMenuItems({ current, filter, sort, onChoose, isEdited, onDialog: setDialog })
  const close = () => setDialog(null)
  return (
    <>
      <Menu
        label="Saved filters"
        items={items}
        trigger={
          <Button icon={Bookmark}>
            {current === undefined ? 'Saved filters' : `${current.name}${isEdited ? ' (edited)' : ''}`}
          </Button>
        }
      />
      {dialog === 'save' && <SaveDialog filter={filter} sort={sort} onClose={close} onSaved={onChoose} />}
      {dialog === 'rename' && current && <RenameDialog current={current} onClose={close} />}
      {dialog === 'delete' && current && (
        <DeleteDialog current={current} onClose={close} onDeleted={() => onChoose(null)} />
      )}
    </>
  )
}

interface MenuInput extends SavedFiltersProps {
  readonly isEdited: boolean
  readonly onDialog: (dialog: Dialog) => void
}

function useMenuItems({ current, filter, sort, onChoose, isEdited, onDialog }: MenuInput): readonly MenuEntry[] {
  const mode = useMode()
  const { data = [] } = useSavedFilters()
  const update = useAppWrite('PATCH saved-filters/{id}', { nouns, done: () => 'Filter updated' })
  const overwrite = async (id: string) => {
    const body = { mode, filter, sort: sort || null }
    if ((await update.run({ params: { id }, body })) !== undefined) onChoose(id)
  }
  const items: MenuEntry[] = [
    { heading: data.length === 0 ? 'No saved filters yet' : 'Saved filters' },
    ...data.map(({ id, name }) => ({ label: name, checked: id === current?.id, onSelect: () => onChoose(id) })),
    'line',
    { label: 'Save filter…', icon: Plus, disabled: filter === '', onSelect: () => onDialog('save') },
  ]
  if (current === undefined) return items
  return [
    ...items,
    {
      label: `Update “${current.name}”`,
      icon: Save,
      disabled: !isEdited || filter === '',
      onSelect: () => void overwrite(current.id),
    },
    { label: 'Rename…', icon: Pencil, onSelect: () => onDialog('rename') },
    { label: 'Delete…', icon: Trash2, danger: true, onSelect: () => onDialog('delete') },
  ]
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
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const workspace = chosen ?? workspaces[0]?.id
  const write = useAppWrite('POST saved-filters', {
    nouns,
    done: (saved) => `${saved.name} saved`,
    toastErrors: false,
  })
  const faults = fieldErrors(write.error)
  const name = text.trim()
  const save = async () => {
    if (workspace === undefined) return
    const saved = await write.run({ body: { mode, workspace, name, filter, sort: sort || null } })
    if (saved === undefined) return
    onClose()
    onSaved(saved.id)
  }
  return (
    <FormDialog
      title="Save filter"
      description="Everyone in the workspace can use it, here and through the API."
      size="s"
      action="Save"
      isReady={name !== '' && workspace !== undefined}
      write={write}
      fields={['name', 'workspace']}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label="Name" error={faults.name} required>
        <Input value={text} maxLength={500} onChange={({ currentTarget }) => setText(currentTarget.value)} />
      </Field>
      {workspaces.length > 1 && workspace !== undefined && (
        <Field label="Workspace" error={faults.workspace}>
          <Select
            value={workspace}
            choices={workspaces.map(({ id, title }) => ({ value: id, label: title }))}
            onChange={setChosen}
          />
        </Field>
      )}
    </FormDialog>
  )
}

interface CurrentFilterProps {
  readonly current: SavedFilter
  readonly onClose: () => void
}

function RenameDialog({ current: { id, name }, onClose }: CurrentFilterProps) {
  const mode = useMode()
  const write = useAppWrite('PATCH saved-filters/{id}', {
    nouns,
    done: (renamed) => `Renamed to ${renamed.name}`,
    toastErrors: false,
  })
  return (
    <NameDialog
      title="Rename filter"
      action="Rename"
      name={name}
      write={{ ...write, run: (fields) => write.run({ params: { id }, body: { mode, name: fields.name } }) }}
      onClose={onClose}
    />
  )
}

interface DeleteDialogProps extends CurrentFilterProps {
  readonly onDeleted: () => void
}

function DeleteDialog({ current: { id, name }, onClose, onDeleted }: DeleteDialogProps) {
  const mode = useMode()
  const write = useAppWrite('DELETE saved-filters/{id}', { nouns, done: () => 'Filter deleted' })
  const remove = async () => {
    if ((await write.run({ params: { id }, body: { mode } })) === undefined) return
    onClose()
    onDeleted()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete “${name}”?`}
      action="Delete"
      busy={write.busy}
      onConfirm={() => void remove()}
    >
      The filter is deleted for everyone in the workspace. Its tasks stay.
    </ConfirmDialog>
  )
}
