import { useEffect, useRef } from 'react'
import { useShortcut } from '../../app/shortcuts.ts'
import { t } from '../../language/index.ts'
import { neighbour } from './board-focus.ts'

/**
 * The arrow keys of a page on which nothing has the focus begin a walk over its rows or cards. Where something has the
 * focus, they are its own. `step`: 1 for down, -1 for up.
 */
export function usePageArrows(begin: (step: 1 | -1) => void): void {
  const beginOnPage = (event: KeyboardEvent, step: 1 | -1) => isPage(event.target) && begin(step)
  useShortcut('arrowdown', t('Next task'), (event) => beginOnPage(event, 1))
  useShortcut('arrowup', t('Previous task'), (event) => beginOnPage(event, -1))
}

function isPage(target: EventTarget | null): boolean {
  return target === document.body || (target instanceof HTMLElement && target.id === 'main')
}

/**
 * The keys of a board: j and k go on from the card that had the focus last, wherever the focus is now; the arrow keys do so
 * while nothing has it. The first card begins a walk.
 */
export function useBoardArrows(): void {
  const last = useLastCard()
  const walk = (step: 1 | -1) => {
    const card = cardOf(document.activeElement) ?? cardOf(document.querySelector(`[data-card="${last.current}"]`))
    if (card === null) document.querySelector<HTMLElement>('#main [data-card] a')?.focus()
    else (neighbour(card, step === 1 ? 'j' : 'k') ?? card.querySelector('a'))?.focus()
  }
  usePageArrows(walk)
  useShortcut('j', t('Next task'), () => walk(1))
  useShortcut('k', t('Previous task'), () => walk(-1))
}

/** The id of the card that had the focus last. */
function useLastCard() {
  const last = useRef<string | undefined>(undefined)
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      last.current = cardOf(target as Element)?.dataset.card ?? last.current
    }
    document.addEventListener('focusin', onFocus)
    return () => document.removeEventListener('focusin', onFocus)
  }, [])
  return last
}

function cardOf(element: Element | null): HTMLElement | null {
  return element?.closest<HTMLElement>('#main [data-card]') ?? null
}
