/** What is kept until the server can be reached, at the place where it will stand. */
import './kept-lines.css'
import { Clock } from 'lucide-react'
import { t } from '../language/index.ts'

interface KeptLinesProps {
  readonly label: string
  readonly lines: readonly string[]
}

export function KeptLines({ label, lines }: KeptLinesProps) {
  if (lines.length === 0) return null
  return (
    <ul className="kept" aria-label={label}>
      {lines.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same text
        <li className="kept-line" key={i}>
          <Clock aria-hidden="true" className="kept-icon" />
          <span className="kept-text">{line}</span>
          <span className="kept-state">{t('Not sent yet')}</span>
        </li>
      ))}
    </ul>
  )
}
