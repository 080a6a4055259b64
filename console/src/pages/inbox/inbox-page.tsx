/** The inbox: what has happened that concerns the person, grouped by task, beside the task's panel. */
import './inbox.css'
import { CheckCheck, Inbox } from 'lucide-react'
import { type ReactNode, Suspense, useMemo, useRef } from 'react'
import { useLocation } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { usePageKey } from '../../app/page-keys.ts'
import { useShortcut } from '../../app/shortcuts.ts'
import { useSwipes } from '../../app/swipe.ts'
import { useTaskPanel } from '../../app/task-panel.ts'
import { type ListResult, useDirectory, useUrlPanel, useUrlParam } from '../../data/index.ts'
import { Button, Empty, More, Page, Segments, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { pageOf } from './entry-text.tsx'
import { GroupRow } from './group-row.tsx'
import { type Group, groupsOf, useEntries, type View } from './reads.ts'
import { snoozeTimes } from './snooze-times.ts'
import { useMute, useRead, useReadAll, useSnooze, useUnreadMark } from './writes.ts'

const views: readonly { readonly value: View; readonly label: string }[] = [
  { value: 'open', label: t('All') },
  { value: 'unread', label: t('Unread') },
  { value: 'snoozed', label: t('Snoozed') },
]

export function InboxPage() {
  const [text, setView] = useUrlParam('view', 'open')
  const view = views.find(({ value }) => value === text)?.value ?? 'open'
  const list = useEntries(view)
  const readAll = useReadAll()
  const newest = list.rows?.[0]
  const hasUnread = list.rows?.some(({ read_at }) => read_at === null) ?? false
  return (
    <Page
      title={t('Inbox')}
      width="narrow"
      actions={
        <Button
          icon={CheckCheck}
          disabled={!hasUnread || view === 'snoozed'}
          onClick={() => newest && void readAll.run(newest.id)}
        >
          {t('Mark all read')}
        </Button>
      }
    >
      <div className="stack">
        <Segments label={t('Show')} value={view} choices={views} onChange={setView} />
        <Entries list={list} view={view} />
      </div>
    </Page>
  )
}

const empty_texts: Readonly<Record<View, readonly [title: string, text: string]>> = {
  open: [t('Nothing here yet'), t('Assignments, mentions, and what happens to the tasks that you watch appear here.')],
  unread: [t('You have read everything'), t('New entries appear here by themselves.')],
  snoozed: [t('Nothing is put off'), t('Press h on an entry to see it again later.')],
}

function Entries({ list, view }: { readonly list: ListResult<Group['newest']>; readonly view: View }) {
  const { isLoading } = useDirectory()
  const groups = useMemo(() => groupsOf(list.rows ?? []), [list.rows])
  if (list.error) return <ErrorState error={list.error} onRetry={list.refetch} />
  if (list.rows === undefined || isLoading) return <SkeletonLines lines={10} />
  if (groups.length === 0) {
    const [title, text] = empty_texts[view]
    return (
      <Empty icon={Inbox} title={title}>
        {text}
      </Empty>
    )
  }
  return (
    <>
      <GroupList groups={groups} />
      <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.loadMore} shown={groups.length} />
    </>
  )
}

