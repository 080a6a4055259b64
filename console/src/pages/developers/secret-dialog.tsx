/** A secret, shown this once: it cannot be closed by accident. */
import { type ReactNode, useState } from 'react'
import { Button, Checkbox, CodeBlock, Dialog, Notice } from '../../design/index.ts'

interface SecretDialogProps {
  readonly title: string
  readonly secret: string
  /** How it is used. */
  readonly example?: string
  readonly children?: ReactNode
  readonly onClose: () => void
}

export function SecretDialog({ title, secret, example, children, onClose }: SecretDialogProps) {
  const [isStored, setStored] = useState(false)
  return (
    <Dialog
      open
      onClose={() => isStored && onClose()}
      title={title}
      description="It is shown this once, and kept only as a digest."
      size="l"
      actions={
        <Button kind="primary" disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="stack">
        <CodeBlock title="Secret" code={secret} wrap />
        {example !== undefined && <CodeBlock title="Try it" code={example} wrap />}
        {children}
        <Notice tone="warn">Keep it in a secret manager: not in code, not in a browser, not in a chat.</Notice>
        <Checkbox label="I stored it" checked={isStored} onChange={setStored} />
      </div>
    </Dialog>
  )
}
