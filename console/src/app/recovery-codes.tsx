/** Recovery codes, shown once. The person goes on only after confirming having stored them. */
import { useState } from 'react'
import { Button, Checkbox, CodeBlock } from '../design/index.ts'
import { t } from '../language/index.ts'

export function RecoveryCodes({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  const [isStored, setStored] = useState(false)
  return (
    <div className="stack">
      <p className="muted">
        {t(
          'Each of these codes replaces your second factor once, if your phone or key is lost. They are shown only now.',
        )}
      </p>
      <CodeBlock title={t('Recovery codes')} code={codes.join('\n')} />
      <Checkbox
        label={t('I have stored the codes')}
        hint={t('In a password manager or on paper, not on the phone with the app.')}
        checked={isStored}
        onChange={setStored}
      />
      <div>
        <Button kind="primary" disabled={!isStored} onClick={onDone}>
          {t('Done')}
        </Button>
      </div>
    </div>
  )
}
