/**
 * Keeps the number of unread entries. The inbox has no events of its own: a worker writes it from the events of tasks, comments,
 * boards and runs, so each of these is a reason to look again, a moment later.
 */
import type { AtriumEvent } from '@atrium/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { setUnread } from '../../app/unread.ts'
import { keys, newestEvent, useEvents, useMode } from '../../data/index.ts'
import { useUnreadCount } from './reads.ts'

const told_objects: ReadonlySet<string> = new Set([
  'task',
  'comment',
  'board_member',
  'board_comment',
  'automation_run',
  'automation_flow',
])
/** The worker is usually done by then. */
const look_ms = 1200
/** How often the inbox is looked at again if the worker is behind. */
const looks_max = 5

export function InboxEverywhere() {
  const { data, refetch } = useUnreadCount()
  const client = useQueryClient()
  const mode = useMode()
  const wanted = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const lookLater = useCallback(
    (left: number) => {
      timer.current ??= setTimeout(async () => {
        timer.current = undefined
        const seen = (await refetch()).data
        void client.invalidateQueries({ queryKey: keys.lists(mode, 'notification') })
        if (seen !== undefined && seen.told_sequence < wanted.current && left > 1) lookLater(left - 1)
      }, look_ms)
    },
    [refetch, client, mode],
  )
  const onEvent = useCallback(
    ({ type, sequence }: AtriumEvent) => {
      if (!told_objects.has(nounOf(type))) return
      wanted.current = Math.max(wanted.current, sequence)
      lookLater(looks_max)
    },
    [lookLater],
  )
  useEvents(onEvent)
  // Events that came before this part of the page was loaded.
  useEffect(() => {
    const event = newestEvent()
    if (event === undefined) return
    wanted.current = Math.max(wanted.current, event.sequence)
    lookLater(looks_max)
  }, [lookLater])
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => setUnread(data?.unread_subjects ?? 0), [data])
  return null
}

/** `workflow.task.moved` is about a task, `automation.run.failed` about a run. */
function nounOf(type: string): string {
  const [area, noun = ''] = type.split('.')
  return area === 'automation' ? `automation_${noun}` : noun
}
