/**
 * A dialog with one form: its fields, the error of its write, Cancel, and the button that submits it. It closes when the
 * write is kept until the server can be reached.
 */
import type { ComponentProps, ReactNode } from 'react'
import { useKept } from '../data/write.ts'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { t } from '../language/index.ts'
import { FormError } from './error-state.tsx'

interface FormDialogProps extends Pick<ComponentProps<typeof Dialog>, 'title' | 'description' | 'size'> {
  /** The label of the button that submits. */
  readonly action: string
  /** Whether the fields can be submitted as they are. */
  readonly isReady?: boolean
  readonly write: { readonly busy: boolean; readonly error: unknown; readonly isKept?: boolean }
  /** Parameters whose errors are shown at their fields. */
  readonly fields?: readonly string[]
  /** Left of the buttons. */
  readonly aside?: ReactNode
  readonly onSubmit: () => Promise<void>
  readonly onClose: () => void
  readonly children?: ReactNode
}

export function FormDialog(props: FormDialogProps) {
  const { action, isReady = true, write, fields = [], aside, onSubmit, onClose, children, ...frame } = props
  useKept(write, onClose)
  return (
    <Dialog
      {...frame}
      open
      onClose={onClose}
      onSubmit={() => isReady && !write.busy && void onSubmit()}
      actions={
        <>
          {aside}
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <div className="stack">
        {children}
        <FormError error={write.error} fields={fields} />
      </div>
    </Dialog>
  )
}
