/** Files dropped where nothing takes them. */

export function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false
}

/** They take dropped files in their own ways. */
const takers = 'input, textarea, [contenteditable="true"], .excalidraw'

/**
 * Refuses files where nothing takes them: the browser would open the file in place of the page, and what is not saved would
 * be lost.
 */
export function refuseStrayFiles(): () => void {
  const refuse = (event: DragEvent) => {
    const target = event.target as Element | null
    if (!hasFiles(event) || event.defaultPrevented || target?.closest(takers)) return
    event.preventDefault()
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none'
  }
  addEventListener('dragover', refuse)
  addEventListener('drop', refuse)
  return () => {
    removeEventListener('dragover', refuse)
    removeEventListener('drop', refuse)
  }
}
