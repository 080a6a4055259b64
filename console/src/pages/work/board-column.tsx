/** A lane of the board: its cards, its menu, and the field for a new card. */
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import type { Column, Project, Task } from '@atrium/sdk'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { ArrowLeft, ArrowRight, MoreHorizontal, Pencil, Plus, Trash2 } from 'lucide-react'
import { memo, type Ref, type RefObject, useEffect, useRef, useState } from 'react'
import { KeptLines } from '../../app/kept-lines.tsx'
import { StatusMark } from '../../app/tasks/marks.tsx'
import { useHasRole, useKeptObjects, useMode, useWrite } from '../../data/index.ts'
import { withOrganization } from '../../data/link-organization.ts'
import { withMode } from '../../data/mode.ts'
import { Button, ConfirmDialog, formatLanguage, IconButton, Menu, Skeleton } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { AddCard } from './board-add.tsx'
import { type BoardActions, BoardCard } from './board-card.tsx'
import type { HeldCard } from './board-keyboard.ts'
import type { Lane, LaneTasks } from './board-lanes.ts'
import { withoutCard } from './board-order.ts'
import { ColumnDialog } from './column-dialog.tsx'
import { useColumnOrder } from './column-order.ts'
import { ApplyStatus } from './column-status.tsx'

/** Cards rendered beyond either edge of the view. */
const overscan = 4
/** The height of a card whose title fills one line, and the space between cards, in pixels. */
const card_px = 96
const gap_px = 8
/** More tasks are read when the view is this near to the last one read. */
const ahead_tasks = 20

interface BoardColumnProps {
  readonly project: Project
  readonly columns: readonly Column[]
  readonly lanes: readonly Lane[]
  readonly shown: LaneTasks
  /** The card that the keyboard holds, if it is in this lane. */
  readonly held: HeldCard | null
  /** The task whose card is shown elsewhere, because the keyboard holds it. */
  readonly away: string | null
  /** The task that is dragged by pointer. */
  readonly dragged: string | null
  /** The task that was just added, which is scrolled into view. */
  readonly added: string | null
  readonly isNear: boolean
  readonly actions: ColumnActions
}

export interface ColumnActions extends BoardActions {
  readonly onMore: (lane: string) => void
  readonly onAdded: (task: Task) => void
  readonly onHideDone: (hides: boolean) => void
}

export const BoardColumn = memo(function BoardColumn(props: BoardColumnProps) {
  const { shown, project, columns, actions } = props
  const { lane, count } = shown
  const order = useColumnOrder(project, columns)
  const { box, head, over } = useDropping({ lane, onColumn: order.moveBefore })
  const isArchived = project.status === 'archived'
  const mayChange = useHasRole('member') && !isArchived
  const column = columns.find(({ id }) => id === lane.column)
  return (
    <section
      className="board-column"
      data-column={lane.id}
      data-over={over ?? undefined}
      aria-label={lane.name}
      ref={box}
    >
      <header className="board-head" ref={head} data-movable={(lane.column !== null && mayChange) || undefined}>
        {lane.status === null ? (
          <span className="board-color" style={lane.color ? { background: lane.color } : undefined} />
        ) : (
          <span className="board-status" style={lane.color ? { color: lane.color } : undefined}>
            <StatusMark status={lane.status} />
          </span>
        )}
        <h2 className="board-name cut">{lane.name}</h2>
        <span className="subtle numbers">
          {count.toLocaleString(formatLanguage())}
          <span className="unseen">{t('{count, plural, one { task} other { tasks}}', { count })}</span>
        </span>
        {column !== undefined && mayChange && (
          <ColumnMenu project={project} column={column} columns={columns} count={count} />
        )}
      </header>
      <Cards {...props} />
      {shown.hidesDone !== null && (
        <Button kind="quiet" size="s" className="board-done" onClick={() => actions.onHideDone(!shown.hidesDone)}>
          {shown.hidesDone ? t('Show done older than 14 days') : t('Hide done older than 14 days')}
        </Button>
      )}
      {!isArchived && <AddCard project={project} column={lane.column} name={lane.name} onAdded={actions.onAdded} />}
    </section>
  )
})

function KeptTasks({ project, column }: { readonly project: string; readonly column: string | null }) {
  const kept = useKeptObjects('/v1/tasks').filter(
    (task) => task.project === project && (task.column ?? null) === column,
  )
  return <KeptLines label={t('Tasks not sent yet')} lines={kept.map(({ title }) => String(title))} />
}

