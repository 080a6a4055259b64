/**
 * Modal surfaces: Dialog in the center, Sheet at the side for details of the page behind it, ConfirmDialog for actions
 * that cannot be undone. Focus stays inside and returns afterwards; Escape closes.
 */
import './dialog.css'
import { ArrowLeft, X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from 'react'
import { t } from '../language/index.ts'
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
  /** The buttons; the confirming one comes last. */
  readonly actions?: ReactNode
  readonly size?: 's' | 'm' | 'l'
  /** Makes the content a form, which Enter submits, and Ctrl or ⌘ with Enter from every field. */
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
                <form noValidate onSubmit={submitHandler(onSubmit)} onKeyDown={submitFromAnyField}>
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

/** A click on a toast or on the connection's bar does not close the dialog below it. */
function keepForToasts(event: { readonly target: EventTarget | null; preventDefault(): void }): void {
  if (event.target instanceof Element && event.target.closest('.toaster, .connection-bar')) event.preventDefault()
}

/** Handles a form's submit: prevents the navigation, and the submit of an outer form around the dialog. */
export function submitHandler(onSubmit: () => void) {
  return (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    onSubmit()
  }
}

/** Ctrl or ⌘ with Enter submits from every field, also from those where Enter does something else. */
function submitFromAnyField(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.defaultPrevented || event.nativeEvent.isComposing) return
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.stopPropagation()
  event.currentTarget.requestSubmit()
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
        <IconButton icon={X} label={t('Close')} keys="escape" size="s" />
      </Radix.Close>
    </div>
  )
}

interface SheetProps extends Omit<DialogProps, 'size' | 'onSubmit'> {
  readonly side?: 'left' | 'right'
  readonly size?: 's' | 'm' | 'l'
  /** Buttons next to the title. */
  readonly tools?: ReactNode
  /** Shows the title to screen readers only, because the content has its own. */
  readonly hiddenTitle?: boolean
  /** The element that receives the focus if the opener no longer exists. */
  readonly returnTo?: () => HTMLElement | null
  /** On a phone, where the sheet fills the screen, it closes with Back instead of Close. */
  readonly back?: true
}

export function Sheet({ open, onClose, title, description, children, actions, tools, ...look }: SheetProps) {
  const { side = 'right', size = 'm', hiddenTitle, returnTo, back } = look
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
            <div className="sheet-head" data-back={back}>
              {back && (
                <Radix.Close asChild>
                  <IconButton className="sheet-back" icon={ArrowLeft} label={t('Back')} size="s" />
                </Radix.Close>
              )}
              <Radix.Title className={hiddenTitle ? 'unseen' : 'dialog-title cut'}>{title}</Radix.Title>
              <div className="row sheet-tools">
                {tools}
                <Radix.Close asChild>
                  <IconButton className="sheet-close" icon={X} label={t('Close')} keys="escape" size="s" />
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
  /** A question that names the object: Delete “Launch”? */
  readonly title: ReactNode
  /** The consequences. */
  readonly children?: ReactNode
  /** The verb of the title. */
  readonly action: string
  readonly onConfirm: () => void
  readonly busy?: boolean
  /** A text the user must type first, for actions with great loss. */
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
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="danger" type="submit" busy={busy} disabled={!ready}>
            {action}
          </Button>
        </>
      }
    >
      <div className="stack">
        <div className="muted">{children}</div>
        {typed !== undefined && (
          <Field label={t('Type {typed} to confirm', { typed })}>
            <Input value={text} autoComplete="off" onChange={({ currentTarget }) => setText(currentTarget.value)} />
          </Field>
        )}
        {error}
      </div>
    </Dialog>
  )
}
