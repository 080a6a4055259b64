/**
 * What must be answered before anything else: Dialog in the middle, Sheet from the side (a panel that belongs to what is
 * behind it), ConfirmDialog for what cannot be undone. Focus is kept inside and given back; Escape closes.
 */
import './dialog.css'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { Field } from './field.tsx'
import { useFocusReturn } from './focus-return.ts'
import { Input } from './input.tsx'
import { KeyLayer } from './key-layer.tsx'

interface DialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** The buttons, the one that does it last. */
  readonly actions?: ReactNode
  readonly size?: 's' | 'm' | 'l'
  /** With it the content is a form: Enter in a field sends it. */
  readonly onSubmit?: () => void
}

export function Dialog({ open, onClose, title, description, children, actions, size = 'm', onSubmit }: DialogProps) {
  const focus = useFocusReturn(open)
  const body = (
    <>
      <div className="dialog-body">{children}</div>
      {actions && <div className="dialog-actions">{actions}</div>}
    </>
  )
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="dialog-scrim">
          <Radix.Content
            className="dialog"
            data-size={size}
            {...focus}
            onInteractOutside={keepForToasts}
            {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          >
            <KeyLayer>
              <DialogHead title={title} description={description} />
              {onSubmit ? (
                <form noValidate onSubmit={sending(onSubmit)}>
                  {body}
                </form>
              ) : (
                body
              )}
            </KeyLayer>
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** What a toast offers does not close the dialog below it. */
function keepForToasts(event: { readonly target: EventTarget | null; preventDefault(): void }): void {
  if (event.target instanceof Element && event.target.closest('.toaster')) event.preventDefault()
}

/** Keeps the browser from leaving the page, and a form inside a dialog from sending the one around it. */
export function sending(onSubmit: () => void) {
  return (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    onSubmit()
  }
}

function DialogHead({ title, description }: Pick<DialogProps, 'title' | 'description'>) {
  return (
    <div className="dialog-head">
      <div className="grow">
        <Radix.Title className="dialog-title">{title}</Radix.Title>
        {description !== undefined && (
          <Radix.Description className="dialog-description">{description}</Radix.Description>
        )}
      </div>
      <Radix.Close asChild>
        <IconButton icon={X} label="Close" keys="escape" size="s" />
      </Radix.Close>
    </div>
  )
}

interface SheetProps extends Omit<DialogProps, 'size' | 'onSubmit'> {
  readonly side?: 'left' | 'right'
  readonly size?: 's' | 'm' | 'l'
  /** Buttons beside the title. */
  readonly tools?: ReactNode
  /** The title is only for screen readers; the content shows its own. */
  readonly bareTitle?: boolean
  /** What gets the focus when it closes, where what opened it is gone. */
  readonly returnTo?: () => HTMLElement | null
}

export function Sheet({ open, onClose, title, description, children, actions, tools, ...look }: SheetProps) {
  const { side = 'right', size = 'm', bareTitle, returnTo } = look
  const focus = useFocusReturn(open, returnTo)
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="sheet-scrim" />
        <Radix.Content
          className="sheet"
          data-side={side}
          data-size={size}
          {...focus}
          onInteractOutside={keepForToasts}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <KeyLayer>
            <div className="sheet-head">
              <Radix.Title className={bareTitle ? 'unseen' : 'dialog-title cut'}>{title}</Radix.Title>
              <div className="row sheet-tools">
                {tools}
                <Radix.Close asChild>
                  <IconButton icon={X} label="Close" keys="escape" size="s" />
                </Radix.Close>
              </div>
            </div>
            {description !== undefined && (
              <Radix.Description className="dialog-description sheet-description">{description}</Radix.Description>
            )}
            <div className="sheet-body">{children}</div>
            {actions && <div className="dialog-actions">{actions}</div>}
          </KeyLayer>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

interface ConfirmProps {
  readonly open: boolean
  readonly onClose: () => void
  /** A question that names the thing: Delete “Launch”? */
  readonly title: ReactNode
  /** What happens then, to what. */
  readonly children?: ReactNode
  /** The verb of the title. */
  readonly action: string
  readonly onConfirm: () => void
  readonly busy?: boolean
  /** A text to be typed first, where the loss would be great. */
  readonly typed?: string
  readonly error?: ReactNode
}

export function ConfirmDialog({ open, onClose, title, children, action, onConfirm, busy, typed, error }: ConfirmProps) {
  const [text, setText] = useState('')
  const ready = typed === undefined || text.trim() === typed
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      size="s"
      onSubmit={() => ready && !busy && onConfirm()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" busy={busy} disabled={!ready}>
            {action}
          </Button>
        </>
      }
    >
      <div className="stack">
        <div className="muted">{children}</div>
        {typed !== undefined && (
          <Field label={`Type ${typed} to confirm`}>
            <Input value={text} autoComplete="off" onChange={({ currentTarget }) => setText(currentTarget.value)} />
          </Field>
        )}
        {error}
      </div>
    </Dialog>
  )
}
