/** What changed between two texts, word by word, in a chunk of its own. */
import './word-diff.css'
import { diffWordsWithSpace } from 'diff'
import { text_limits } from './limits.ts'

interface WordDiffProps {
  readonly before: string
  readonly after: string
}

/** Words of unchanged text that stay beside a change. */
const context_chars = 120

export function WordDiff({ before, after }: WordDiffProps) {
  const parts = diffWordsWithSpace(before, after, { maxEditLength: text_limits.diff_edits_max }) ?? [
    // Texts with little in common are shown one after the other.
    { value: before, removed: true, added: false, count: 1 },
    { value: after, removed: false, added: true, count: 1 },
  ]
  return (
    <p className="word-diff" dir="auto">
      {parts.map(({ value, added, removed }, i) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity
        if (added) return <ins key={i}>{value}</ins>
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity
        if (removed) return <del key={i}>{value}</del>
        return shortened(value, i > 0, i < parts.length - 1)
      })}
    </p>
  )
}

/** Unchanged text without what is far from any change. */
function shortened(text: string, isAfterChange: boolean, isBeforeChange: boolean): string {
  const [head, tail] = [isAfterChange ? context_chars : 0, isBeforeChange ? context_chars : 0]
  if (text.length <= head + tail + 20) return text
  return `${text.slice(0, head).toWellFormed()} … ${text.slice(text.length - tail).toWellFormed()}`
}
