/** Asking the person to confirm: whoever needs it waits for the same dialog. */
import { Declined } from './errors.ts'

type Ask = () => Promise<void>

let ask: Ask | null = null
let asking: Promise<void> | null = null

/** The dialog that asks. */
export function setStepUp(dialog: Ask | null): void {
  ask = dialog
}

/** Resolves when the person has confirmed, and rejects with Declined when they would not. */
export function stepUp(): Promise<void> {
  if (ask === null) return Promise.reject(new Declined('Nobody can be asked to confirm here.'))
  asking ??= ask().finally(() => {
    asking = null
  })
  return asking
}
