/** A secret, shown only once. The dialog closes only after the person confirms having stored it. */
import { type ReactNode, useState } from 'react'
import { Button, Checkbox, CodeBlock, Dialog, Notice } from '../design/index.ts'
import { t } from '../language/index.ts'

interface SecretDialogProps {
  readonly title: string
  readonly secret: string
  /** A command that uses the secret. */
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
      description={t('Copy the secret now. It is shown only once, and Atrium keeps only a digest of it.')}
      size="l"
      actions={
        <Button kind="primary" disabled={!isStored} onClick={onClose}>
          {t('Done')}
        </Button>
      }
    >
      <div className="stack">
        <CodeBlock title={t('Secret')} code={secret} wrap />
        {example !== undefined && <CodeBlock title={t('Try it')} code={example} wrap />}
        {children}
        <Notice tone="warn">{t('Store it in a secret manager, not in code, a browser or a chat.')}</Notice>
        <Checkbox label={t('I have stored the secret')} checked={isStored} onChange={setStored} />
      </div>
    </Dialog>
  )
}
