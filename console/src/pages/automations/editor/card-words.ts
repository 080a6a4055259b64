/** The words of cards on the canvas. */
import { useMemo } from 'react'
import { filterWords } from '../../../app/filter/words.ts'
import { useNameOf } from './choices.ts'
import { useFlowFilter } from './filter-field.tsx'
import type { CardWords } from './summary.ts'

export function useCardWords(workspace: string): CardWords {
  const nameOf = useNameOf(workspace)
  const filter = useFlowFilter(workspace)
  return useMemo(() => ({ nameOf, filterWords: (text) => filterWords(text, filter) }), [filter, nameOf])
}
