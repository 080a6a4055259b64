/** Requests wait while the page changes its session, because the server refuses what is sent meanwhile. */
import { AtriumError } from '@atrium/sdk'
import { t } from '../language/index.ts'
import { isSameAfterChange } from './session-store.ts'

/** Rejects after a change of account or organization: what was about to be sent belongs to the one before. */
export async function sessionSettled(): Promise<void> {
  if (!(await isSameAfterChange())) throw new AtriumError(t('The organization changed before this was sent.'))
}
