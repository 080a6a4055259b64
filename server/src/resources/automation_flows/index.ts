import type { Operation } from '../../api/declare/operation.ts'
import { activateAutomationFlow } from './activate.ts'
import { createAutomationFlow } from './create.ts'
import { showAutomationEffects } from './effects.ts'
import { showForm } from './form.ts'
import { showHook } from './hook.ts'
import { listAutomationFlows } from './list.ts'
import { showMailbox } from './mailbox.ts'
import { nameAutomationVersion } from './name_version.ts'
import { pauseAutomationFlow } from './pause.ts'
import { previewAutomationFlow } from './preview.ts'
import { renewAutomationAuthority } from './renew_authority.ts'
import { replaceAutomationForm } from './replace_form.ts'
import { replaceAutomationHook } from './replace_hook.ts'
import { replaceAutomationMailbox } from './replace_mailbox.ts'
import { retrieveAutomationFlow } from './retrieve.ts'
import { updateAutomationFlow } from './update.ts'
import { showAutomationVersions } from './versions.ts'

export const automationFlows: readonly Operation[] = [
  listAutomationFlows,
  createAutomationFlow,
  retrieveAutomationFlow,
  updateAutomationFlow,
  previewAutomationFlow,
  showAutomationEffects,
  activateAutomationFlow,
  pauseAutomationFlow,
  showHook,
  replaceAutomationHook,
  showForm,
  replaceAutomationForm,
  showMailbox,
  replaceAutomationMailbox,
  showAutomationVersions,
  nameAutomationVersion,
  renewAutomationAuthority,
]
