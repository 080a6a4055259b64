/** Work for the next frame of a page, or for soon while the page is hidden and draws none. */

export interface Frame {
  cancel(): void
}

const hidden_ms = 250

export function nextFrame(work: () => void): Frame {
  const end = () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
  const run = () => {
    end()
    work()
  }
  const frame = requestAnimationFrame(run)
  const timer = setTimeout(run, hidden_ms)
  return { cancel: end }
}
