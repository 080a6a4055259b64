/** Work for the next frame of the page, or for soon if the page is hidden and draws none. */

export interface Frame {
  cancel(): void
}

const hidden_ms = 250

/** Work for a frame of a page that is hidden meanwhile waits until the page is seen again. */
export function nextFrame(work: () => void): Frame {
  if (document.hidden) {
    const timer = setTimeout(work, hidden_ms)
    return { cancel: () => clearTimeout(timer) }
  }
  const frame = requestAnimationFrame(work)
  return { cancel: () => cancelAnimationFrame(frame) }
}
