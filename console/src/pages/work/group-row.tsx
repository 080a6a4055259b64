/** The head of a group in the list of tasks, and its end, from which more tasks are read. */
import { ChevronDown, ChevronRight } from 'lucide-react'
import { ValueMark } from '../../app/filter/choice.tsx'
import { Button, formatLanguage } from '../../design/index.ts'
import { t, textLanguage } from '../../language/index.ts'
import type { HeadRow, MoreRow } from './task-tree.ts'

interface RowPlace {
  readonly index: number
  readonly count: number
  /** Pixels from the top of the list. */
  readonly start: number
}

interface GroupHeadProps extends RowPlace {
  readonly row: HeadRow
  readonly onToggle: (index: number) => void
}

export function GroupHead({ row, index, count, start, onToggle }: GroupHeadProps) {
  const { name, mark, isExpanded } = row
  return (
    <li
      className="task-row group-head"
      aria-posinset={index + 1}
      aria-setsize={count}
      data-index={index}
      style={{ transform: `translateY(${start}px)` }}
    >
      <button
        type="button"
        className="group-toggle"
        data-row-focus
        aria-expanded={isExpanded ?? undefined}
        aria-disabled={isExpanded === null || undefined}
        onClick={() => isExpanded !== null && onToggle(index)}
      >
        {isExpanded !== null && (isExpanded ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />)}
        {mark !== null && <ValueMark {...mark} />}
        <span className="cut">{name}</span>
        <span className="subtle numbers">
          {row.count.toLocaleString(formatLanguage())}
          <span className="unseen">{t('{count, plural, one { task} other { tasks}}', { count: row.count })}</span>
        </span>
      </button>
    </li>
  )
}

export function GroupEnd({ row, index, count, start }: RowPlace & { readonly row: MoreRow }) {
  const { name, left, onMore } = row
  const text = t('{left} more', { left: left.toLocaleString(textLanguage()) })
  return (
    <li
      className="task-row group-end"
      aria-posinset={index + 1}
      aria-setsize={count}
      data-index={index}
      style={{ transform: `translateY(${start}px)` }}
    >
      {onMore === null ? (
        <span className="subtle">{t('{text}. Add a filter to see them.', { text })}</span>
      ) : (
        <>
          <Button size="s" kind="quiet" data-row-focus aria-label={t('Show more of {name}', { name })} onClick={onMore}>
            {t('Show more')}
          </Button>
          <span className="subtle numbers">{text}</span>
        </>
      )}
    </li>
  )
}