/** The cards near the view. The others are only a height. */
function Cards(props: BoardColumnProps) {
  const { project, lanes, shown, held, isNear, actions } = props
  const mode = useMode()
  const frame = useRef<HTMLDivElement>(null)
  const { lane, count, isReading } = shown
  const { rows, gap, cards } = useCardWindow(frame, props)
  const isEmpty = rows.length === 0 && shown.tasks !== undefined
  return (
    <div className="board-cards" ref={frame}>
      <ul
        aria-label={t('Tasks in {name}', { name: lane.name })}
        aria-busy={isReading || undefined}
        style={{ height: cards.getTotalSize() }}
      >
        {cards.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index]
          if (row === undefined) return null
          if (row === 'gap')
            return (
              <Gap
                key={key}
                index={index}
                top={start}
                measure={cards.measureElement}
                onMore={() => actions.onMore(lane.id)}
              />
            )
          return (
            <BoardCard
              key={key}
              task={row}
              to={withOrganization(withMode(`/work/projects/${project.id}?task=${row.key}`, mode))}
              lanes={lanes}
              lane={lane.id}
              index={gap !== null && index > gap ? index - 1 : index}
              count={count}
              top={start}
              isHeld={row.id === held?.task.id}
              isFixed={project.status === 'archived'}
              measure={cards.measureElement}
              actions={actions}
            />
          )
        })}
      </ul>
      <KeptTasks project={project.id} column={lane.column} />
      {isEmpty && <p className="board-none subtle">{t('No tasks. Drop a card here or add one.')}</p>}
      {shown.tasks === undefined && shown.error === null && isNear && <CardSkeletons />}
      {shown.tasks === undefined && shown.error !== null && (
        <p className="board-none subtle">{t('The tasks could not be read.')}</p>
      )}
    </div>
  )
}

/** The rows of a lane, and which of them are rendered. */
function useCardWindow(frame: RefObject<HTMLElement | null>, props: BoardColumnProps) {
  const { shown, held, away, dragged, added, isNear, actions } = props
  const { rows, gap } = rowsOf(shown, held, away)
  const pinned = rows.findIndex((row) => row !== 'gap' && (row.id === held?.task.id || row.id === dragged))
  const cards = useVirtualizer({
    count: isNear || held !== null ? rows.length : 0,
    getScrollElement: () => frame.current,
    estimateSize: (index) => (rows[index] === 'gap' ? 44 : card_px),
    getItemKey: (index) => keyOf(rows[index]),
    gap: gap_px,
    overscan,
    // A card that is held or dragged stays in the page, and with it the focus and the pointer.
    rangeExtractor: (range) => {
      const visible = defaultRangeExtractor(range)
      return pinned === -1 || visible.includes(pinned) ? visible : [...visible, pinned].sort((a, b) => a - b)
    },
  })
  const { startIndex = 0, endIndex = 0 } = cards.range ?? {}
  // The gap that is near, by its place: a page that was read moves it.
  const isAtGap = gap !== null && endIndex >= gap - ahead_tasks && startIndex <= gap
  // At the end of the lane the person looks at the tasks after the gap; reading more would push them away.
  const isAtEnd = gap !== null && gap < rows.length - 1 && endIndex === rows.length - 1
  const wanted = isNear && isAtGap && !isAtEnd ? gap : null
  useEffect(() => {
    if (wanted !== null) actions.onMore(shown.lane.id)
  }, [wanted, actions, shown.lane.id])
  const heldIndex = held === null ? -1 : pinned
  useEffect(() => {
    if (heldIndex !== -1) cards.scrollToIndex(heldIndex, { align: 'auto' })
  }, [cards, heldIndex])
  const addedIndex = added === null ? -1 : rows.findIndex((row) => keyOf(row) === added)
  const isAdded = addedIndex !== -1
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each task, not when others move it
  useEffect(() => {
    if (isAdded) cards.scrollToIndex(addedIndex, { align: 'auto' })
  }, [cards, added, isAdded])
  return { rows, gap, cards }
}

type Row = Task | 'gap'

function keyOf(row: Row | undefined): string {
  return row === undefined || row === 'gap' ? 'gap' : row.id
}

/** The tasks with the gap among them, and the held card at the place where it would be dropped. */
function rowsOf(shown: LaneTasks, held: HeldCard | null, away: string | null) {
  const { others, gap } = away === null ? { others: shown.tasks ?? [], gap: shown.gap } : withoutCard(shown, away)
  const rows: Row[] = [...others]
  if (held !== null) rows.splice(Math.min(held.index, rows.length), 0, held.task)
  const at = gap === null ? null : held !== null && held.index <= gap ? gap + 1 : gap
  if (at !== null) rows.splice(at, 0, 'gap')
  return { rows, gap: at }
}

