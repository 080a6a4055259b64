/** The step-up, and the proof of a second factor before it is changed. Concurrent callers wait for one dialog. */

import { t } from '../language/index.ts'
import { UserCanceled } from './errors.ts'

/** `confirmation`: the step-up. `second_factor`: a factor of the account, which only changes of its factors ask for here. */
export type Proof = 'confirmation' | 'second_factor'

type Dialog = (proof: Proof) => Promise<void>

let openDialog: Dialog | null = null
const pending = new Map<Proof, Promise<void>>()

/** Registers the function that opens the dialog. */
export function setStepUp(dialog: Dialog | null): void {
  openDialog = dialog
}

/** Resolves when the user has confirmed; rejects with UserCanceled when they cancel. */
export function stepUp(): Promise<void> {
  return ask('confirmation')
}

/** The same for a second factor. */
export function proveSecondFactor(): Promise<void> {
  return ask('second_factor')
}

function ask(proof: Proof): Promise<void> {
  if (openDialog === null) return Promise.reject(new UserCanceled(t('No dialog is available.')))
  const known = pending.get(proof)
  if (known !== undefined) return known
  const asked = openDialog(proof).finally(() => pending.delete(proof))
  pending.set(proof, asked)
  return asked
}
