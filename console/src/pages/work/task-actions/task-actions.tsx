/** The keys and the context menus of tasks, on every page. The list of actions is in `registry.ts`. */
import './task-actions.css'
import type { Task } from '@atrium/sdk'
import { useCallback, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { copy } from '../../../app/copy.ts'
import { pageKeys } from '../../../app/page-keys.ts'
import { useShortcut } from '../../../app/shortcuts.ts'
import { useSwipes } from '../../../app/swipe.ts'
import { toast } from '../../../app/toasts.ts'
import { useMode } from '../../../data/index.ts'
import { linkTo } from '../../../data/link-organization.ts'
import { withMode } from '../../../data/mode.ts'
import { ContextMenu } from '../../../design/context-menu.tsx'
import type { MenuEntry } from '../../../design/menu.tsx'
import { t } from '../../../language/index.ts'
import { addSelected, toggleSelected } from '../task-selection.ts'
import { type AskedAction, AskedChange } from './asked-change.tsx'
import { type TaskAction, type TaskActionId, taskActions } from './registry.ts'
import { hasTargets, menuTargetIds, targetIds, taskElement, useReadTask, useTasksOf } from './targets.ts'

interface OpenMenu {
  readonly tasks: readonly Task[]
  readonly at: { readonly x: number; readonly y: number }
  readonly element: HTMLElement
}

/** A finger that stays this long, and does not move farther, opens the menu when it is lifted. */
const press_ms = 450
const press_px = 8

export function TaskActions() {
  const [asked, setAsked] = useState<{ readonly action: AskedAction; readonly tasks: readonly Task[] } | null>(null)
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const tasksOf = useTasksOf()
  const run = useRun((action, tasks) => setAsked({ action, tasks }))
  const start = useCallback(
    (id: TaskActionId, ids: readonly string[]) => {
      tasksOf(ids).then(
        (tasks) => run(id, tasks),
        (error: unknown) => toast({ error }),
      )
    },
    [tasksOf, run],
  )
  const open = useCallback(
    (element: HTMLElement, at: OpenMenu['at']) => {
      tasksOf(menuTargetIds(element)).then(
        (tasks) => setMenu({ tasks, at, element }),
        (error: unknown) => toast({ error }),
      )
    },
    [tasksOf],
  )
  useContextMenus(open)
  useSwipedRows(start, open)
  useRangeOfCards(tasksOf)
  return (
    <>
      {taskActions
        .filter(({ id }) => id !== 'open')
        .flatMap((action) => action.keys.map((keys) => <ActionKey key={keys} {...{ action, keys, start }} />))}
      {menu && (
        <ContextMenu
          label={
            menu.tasks.length === 1 ? (menu.tasks[0]?.key ?? '') : t('{count} tasks', { count: menu.tasks.length })
          }
          at={menu.at}
          items={entriesOf(menu.tasks, run)}
          onClose={() => {
            setMenu(null)
            ;(menu.element.querySelector<HTMLElement>('a') ?? menu.element).focus()
          }}
        />
      )}
      {asked && <AskedChange key={asked.action} {...asked} onClose={() => setAsked(null)} />}
    </>
  )
}

interface ActionKeyProps {
  readonly action: TaskAction
  readonly keys: string
  readonly start: (id: TaskActionId, ids: readonly string[]) => void
}

function ActionKey({ action, keys, start }: ActionKeyProps) {
  const run = () => {
    if (pageKeys.has(keys)) return false
    if (action.id === 'select_all') return selectShown(start)
    // `x` is about the row or card itself, whatever else is selected.
    const ids = action.id === 'select' ? [taskElement()?.dataset.task ?? ''].filter(Boolean) : targetIds()
    if (!hasTargets() || ids.length === 0 || (action.isSingle && ids.length > 1)) return false
    start(action.id, ids)
    return true
  }
  useShortcut(keys, action.title, run, { group: t('Tasks') })
  return null
}

/** The cards that the page shows. A list has rendered only the rows in view, and selects all of its rows itself. */
function selectShown(start: ActionKeyProps['start']): boolean {
  if (document.querySelector('main .task-list') !== null) return false
  const ids = [...document.querySelectorAll<HTMLElement>('main [data-task]')].map(({ dataset }) => dataset.task ?? '')
  if (ids.length === 0) return false
  start('select_all', [...new Set(ids)])
  return true
}

/** Runs what needs no value at once; the others ask. */
function useRun(ask: (action: AskedAction, tasks: readonly Task[]) => void) {
  const [, navigate] = useLocation()
  const mode = useMode()
  return (id: TaskActionId, tasks: readonly Task[]) => {
    const [first] = tasks
    if (first === undefined) return
    const keys = tasks.map(({ key }) => key).join(' ')
    if (id === 'open') navigate(`/work/tasks/${first.key}`)
    else if (id === 'copy_key') void copy(keys, tasks.length === 1 ? keys : t('{count} keys', { count: tasks.length }))
    else if (id === 'copy_link') {
      void copy(tasks.map(({ key }) => linkTo(withMode(`/work/tasks/${key}`, mode))).join('\n'), t('Link'))
    } else if (id === 'select') for (const task of tasks) toggleSelected(task)
    else if (id === 'select_all') addSelected(tasks)
    else ask(id, tasks)
  }
}

function entriesOf(tasks: readonly Task[], run: (id: TaskActionId, tasks: readonly Task[]) => void): MenuEntry[] {
  const areDone = tasks.every(({ status }) => status === 'done')
  const shown = taskActions.filter(({ id, isSingle }) => id !== 'select_all' && !(isSingle && tasks.length > 1))
  return shown.flatMap(({ id, menu, keys }): MenuEntry[] => {
    const label = id === 'complete' && areDone ? t('Reopen') : menu
    const entry = { label, keys: keys[0] ?? '', danger: id === 'delete', onSelect: () => run(id, tasks) }
    return id === 'status' || id === 'complete' || id === 'delete' ? ['line', entry] : [entry]
  })
}

/** Right click, the menu key, and a long press that does not move. Fields and links in texts keep the browser's own menu. */
function useContextMenus(open: (element: HTMLElement, at: OpenMenu['at']) => void): void {
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    let press: { readonly x: number; readonly y: number; readonly since: number } | null = null
    const own = (target: EventTarget | null) =>
      target instanceof Element && target.closest('input, textarea, [contenteditable]') === null
        ? target.closest<HTMLElement>('[data-task]')
        : null
    const onContextMenu = (event: MouseEvent) => {
      const element = own(event.target)
      if (element === null || event.shiftKey) return
      event.preventDefault()
      // A finger opens it when it is lifted, because a long press also drags.
      if (press === null) open(element, placeOf(event, element))
    }
    const onDown = ({ pointerType, clientX: x, clientY: y, timeStamp: since }: PointerEvent) => {
      press = pointerType === 'mouse' ? null : { x, y, since }
    }
    const onUp = (event: PointerEvent) => {
      const start = press
      press = null
      const element = own(event.target)
      if (start === null || element === null || event.timeStamp - start.since < press_ms) return
      if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > press_px) return
      // The click that follows would open the task.
      addEventListener('click', swallow, { capture: true, once: true })
      setTimeout(() => removeEventListener('click', swallow, { capture: true }), press_ms)
      open(element, { x: event.clientX, y: event.clientY })
    }
    addEventListener('contextmenu', onContextMenu, { signal })
    addEventListener('pointerdown', onDown, { signal, capture: true })
    addEventListener('pointerup', onUp, { signal, capture: true })
    addEventListener('pointercancel', () => (press = null), { signal, capture: true })
    return () => ending.abort()
  }, [open])
}

