/**
 * The menu of saved filters: apply, save, update, edit, delete. Every saved filter belongs to the team of its workspace; the
 * API has no other visibility.
 */
import type { SavedFilter, SavedFiltersCreateParams, SavedFiltersUpdateParams } from '@atrium/sdk'
import { Bookmark, Pencil, Plus, Save, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, patch, remove, useAll, useWrite } from '../../data/index.ts'
import {
  Button,
  Checkbox,
  ConfirmDialog,
  Field,
  Input,
  Menu,
  type MenuEntry,
  Notice,
  Select,
  useNow,
} from '../../design/index.ts'
import { type LastingFilter, lastingFilter } from './filter-days.ts'
import { NameDialog } from './name-dialog.tsx'
import { useWorkspaces } from './reads.ts'

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

type Dialog = 'save' | 'edit' | 'delete' | null

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
      {dialog === 'edit' && current && <EditDialog current={current} onClose={close} />}
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

interface FilterChange {
  readonly id: string
  readonly fields: SavedFiltersUpdateParams
}

function useFilterChange(done: (saved: SavedFilter) => string, toastErrors: boolean) {
  return useWrite({
    write: (atrium, { id, fields }: FilterChange) => atrium.savedFilters.update(id, fields),
    changes: ({ id, fields }) => [patch('saved_filter', id, fields)],
    done,
    toastErrors,
  })
}

function useMenuItems({ current, filter, sort, onChoose, isEdited, onDialog }: MenuInput): readonly MenuEntry[] {
  const { data = [] } = useSavedFilters()
  const lasting = lastingFilter(filter, useNow())
  const done = lasting.period === null ? 'Filter updated' : `Filter updated. “This week” became “${lasting.period}”`
  const update = useFilterChange(() => done, true)
  const overwrite = async (id: string) => {
    const choose = () => onChoose(id)
    const fields = { filter: lasting.text, sort: sort || null }
    if ((await update.run({ id, fields }, choose)) !== undefined) choose()
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
    { label: 'Edit…', icon: Pencil, onSelect: () => onDialog('edit') },
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
  const workspaces = useWorkspaces().data ?? []
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const workspace = chosen ?? workspaces[0]?.id
  const lasting = lastingFilter(filter, useNow())
  const [isFixed, setFixed] = useState(false)
  const write = useWrite({
    write: (atrium, fields: SavedFiltersCreateParams) => atrium.savedFilters.create(fields),
    done: (saved) => `${saved.name} saved`,
    toastErrors: false,
  })
  const faults = fieldErrors(write.error)
  const name = text.trim()
  const save = async () => {
    if (workspace === undefined) return
    const kept = isFixed ? filter : lasting.text
    const saved = await write.run({ workspace, name, filter: kept, sort: sort || null })
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
      <ThisWeek lasting={lasting} isFixed={isFixed} onFixed={setFixed} />
    </FormDialog>
  )
}

interface ThisWeekProps {
  readonly lasting: LastingFilter
  readonly isFixed: boolean
  readonly onFixed: (isFixed: boolean) => void
}

/** Says what is saved in place of "This week", and offers to keep its days. */
function ThisWeek({ lasting: { period }, isFixed, onFixed }: ThisWeekProps) {
  if (period === null) return null
  return (
    <Notice title={`“This week” is saved as “${period}”`}>
      <p>A saved filter counts days from the day it is used (UTC). It cannot begin on Monday.</p>
      <Checkbox label="Keep the days of the present week" checked={isFixed} onChange={() => onFixed(!isFixed)} />
    </Notice>
  )
}

interface CurrentFilterProps {
  readonly current: SavedFilter
  readonly onClose: () => void
}

function EditDialog({ current: { id, name, description }, onClose }: CurrentFilterProps) {
  const write = useFilterChange((edited) => `${edited.name} saved`, false)
  return (
    <NameDialog
      title="Edit filter"
      action="Save"
      name={name}
      description={description}
      write={{ ...write, run: (fields) => write.run({ id, fields }) }}
      onClose={onClose}
    />
  )
}

interface DeleteDialogProps extends CurrentFilterProps {
  readonly onDeleted: () => void
}

function DeleteDialog({ current: { id, name }, onClose, onDeleted }: DeleteDialogProps) {
  const write = useWrite({
    write: (atrium, deleted: string) => atrium.savedFilters.delete(deleted),
    changes: (deleted) => [remove('saved_filter', deleted)],
    done: () => 'Filter deleted',
  })
  const close = () => {
    onClose()
    onDeleted()
  }
  const confirm = async () => {
    if ((await write.run(id, close)) !== undefined) close()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete “${name}”?`}
      action="Delete"
      busy={write.busy}
      onConfirm={() => void confirm()}
    >
      The filter is deleted for everyone in the workspace. Its tasks stay.
    </ConfirmDialog>
  )
}
