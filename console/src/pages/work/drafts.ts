import { useState } from 'react'

/** Unfinished texts, kept in memory while their panels are closed. The oldest are dropped first. */
const drafts = new Map<string, string>()
const drafts_max = 50

/** The draft of that name; `null` without a draft. */
export function useDraft(name: string): [string | null, (text: string | null) => void] {
  const [text, setText] = useState(() => drafts.get(name) ?? null)
  const save = (next: string | null) => {
    drafts.delete(name)
    if (next !== null && next !== '') drafts.set(name, next)
    for (const oldest of drafts.keys()) {
      if (drafts.size <= drafts_max) break
      drafts.delete(oldest)
    }
    setText(next)
  }
  return [text, save]
}
