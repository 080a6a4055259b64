import { useState } from 'react'

/** What is being written, kept while its panel is closed. As many as a person may have begun. */
const drafts = new Map<string, string>()
const drafts_max = 50

/** `null` where nothing is being written. */
export function useDraft(name: string): [string | null, (text: string | null) => void] {
  const [text, setText] = useState(() => drafts.get(name) ?? null)
  const set = (next: string | null) => {
    drafts.delete(name)
    if (next !== null && next !== '') drafts.set(name, next)
    for (const oldest of drafts.keys()) {
      if (drafts.size <= drafts_max) break
      drafts.delete(oldest)
    }
    setText(next)
  }
  return [text, set]
}
