/** A button for what cannot be undone: it asks first, and stays open with the error if the write fails. */
import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useKept } from '../data/write.ts'
import { Button, type ButtonLook } from '../design/button.tsx'
import { ConfirmDialog } from '../design/dialog.tsx'
import { FormError } from './error-state.tsx'

interface ConfirmButtonProps {
  /** The verb, on the button and in the dialog: Delete. */
  readonly action: string
  readonly icon?: LucideIcon
  readonly kind?: ButtonLook['kind']
  /** A question that names the object. */
  readonly title: string
  /** The consequences. */
  readonly children: ReactNode
  /** A text to type first. */
  readonly typed?: string | undefined
  readonly write: { readonly busy: boolean; readonly error: unknown; readonly isKept?: boolean }
  /** Resolves to undefined if the write failed or is kept until the server can be reached. */
  readonly run: () => Promise<unknown>
  readonly onDone: () => void
}

export function ConfirmButton(props: ConfirmButtonProps) {
  const { action, icon, kind, title, children, typed, write, run, onDone } = props
  const [isAsking, setAsking] = useState(false)
  useKept(write, onDone)
  const confirm = async () => {
    if ((await run()) !== undefined) onDone()
  }
  return (
    <>
      <Button {...(icon && { icon })} {...(kind && { kind })} onClick={() => setAsking(true)}>
        {action}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={title}
        action={action}
        {...(typed !== undefined && { typed })}
        busy={write.busy}
        error={<FormError error={write.error} />}
        onConfirm={() => void confirm()}
      >
        {children}
      </ConfirmDialog>
    </>
  )
}