/** On a row of a list a swipe to the right completes or reopens the task, one to the left opens its menu. */
function useSwipedRows(start: ActionKeyProps['start'], open: (element: HTMLElement, at: OpenMenu['at']) => void): void {
  const readTask = useReadTask()
  useSwipes({
    rows: 'main .task-list [data-task]',
    actionOf: (row, side) => {
      const task = readTask(row.dataset.task ?? '')
      if (task === undefined) return null
      if (side === 'right') {
        const label = task.status === 'done' ? t('Reopen') : t('Complete')
        return { label, tone: 'ok', run: () => start('complete', [task.id]) }
      }
      const menu = () => {
        const { right, bottom } = row.getBoundingClientRect()
        open(row, { x: right, y: bottom })
      }
      return { label: t('Actions'), tone: 'info', run: menu }
    },
  })
}

function swallow(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}

/** The menu key has no place of its own. */
function placeOf({ clientX: x, clientY: y }: MouseEvent, element: HTMLElement) {
  if (x !== 0 || y !== 0) return { x, y }
  const { left, bottom } = element.getBoundingClientRect()
  return { x: left + 16, y: bottom }
}

/** Shift selects ranges of cards: with a click from the last selected card of the lane, with an arrow key to the next one. */
function useRangeOfCards(tasksOf: (ids: readonly string[]) => Promise<readonly Task[]>): void {
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    let anchor: string | null = null
    const select = (elements: readonly (Element | null | undefined)[]) => {
      const ids = elements.flatMap((each) => (each instanceof HTMLElement && each.dataset.task) || [])
      anchor = ids.at(-1) ?? anchor
      tasksOf([...new Set(ids)]).then(addSelected, (error: unknown) => toast({ error }))
    }
    const cardOf = (target: EventTarget | null) =>
      target instanceof Element ? target.closest<HTMLElement>('.kanban-card[data-task]') : null
    const onClick = (event: MouseEvent) => {
      const card = event.shiftKey ? cardOf(event.target) : null
      if (card === null) return
      swallow(event)
      const lane = [...(card.parentElement?.querySelectorAll<HTMLElement>('[data-task]') ?? [])]
      const from = lane.findIndex(({ dataset }) => dataset.task === anchor)
      const to = lane.indexOf(card)
      select(from === -1 ? [card] : lane.slice(Math.min(from, to), Math.max(from, to) + 1))
      anchor = card.dataset.task ?? null
    }
    const onKey = (event: KeyboardEvent) => {
      const card = event.shiftKey && event.key.startsWith('Arrow') ? cardOf(document.activeElement) : null
      // The board moves the focus with the same key.
      if (card !== null) setTimeout(() => select([card, cardOf(document.activeElement)]))
    }
    addEventListener('click', onClick, { signal, capture: true })
    addEventListener('keydown', onKey, { signal, capture: true })
    return () => ending.abort()
  }, [tasksOf])
}
