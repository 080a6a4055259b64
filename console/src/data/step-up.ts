/** The step-up. Concurrent callers wait for one dialog. */

import { t } from '../language/index.ts'
import { UserCanceled } from './errors.ts'

type Dialog = () => Promise<void>

let openDialog: Dialog | null = null
let pending: Promise<void> | null = null

/** Registers the function that opens the dialog. */
export function setStepUp(dialog: Dialog | null): void {
  openDialog = dialog
}

/** Resolves when the user has confirmed; rejects with Declined when they cancel. */
export function stepUp(): Promise<void> {
  if (openDialog === null) return Promise.reject(new UserCanceled(t('No dialog is available.')))
  pending ??= openDialog().finally(() => {
    pending = null
  })
  return pending
}
