/** The dialog that asks for the second factor of an account before it is changed. */
import { ProveSecondFactor } from '../app/prove-second-factor.tsx'
import type { SignedIn } from '../data/shapes.ts'
import { Dialog } from '../design/dialog.tsx'
import { t } from '../language/index.ts'

interface SecondFactorDialogProps {
  readonly session: SignedIn
  readonly onDone: () => void
  readonly onCancel: () => void
}

export function SecondFactorDialog({ session, onDone, onCancel }: SecondFactorDialogProps) {
  return (
    <Dialog
      open
      onClose={onCancel}
      size="s"
      title={t('Second factor')}
      description={t('Prove the one that you have before you change how you sign in.')}
    >
      <ProveSecondFactor session={session} onDone={onDone} />
    </Dialog>
  )
}