interface GapProps {
  readonly index: number
  readonly top: number
  readonly measure: Ref<HTMLLIElement>
  readonly onMore: () => void
}

/** Stands for the tasks that are not read yet. */
function Gap({ index, top, measure, onMore }: GapProps) {
  return (
    <li className="board-gap" data-index={index} ref={measure} style={{ transform: `translateY(${top}px)` }}>
      <Button kind="quiet" size="s" onClick={onMore}>
        {t('Show more tasks')}
      </Button>
    </li>
  )
}

export function CardSkeletons() {
  return ['a', 'b', 'c'].map((card) => (
    <div className="board-skeleton" key={card}>
      <Skeleton height="5.5rem" />
    </div>
  ))
}

interface Dropping {
  readonly lane: Lane
  readonly onColumn: (column: string, target: string) => void
}

/** Accepts other columns, which are dragged by their heads. */
function useDropping(dropping: Dropping) {
  const box = useRef<HTMLElement>(null)
  const head = useRef<HTMLElement>(null)
  const [over, setOver] = useState<'column' | null>(null)
  const latest = useRef(dropping)
  latest.current = dropping
  const { id, column } = dropping.lane
  const isColumn = column !== null
  useEffect(() => {
    const [element, handle] = [box.current, head.current]
    if (element === null || handle === null || !isColumn) return
    return combine(
      draggable({ element: handle, getInitialData: () => ({ column: id }) }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => 'column' in source.data,
        onDragEnter: () => setOver('column'),
        onDragLeave: () => setOver(null),
        onDrop: ({ source }) => {
          setOver(null)
          if (typeof source.data.column === 'string') latest.current.onColumn(source.data.column, id)
        },
      }),
    )
  }, [id, isColumn])
  return { box, head, over }
}

interface ColumnMenuProps {
  readonly project: Project
  readonly column: Column
  readonly columns: readonly Column[]
  /** How many tasks the column has. */
  readonly count: number
}

function ColumnMenu({ project, column, columns, count }: ColumnMenuProps) {
  const [dialog, setDialog] = useState<'edit' | 'delete' | 'add' | null>(null)
  const [offer, setOffer] = useState<{ readonly column: Column; readonly count: number } | null>(null)
  const order = useColumnOrder(project, columns)
  const close = () => setDialog(null)
  const index = columns.findIndex(({ id }) => id === column.id)
  const isLast = index === columns.length - 1
  return (
    <>
      <Menu
        label={t('Column {name}', { name: column.name })}
        trigger={<IconButton icon={MoreHorizontal} label={t('Actions for {name}', { name: column.name })} size="s" />}
        items={[
          { label: t('Edit…'), icon: Pencil, onSelect: () => setDialog('edit') },
          { label: t('Move left'), icon: ArrowLeft, disabled: index <= 0, onSelect: () => order.moveBy(column.id, -1) },
          { label: t('Move right'), icon: ArrowRight, disabled: isLast, onSelect: () => order.moveBy(column.id, 1) },
          { label: t('New column…'), icon: Plus, onSelect: () => setDialog('add') },
          'line',
          { label: t('Delete…'), icon: Trash2, danger: true, onSelect: () => setDialog('delete') },
        ]}
      />
      {dialog === 'edit' && (
        <ColumnDialog
          project={project}
          column={column}
          onClose={close}
          onStatus={(changed, others) => setOffer({ column: changed, count: others })}
        />
      )}
      {offer !== null && <ApplyStatus {...offer} onClose={() => setOffer(null)} />}
      {dialog === 'add' && <ColumnDialog project={project} onClose={close} />}
      {dialog === 'delete' && <DeleteColumn column={column} count={count} onClose={close} />}
    </>
  )
}

interface DeleteColumnProps extends Pick<ColumnMenuProps, 'column' | 'count'> {
  readonly onClose: () => void
}

function DeleteColumn({ column: { id, name }, count, onClose }: DeleteColumnProps) {
  const write = useWrite({
    write: (atrium) => atrium.columns.delete(id),
    invalidates: ['task'],
    done: () => t('{name} deleted', { name }),
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('Delete “{name}”?', { name })}
      action={t('Delete')}
      busy={write.busy}
      onConfirm={() => void write.run(undefined).then(onClose)}
    >
      {count === 0
        ? t('The column has no tasks.')
        : t('Its {count, plural, one {task stays} other {# tasks stay}} in the project, without a column.', { count })}
    </ConfirmDialog>
  )
}
