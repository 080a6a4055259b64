/**
 * Unfinished texts, kept in the browser over a closed panel, a reload and a new sign-in of the same person, until they are
 * saved, discarded, or the person signs out. The oldest are dropped first.
 */
import { useState } from 'react'
import { sessionOwner } from '../data/session-store.ts'
import { t } from '../language/index.ts'
import { toast } from './toasts.ts'

export interface Draft {
  readonly text: string
  /** The revision of the object that the text is based on. */
  readonly base: number
  /** What the text was before it was edited. */
  readonly was?: string
}

interface StoredDraft extends Draft {
  /** When it was written, in milliseconds. */
  readonly at: number
}

export interface DraftState {
  /** Null while nothing is written. */
  readonly draft: Draft | null
  /** Shows a text that is not worth keeping yet. */
  readonly begin: (draft: Draft) => void
  readonly save: (draft: Draft) => void
  readonly drop: () => void
  /** Drops the draft, and offers to bring it back. */
  readonly discard: (draft: Draft) => void
}

const prefix = 'atrium.draft '
const drafts_max = 50

export function useDraft(name: string): DraftState {
  const key = `${prefix}${sessionOwner()} ${name}`
  const [draft, setDraft] = useState<Draft | null>(() => stored(key))
  const save = (next: Draft) => {
    if (next.text === '') localStorage.removeItem(key)
    else store(key, next)
    setDraft(next)
  }
  const drop = () => {
    localStorage.removeItem(key)
    setDraft(null)
  }
  const discard = (discarded: Draft) => {
    drop()
    toast({ text: t('Text discarded'), undo: async () => save(discarded) })
  }
  return { draft, begin: setDraft, save, drop, discard }
}

/** Drops the drafts of this session. Ask for it before a person signs out, and call it afterwards. */
export function draftCleaner(): () => void {
  const ending = `${prefix}${sessionOwner()} `
  return () => {
    for (const key of Object.keys(localStorage)) if (key.startsWith(ending)) localStorage.removeItem(key)
  }
}

function stored(key: string): StoredDraft | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as StoredDraft | null
  } catch {
    return null
  }
}

function store(key: string, { text, base, was }: Draft): void {
  try {
    localStorage.setItem(
      key,
      JSON.stringify({ text, base, ...(was !== undefined && { was }), at: Date.now() } satisfies StoredDraft),
    )
  } catch {
    // Full or forbidden: the draft ends with its panel.
  }
  const keys = Object.keys(localStorage).filter((each) => each.startsWith(prefix))
  if (keys.length <= drafts_max) return
  const age = (each: string) => stored(each)?.at ?? 0
  for (const oldest of keys.toSorted((a, b) => age(a) - age(b)).slice(0, keys.length - drafts_max)) {
    localStorage.removeItem(oldest)
  }
}
