/**
 * Right clicks before the parts that are on every page have loaded: a click on a row or card of a task waits for the menu
 * that these parts bring, instead of opening the browser's own.
 */

/** A click that waited longer than this is forgotten: the person is elsewhere by now. */
const held_ms_max = 3000

let held: { readonly event: MouseEvent; readonly at: number } | null = null
let isComplete = false

/** Begins to hold such clicks; any press calls `hasten`, so that what it is meant for loads at once. Returns the end of it. */
export function holdEarlyMenus(hasten: () => void): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const onMenu = (event: MouseEvent) => {
    const isOfTask = event.target instanceof Element && event.target.closest('[data-task]') !== null
    if (isComplete || event.shiftKey || !isOfTask) return
    event.preventDefault()
    held = { event, at: Date.now() }
  }
  addEventListener('pointerdown', hasten, { signal, capture: true, once: true })
  addEventListener('contextmenu', onMenu, { signal })
  return () => ending.abort()
}

/** All parts are loaded: the click that waits happens again, and the next ones are not held. */
export function completeMenus(): void {
  isComplete = true
  const waiting = held
  held = null
  if (waiting === null || Date.now() - waiting.at > held_ms_max) return
  const { target, clientX, clientY } = waiting.event
  target?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, button: 2, clientX, clientY }))
}
