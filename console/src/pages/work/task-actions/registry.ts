/**
 * The actions on tasks: one list for keys, context menus, the palette of keys and the documentation. A key acts on the selected
 * tasks, else on the row or card that has the focus or is under the mouse, else on the open task.
 */
import { isGuest } from '../../../data/session-store.ts'
import { t } from '../../../language/index.ts'

export interface TaskAction {
  readonly id: TaskActionId
  readonly title: string
  /** Chords, see app/shortcuts.ts. */
  readonly keys: readonly string[]
  /** Ends with … if it asks for a value. */
  readonly menu: string
  /** Where a mouse finds it besides the context menu. */
  readonly mouse: string
  /** Acts on one task only. */
  readonly isSingle?: true
}

export type TaskActionId =
  | 'open'
  | 'title'
  | 'status'
  | 'assignee'
  | 'priority'
  | 'labels'
  | 'due'
  | 'start'
  | 'project'
  | 'parent'
  | 'complete'
  | 'copy_key'
  | 'copy_link'
  | 'select'
  | 'select_all'
  | 'delete'

const all_actions: readonly TaskAction[] = [
  { id: 'open', title: t('Open task'), keys: ['enter'], menu: 'Open', mouse: 'Click', isSingle: true },
  {
    id: 'title',
    title: t('Edit title'),
    keys: ['e', 'f2'],
    menu: 'Edit title…',
    mouse: 'Title in the panel',
    isSingle: true,
  },
  { id: 'status', title: t('Set status'), keys: ['s'], menu: 'Status…', mouse: 'Panel, bulk bar, or drag' },
  { id: 'assignee', title: t('Set assignee'), keys: ['a'], menu: 'Assignee…', mouse: 'Panel, bulk bar' },
  { id: 'priority', title: t('Set priority'), keys: ['p'], menu: 'Priority…', mouse: 'Panel, bulk bar' },
  { id: 'labels', title: t('Change labels'), keys: ['l'], menu: 'Labels…', mouse: 'Panel, bulk bar' },
  { id: 'due', title: t('Set due date'), keys: ['d'], menu: 'Due date…', mouse: 'Panel, bulk bar' },
  { id: 'start', title: t('Set start date'), keys: ['shift+d'], menu: 'Start date…', mouse: 'Panel, bulk bar' },
  { id: 'project', title: t('Move to project'), keys: ['shift+p'], menu: 'Project…', mouse: 'Panel, bulk bar' },
  { id: 'parent', title: t('Set parent'), keys: ['shift+u'], menu: 'Parent…', mouse: 'Panel, bulk bar' },
  { id: 'complete', title: t('Complete or reopen'), keys: ['mod+enter'], menu: 'Complete', mouse: 'Panel' },
  { id: 'copy_key', title: t('Copy key'), keys: ['y'], menu: 'Copy key', mouse: 'Panel menu' },
  { id: 'copy_link', title: t('Copy link'), keys: ['shift+y'], menu: 'Copy link', mouse: 'Panel menu' },
  { id: 'select', title: t('Select task'), keys: ['x'], menu: 'Select', mouse: 'Checkbox, Shift-click a range' },
  { id: 'select_all', title: t('Select all tasks'), keys: ['mod+a'], menu: 'Select all', mouse: 'Bulk bar' },
  {
    id: 'delete',
    title: t('Delete'),
    keys: ['delete', 'mod+backspace'],
    menu: 'Delete',
    mouse: 'Panel menu, bulk bar',
  },
]

/** Guests do not delete tasks. The page is loaded again when the session changes. */
export const taskActions: readonly TaskAction[] = all_actions.filter(({ id }) => id !== 'delete' || !isGuest())

/** Keys that move and select without a menu. */
export const walkingKeys: readonly { readonly keys: string; readonly title: string }[] = [
  { keys: '↑ ↓ ← →, j, k', title: t('Walk rows and cards') },
  { keys: 'Shift+↑, Shift+↓', title: t('Select a range') },
  { keys: 'Space', title: t('Pick up a card or row, and drop it') },
  { keys: 'Escape', title: t('Clear the selection') },
]
