import { type ComponentProps, useState } from 'react'

type ButtonProps = ComponentProps<'button'>

/**
 * A browser takes the focus from a button that is disabled, and the keyboard starts again at the top of the page. A button that
 * has the focus keeps it until the person leaves it: it says that it is disabled, and ignores clicks.
 */
export function useKeptFocus({ disabled, onFocus, onBlur, onClick }: ButtonProps, busy = false): ButtonProps {
  const [hasFocus, setFocus] = useState(false)
  const isIdle = busy || (hasFocus && disabled)
  return {
    disabled: disabled && !hasFocus,
    'aria-disabled': isIdle || undefined,
    onFocus: (event) => {
      setFocus(true)
      onFocus?.(event)
    },
    onBlur: (event) => {
      setFocus(false)
      onBlur?.(event)
    },
    onClick: isIdle ? (event) => event.preventDefault() : onClick,
  }
}
