/**
 * Where the focus goes when a dialog opens and closes: to its first field, else to the dialog itself (its first button is
 * the one that closes it), and then back to what had it, wherever that was opened from. Where that is gone: to what stands
 * for it, `elsewhere`.
 */
import { useRef } from 'react'

interface FocusReturn {
  readonly onOpenAutoFocus: (event: Event) => void
  readonly onCloseAutoFocus: (event: Event) => void
}

const fields = ':is(input, select, textarea):not([type="hidden"], [tabindex="-1"], :disabled)'

export function useFocusReturn(open: boolean, elsewhere?: () => HTMLElement | null): FocusReturn {
  const opener = useRef<Element | null>(null)
  const wasOpen = useRef(false)
  // While it is drawn for the first time the focus is still where it was; a field may take it before anything is told.
  if (open && !wasOpen.current) opener.current = document.activeElement
  wasOpen.current = open
  return {
    onOpenAutoFocus(event) {
      event.preventDefault()
      const dialog = event.currentTarget as HTMLElement
      const field = dialog.querySelector<HTMLElement>(fields)
      ;(field ?? dialog).focus()
    },
    onCloseAutoFocus(event) {
      event.preventDefault()
      const { current } = opener
      // What opened it may be gone with what was done.
      const to = current instanceof HTMLElement && current.isConnected && current !== document.body ? current : null
      ;(to ?? elsewhere?.() ?? document.querySelector<HTMLElement>('main'))?.focus()
    },
  }
}