function GroupList({ groups }: { readonly groups: readonly Group[] }) {
  const panel = useUrlPanel('task', ['part'])
  const [, navigate] = useLocation()
  const [read, unread, snooze, mute] = [useRead(), useUnreadMark(), useSnooze(), useMute()]
  const current = groups.find(({ subject }) => subject.id === panel.value)
  const show = (group: Group) => {
    if (group.isUnread) void read.run(group)
    if (group.subject.object === 'task') panel.open(group.subject.id)
    else navigate(pageOf(group.newest))
  }
  const walk = useWalk(groups, current, panel.value !== null)
  const step = (by: 1 | -1) => {
    const next = walk(by)
    if (next === undefined) return
    focusRow(next)
    if (next.subject.object === 'task') show(next)
    // Its page would replace the inbox: Enter opens it.
    else panel.close()
  }
  const put = (group: Group) => {
    const [, tomorrow] = snoozeTimes()
    if (tomorrow) void snooze.run({ group, until: tomorrow.at, said: t('Put off until tomorrow morning') })
  }
  const writes: GroupWrites = {
    read: (group) => void read.run(group),
    unread: (group) => void unread.run(group),
    mute: (group) => void mute.run(group),
    put,
  }
  useGroupKeys(groups, current, writes)
  useShortcut('j', t('Next entry'), () => step(1))
  useShortcut('k', t('Previous entry'), () => step(-1))
  useSwipedGroups(groups, writes)
  return (
    <>
      <ul className="inbox" aria-label={t('Entries')}>
        {groups.map((group) => (
          <GroupRow
            key={group.subject.id}
            group={group}
            isOpen={group === current}
            onOpen={() => show(group)}
            onRead={() => void (group.isUnread ? read : unread).run(group)}
            onSnooze={(until, said) => void snooze.run({ group, until, said })}
            onMute={() => void mute.run(group)}
          />
        ))}
      </ul>
      {panel.value !== null && <Panel id={panel.value} onClose={panel.close} />}
    </>
  )
}

/**
 * The group before or after the one with the focus, else the open one. Where the open one has left the list, because only unread ones
 * are listed, its place is known.
 */
function useWalk(groups: readonly Group[], current: Group | undefined, isOpen: boolean) {
  const place = useRef(-1)
  return (by: 1 | -1): Group | undefined => {
    const own = focusedGroup(groups) ?? current
    const isGone = own === undefined && isOpen && place.current >= 0
    const from = by > 0 ? -1 : groups.length
    const at = own !== undefined ? groups.indexOf(own) : isGone ? place.current - (by > 0 ? 1 : 0) : from
    if (groups[at + by] !== undefined) place.current = at + by
    return groups[at + by]
  }
}

interface GroupWrites {
  readonly read: (group: Group) => void
  readonly unread: (group: Group) => void
  readonly mute: (group: Group) => void
  readonly put: (group: Group) => void
}

/** Keys act on the group with the focus, else on the open one. */
function useGroupKeys(groups: readonly Group[], current: Group | undefined, writes: GroupWrites): void {
  const onFocused = (act: (group: Group) => void) => () => {
    const group = focusedGroup(groups) ?? current
    if (group === undefined) return false
    act(group)
  }
  // Elsewhere it edits the title of the open task: what is typed next would change it.
  usePageKey('e')
  useShortcut('e', t('Mark read'), onFocused(writes.read))
  useShortcut('u', t('Mark unread'), onFocused(writes.unread))
  useShortcut('h', t('Put off until tomorrow morning'), onFocused(writes.put))
  useShortcut(
    'm',
    t('Mute the task'),
    onFocused((group) => group.subject.object === 'task' && writes.mute(group)),
  )
}

/** A swipe to the right marks a group read or unread, one to the left puts it off. */
function useSwipedGroups(groups: readonly Group[], { read, unread, put }: GroupWrites): void {
  useSwipes({
    rows: `[${row_attribute}]`,
    actionOf: (row, side) => {
      const group = groups.find(({ subject }) => subject.id === row.getAttribute(row_attribute))
      if (group === undefined) return null
      if (side === 'left') return { label: t('Tomorrow'), tone: 'info', run: () => put(group) }
      if (group.isUnread) return { label: t('Read'), tone: 'ok', run: () => read(group) }
      return { label: t('Unread'), tone: 'ok', run: () => unread(group) }
    },
  })
}

function Panel({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactNode {
  const TaskPanel = useTaskPanel()
  return (
    TaskPanel && (
      <Suspense>
        <TaskPanel id={id} onClose={onClose} />
      </Suspense>
    )
  )
}

const row_attribute = 'data-group'

function focusRow({ subject }: Group): void {
  document.querySelector<HTMLElement>(`[${row_attribute}="${subject.id}"] .inbox-open`)?.focus()
}

/** The group whose row has the focus. */
function focusedGroup(groups: readonly Group[]): Group | undefined {
  const id = document.activeElement?.closest(`[${row_attribute}]`)?.getAttribute(row_attribute)
  return groups.find(({ subject }) => subject.id === id)
}
