/** The menu of views: open, save, update, pin, share, rename, delete. A view is a saved filter with its layout and groups. */
import type { SavedFilter, SavedFiltersCreateParams } from '@atrium/sdk'
import { Bookmark, Lock, Pencil, Pin, PinOff, Plus, Save, Settings2, Trash2, Users } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { type LastingFilter, lastingFilter } from '../../app/filter/days.ts'
import { FormDialog } from '../../app/form-dialog.tsx'
import type { Layout } from '../../app/layout-links.tsx'
import { projectOf } from '../../app/project-filter.ts'
import { useWorkspaces } from '../../app/tasks/reads.ts'
import { useSavedFilters, viewHref } from '../../app/views.ts'
import { fieldErrors, isGuest, useSession, useWrite } from '../../data/index.ts'
import {
  Button,
  Checkbox,
  Field,
  Input,
  Menu,
  type MenuEntry,
  Notice,
  Segments,
  Select,
  useNow,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { usePin, useSharing, useViewChange } from './views/view-writes.ts'
import { DeleteView, RenameView } from './views/views-page.tsx'

interface SavedFiltersProps {
  readonly current: SavedFilter | undefined
  /** The filter, sort order, layout and groups of the page now. */
  readonly filter: string
  readonly sort: string
  readonly layout: Layout
  readonly group: string | null
  /** Keys of the custom fields that are shown. */
  readonly columns: readonly string[]
  readonly onChoose: (id: string | null) => void
}

type Dialog = 'save' | 'edit' | 'delete' | null

export function SavedFilters(props: SavedFiltersProps) {
  const { current, onChoose } = props
  const [dialog, setDialog] = useState<Dialog>(null)
  const isEdited = current !== undefined && differs(current, props)
  const items = useMenuItems({ ...props, isEdited, onDialog: setDialog })
  const close = () => setDialog(null)
  return (
    <>
      <Menu
        label={t('Views')}
        items={items}
        trigger={
          <Button icon={Bookmark} {...(current === undefined && { className: 'shrinks', title: t('Views') })}>
            {current === undefined
              ? t('Views')
              : isEdited
                ? t('{name} (edited)', { name: current.name })
                : current.name}
          </Button>
        }
      />
      {dialog === 'save' && <SaveDialog {...props} onClose={close} onSaved={onChoose} />}
      {dialog === 'edit' && current && <RenameView view={current} onClose={close} />}
      {dialog === 'delete' && current && <DeleteView view={current} onClose={close} onDeleted={() => onChoose(null)} />}
    </>
  )
}

function differs(view: SavedFilter, { filter, sort, layout, group }: SavedFiltersProps): boolean {
  return filter !== view.filter || sort !== (view.sort ?? '') || layout !== view.layout || group !== view.group_by
}

interface MenuInput extends SavedFiltersProps {
  readonly isEdited: boolean
  readonly onDialog: (dialog: Dialog) => void
}

function useMenuItems(input: MenuInput): readonly MenuEntry[] {
  const { current, filter, layout, onChoose, onDialog } = input
  const { data = [] } = useSavedFilters()
  const [, navigate] = useLocation()
  const { project } = projectOf(filter)
  // On the pages of a project its own views come first.
  const views = data.toSorted((a, b) => Number(b.project === project) - Number(a.project === project))
  const open = (view: SavedFilter) => {
    if (view.layout === layout && layout !== 'board') onChoose(view.id)
    else navigate(viewHref(view))
  }
  const more = useCurrentItems(input)
  return [
    { heading: data.length === 0 ? t('No views yet') : t('Views') },
    ...views.map((view) => ({
      label: view.name,
      checked: view.id === current?.id,
      ...(view.visibility === 'private' && { hint: t('Only you') }),
      onSelect: () => open(view),
    })),
    'line',
    {
      label: t('Save view…'),
      icon: Plus,
      disabled: filter === '',
      ...(filter === '' && { hint: t('Add a filter first') }),
      onSelect: () => onDialog('save'),
    },
    ...more,
    'line',
    { label: t('All views'), icon: Settings2, to: '/work/views' },
  ]
}

/** What can be done with the open view. */
function useCurrentItems({ current, filter, sort, layout, group, columns, onChoose, isEdited, onDialog }: MenuInput) {
  const { user } = useSession()
  const pin = usePin()
  const share = useSharing()
  const lasting = lastingFilter(filter, useNow())
  const done =
    lasting.period === null
      ? t('View updated')
      : t('View updated. “This week” became “{period}”', { period: lasting.period })
  const update = useViewChange(() => done)
  if (current === undefined) return []
  const overwrite = async () => {
    const choose = () => onChoose(current.id)
    const view = { layout, group_by: group, columns: [...columns] }
    const fields = { filter: lasting.text, sort: sort || null, ...view }
    if ((await update.run({ id: current.id, fields }, choose)) !== undefined) choose()
  }
  const isShared = current.visibility === 'team'
  const items: MenuEntry[] = [
    {
      label: t('Update “{name}”', { name: current.name }),
      icon: Save,
      disabled: !isEdited || filter === '',
      onSelect: () => void overwrite(),
    },
    {
      label: current.pinned ? t('Unpin') : t('Pin to navigation'),
      icon: current.pinned ? PinOff : Pin,
      onSelect: () => pin(current),
    },
    {
      label: isShared ? t('Make private') : t('Share with the team'),
      icon: isShared ? Lock : Users,
      disabled: isGuest() || (isShared && current.created_by !== user.id),
      onSelect: () => share(current),
    },
    { label: t('Edit…'), icon: Pencil, onSelect: () => onDialog('edit') },
    { label: t('Delete…'), icon: Trash2, danger: true, onSelect: () => onDialog('delete') },
  ]
  return items
}

interface SaveDialogProps extends SavedFiltersProps {
  readonly onClose: () => void
  readonly onSaved: (id: string) => void
}

function SaveDialog({ filter, sort, layout, group, columns, onClose, onSaved }: SaveDialogProps) {
  const workspaces = useWorkspaces().data ?? []
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const workspace = chosen ?? workspaces[0]?.id
  const lasting = lastingFilter(filter, useNow())
  const [isFixed, setFixed] = useState(false)
  const [visibility, setVisibility] = useState<'team' | 'private'>(isGuest() ? 'private' : 'team')
  const [isPinned, setPinned] = useState(false)
  const write = useWrite({
    write: (atrium, fields: SavedFiltersCreateParams) => atrium.savedFilters.create(fields),
    done: (saved) => t('{name} saved', { name: saved.name }),
    toastErrors: false,
  })
  const faults = fieldErrors(write.error)
  const name = text.trim()
  const save = async () => {
    if (workspace === undefined) return
    const kept = isFixed ? filter : lasting.text
    const view = { layout, group_by: group, columns: [...columns], visibility, pinned: isPinned }
    const { project } = projectOf(kept)
    const own = project === null ? {} : { project }
    const saved = await write.run({ workspace, name, filter: kept, sort: sort || null, ...view, ...own })
    if (saved === undefined) return
    onClose()
    onSaved(saved.id)
  }
  return (
    <FormDialog
      title={t('Save view')}
      description={t('Filter, layout, groups, order and columns, as they are now.')}
      size="s"
      action={t('Save')}
      isReady={name !== '' && workspace !== undefined}
      write={write}
      fields={['name', 'workspace']}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label={t('Name')} error={faults.name} required>
        <Input value={text} maxLength={500} onChange={({ currentTarget }) => setText(currentTarget.value)} />
      </Field>
      {workspaces.length > 1 && workspace !== undefined && (
        <Field label={t('Workspace')} error={faults.workspace}>
          <Select
            value={workspace}
            choices={workspaces.map(({ id, title }) => ({ value: id, label: title }))}
            onChange={setChosen}
          />
        </Field>
      )}
      <WhoSees value={visibility} onChange={setVisibility} />
      <Checkbox label={t('Pin to the navigation')} checked={isPinned} onChange={() => setPinned(!isPinned)} />
      <ThisWeek lasting={lasting} isFixed={isFixed} onFixed={setFixed} />
    </FormDialog>
  )
}

interface WhoSeesProps {
  readonly value: 'team' | 'private'
  readonly onChange: (value: 'team' | 'private') => void
}

/** The views of a guest are private. */
function WhoSees({ value, onChange }: WhoSeesProps) {
  if (isGuest()) return null
  return (
    <Segments
      label={t('Who sees it')}
      value={value}
      choices={[
        { value: 'team', label: t('Team') },
        { value: 'private', label: t('Only me') },
      ]}
      onChange={onChange}
    />
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
    <Notice title={t('“This week” is saved as “{period}”', { period })}>
      <p>{t('A view counts days from the day it is used (UTC), not from the beginning of a week.')}</p>
      <Checkbox label={t('Keep the days of the present week')} checked={isFixed} onChange={() => onFixed(!isFixed)} />
    </Notice>
  )
}
