/** The threads of a board: what the API lists as comments, and which of them the page shows. */
import type { BoardComment } from '@atrium/sdk'
import { useEffect, useMemo, useState } from 'react'
import { useAll, useUrlChange, useUrlParam } from '../../../data/index.ts'
import type { Place } from './pins.tsx'

export interface Thread {
  readonly id: string
  readonly first: BoardComment
  /** Oldest first. */
  readonly replies: readonly BoardComment[]
  /** The beginning of the first comment, without its marks. */
  readonly text: string
}

export interface BoardThreads {
  readonly board: string
  readonly list: {
    /** Newest first; undefined before they are read. */
    readonly all: readonly Thread[] | undefined
    readonly error: Error | null
    readonly refetch: () => void
  }
  readonly chosen: Thread | null
  readonly open: (thread: string | null) => void
  /** The person chooses the place of a new thread. */
  readonly isPlacing: boolean
  readonly setPlacing: (isPlacing: boolean) => void
  /** The place of a thread whose first comment is being written. */
  readonly draft: Place | null
  readonly setDraft: (place: Place | null) => void
  readonly withResolved: boolean
  readonly setWithResolved: (withResolved: boolean) => void
}

/** The API's limit for a board. */
const comments_max = 2000
const text_chars_max = 140

export function useThreads(board: string): BoardThreads {
  const { data, error, refetch } = useAll<BoardComment>(
    'board_comment',
    { board },
    (atrium) => atrium.boards.comments.list(board, { limit: 100 }),
    { max: comments_max },
  )
  const all = useMemo(() => data && threadsOf(data), [data])
  const [thread] = useUrlParam('thread')
  const change = useUrlChange()
  const [isPlacing, setPlacing] = useState(false)
  const [draft, setDraft] = useState<Place | null>(null)
  const [withResolved, setWithResolved] = useState(false)
  useEffect(() => {
    if (!isPlacing) return
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && setPlacing(false)
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [isPlacing])
  return {
    board,
    list: { all, error: data === undefined ? error : null, refetch: () => void refetch() },
    chosen: all?.find(({ id }) => id === thread) ?? null,
    open: (id) => change({ panel: 'comments', thread: id }),
    ...{ isPlacing, setPlacing, draft, setDraft, withResolved, setWithResolved },
  }
}

/** The API lists the newest comment first. */
function threadsOf(comments: readonly BoardComment[]): Thread[] {
  const replies = Map.groupBy(comments.filter(({ id, thread }) => id !== thread).toReversed(), ({ thread }) => thread)
  return comments
    .filter(({ id, thread }) => id === thread)
    .map((first) => ({ id: first.id, first, replies: replies.get(first.id) ?? [], text: plain(first.body) }))
}

/** The text without its marks, mentions by their names. */
function plain(body: string): string {
  const text = body
    .replace(/\[@([^\]]{1,200})\]\(atrium:[^)]{1,60}\)/g, '@$1')
    .replace(/[*_`~]+/g, '')
    .replace(/\s+/g, ' ')
  return text.length <= text_chars_max ? text : `${text.slice(0, text_chars_max)}…`
}
