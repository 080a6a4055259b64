/** The excerpt of a result with its matches marked. */
import './search.css'
import type { SearchResult } from '@atrium/sdk'
import type { ReactNode } from 'react'

export function Excerpt({ excerpt, highlights }: Pick<SearchResult, 'excerpt' | 'highlights'>) {
  const parts: ReactNode[] = []
  let shown = 0
  for (const [start = 0, end = 0] of highlights) {
    parts.push(excerpt.slice(shown, start), <mark key={start}>{excerpt.slice(start, end)}</mark>)
    shown = end
  }
  return (
    <span className="search-excerpt">
      {parts}
      {excerpt.slice(shown)}
    </span>
  )
}
