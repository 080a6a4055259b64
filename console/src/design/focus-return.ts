/**
 * The focus of dialogs. On opening it moves to the first field, else to the dialog itself, because the first button is
 * Close. On closing it returns to the opener, else to `fallback`, else to the main content.
 */
import { useRef } from 'react'

interface FocusReturn {
  readonly onOpenAutoFocus: (event: Event) => void
  readonly onCloseAutoFocus: (event: Event) => void
}

const fields = ':is(input, select, textarea):not([type="hidden"], [tabindex="-1"], :disabled)'

export function useFocusReturn(open: boolean, fallback?: () => HTMLElement | null): FocusReturn {
  const opener = useRef<Element | null>(null)
  const wasOpen = useRef(false)
  // Read during the first render: a field with autofocus takes the focus before any callback runs.
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
      // The action may have removed the opener.
      const target = current instanceof HTMLElement && current.isConnected && current !== document.body ? current : null
      ;(target ?? fallback?.() ?? document.querySelector<HTMLElement>('main'))?.focus()
    },
  }
}
