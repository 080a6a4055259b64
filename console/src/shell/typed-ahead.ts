/**
 * Keeps what is typed between ⌘K and the moment at which the palette's field has the focus. Without it, early letters would
 * be lost, or act as shortcuts of the page. ⌘K also counts while the session is read, before there is a page.
 */
import { openPalette, paletteIsOpen } from '../app/overlays.ts'
import { currentSession } from '../data/session-store.ts'

/** If the palette is not there by then, it does not come. */
const wait_ms_max = 20_000

/** Null while the palette is closed, and once its field has the focus. */
let typed: string | null = null
let started_at = 0

/** Call once. */
export function keepTypedAhead(): void {
  addEventListener('keydown', onKeyDown, { capture: true })
  paletteIsOpen.subscribe(() => {
    typed = paletteIsOpen.get() ? '' : null
    started_at = performance.now()
  })
}

/** Call when the field has the focus: what was typed before, which is no longer kept. */
export function takeTypedAhead(): string {
  const taken = typed ?? ''
  typed = null
  return taken
}

function onKeyDown(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey } = event
  if (typed === null) {
    if (key.toLowerCase() !== 'k' || !(ctrlKey || metaKey) || currentSession() !== undefined) return
    openPalette()
  } else if (ctrlKey || metaKey || altKey || event.isComposing || performance.now() - started_at > wait_ms_max) return
  else if (key === 'Backspace') typed = typed.slice(0, -1)
  else if ([...key].length === 1) typed += key
  else return
  event.preventDefault()
  event.stopImmediatePropagation()
}
