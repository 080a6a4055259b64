import { useShortcut } from '../../app/shortcuts.ts'
import { t } from '../../language/index.ts'

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

/** The same for the cards of a board, where j and k are arrow keys, too. */
export function useBoardArrows(): void {
  const begin = () => document.querySelector<HTMLElement>('#main [data-card] a')?.focus()
  const beginOnPage = (event: KeyboardEvent) => isPage(event.target) && begin()
  usePageArrows(begin)
  useShortcut('j', t('Next task'), beginOnPage)
  useShortcut('k', t('Previous task'), beginOnPage)
}
