/** The comments of a board as its guests read them: asked for every few seconds, because a guest has no stream of events. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { app } from '../../../data/app-api.ts'
import type { AnswerOf, BodyOf } from '../../../data/shapes.ts'
import type { Place } from '../live/pins.tsx'
import type { GuestHost } from './host.tsx'

export type GuestComment = AnswerOf<'POST board-guests/comments'>
export type SentGuestComment = Omit<BodyOf<'POST board-guests/comments'>, 'token' | 'key'>

export interface GuestThread {
  readonly id: string
  readonly first: GuestComment
  /** Oldest first. */
  readonly replies: readonly GuestComment[]
}

export interface GuestThreads {
  /** Newest first; undefined before they are read. */
  readonly all: readonly GuestThread[] | undefined
  readonly error: unknown
  readonly chosen: GuestThread | null
  readonly choose: (thread: string | null) => void
  readonly isPlacing: boolean
  readonly setPlacing: (isPlacing: boolean) => void
  /** The place of a thread whose first comment is being written. */
  readonly draft: Place | null
  readonly setDraft: (place: Place | null) => void
  /** Writes a comment and shows it. */
  readonly write: (sent: SentGuestComment) => Promise<GuestComment>
  /** Changes the text of an own comment. */
  readonly update: (comment: string, body: string) => Promise<GuestComment>
  /** Deletes an own comment; the first one with its thread. */
  readonly remove: (comment: string) => Promise<void>
}

const poll_ms = 4000
/** The server's limit for a board, in pages of 100. */
const pages_max = 20

export function useGuestThreads(host: GuestHost, canComment: boolean): GuestThreads {
  const { comments, error, look } = useComments(host, canComment)
  const [id, choose] = useState<string | null>(null)
  const [isPlacing, setPlacing] = useState(false)
  const [draft, setDraft] = useState<Place | null>(null)
  const all = useMemo(() => comments && threadsOf(comments), [comments])
  // The same comment sent again keeps its key, because its first answer may be lost.
  const latest = useRef({ text: '', key: '' })
  const write = async (sent: SentGuestComment) => {
    const text = JSON.stringify(sent)
    if (latest.current.text !== text) latest.current = { text, key: crypto.randomUUID() }
    const { key } = latest.current
    const made = await host.call((token) => app('POST board-guests/comments', { body: { token, key, ...sent } }))
    latest.current = { text: '', key: '' }
    await look()
    return made
  }
  const update = async (comment: string, body: string) => {
    const changed = await host.call((token) =>
      app('POST board-guests/comments/update', { body: { token, id: comment, body } }),
    )
    await look()
    return changed
  }
  const remove = async (comment: string) => {
    await host.call((token) => app('POST board-guests/comments/delete', { body: { token, id: comment } }))
    await look()
  }
  return {
    ...{ all, error, choose, isPlacing, setPlacing, draft, setDraft, write, update, remove },
    chosen: all?.find((thread) => thread.id === id) ?? null,
  }
}

function useComments(host: GuestHost, canComment: boolean) {
  const [comments, setComments] = useState<readonly GuestComment[]>()
  const [error, setError] = useState<unknown>(null)
  const known = useRef<string | undefined>(undefined)
  const look = useCallback(async () => {
    try {
      const { state, data } = await readAll(host, known.current)
      known.current = state
      if (data !== null) setComments(data)
      setError(null)
    } catch (reason) {
      setError(reason)
    }
  }, [host])
  useEffect(() => {
    if (!canComment) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isMounted = true
    const next = async () => {
      if (document.visibilityState === 'visible') await look()
      if (isMounted) timer = setTimeout(() => void next(), poll_ms)
    }
    void next()
    return () => {
      isMounted = false
      clearTimeout(timer)
    }
  }, [canComment, look])
  return { comments, error, look }
}

/** All comments; null if nothing has changed since a state. */
async function readAll(host: GuestHost, known: string | undefined) {
  const found: GuestComment[] = []
  let state = known
  let before: string | null = null
  for (let page = 0; page < pages_max; page++) {
    const from: string | null = before
    const answer: AnswerOf<'POST board-guests/comments/read'> = await host.call((token) =>
      app('POST board-guests/comments/read', {
        body: { token, ...(from === null ? (known === undefined ? {} : { state: known }) : { before: from }) },
      }),
    )
    if (page === 0) state = answer.state
    if (answer.data === null) return { state, data: null }
    found.push(...answer.data)
    before = answer.before
    if (before === null) break
  }
  return { state, data: found }
}

/** From comments, the newest first. */
function threadsOf(comments: readonly GuestComment[]): GuestThread[] {
  const replies = Map.groupBy(comments.filter(({ id, thread }) => id !== thread).toReversed(), ({ thread }) => thread)
  return comments
    .filter(({ id, thread }) => id === thread)
    .map((first) => ({ id: first.id, first, replies: replies.get(first.id) ?? [] }))
}
