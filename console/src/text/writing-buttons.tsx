/** The buttons below a text that is written: the one that saves it, and Cancel if it can be given up. */
import { Button } from '../design/index.ts'
import { t } from '../language/index.ts'

interface WritingButtonsProps {
  readonly action: string
  readonly busy: boolean
  readonly isEmpty?: boolean
  /** Without it, the first button submits its form. */
  readonly onSave?: () => void
  readonly onCancel?: (() => void) | undefined
}

export function WritingButtons({ action, busy, isEmpty = false, onSave, onCancel }: WritingButtonsProps) {
  return (
    <div className="row">
      <Button
        kind="primary"
        size="s"
        busy={busy}
        disabled={isEmpty}
        {...(onSave === undefined ? { type: 'submit' as const } : { onClick: onSave })}
      >
        {action}
      </Button>
      {onCancel && (
        <Button size="s" onClick={onCancel}>
          {t('Cancel')}
        </Button>
      )}
    </div>
  )
}
