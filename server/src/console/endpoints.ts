/** The table of contents: every endpoint of `/app/api`. A new one is a file, a line here, and its shape in `shapes.ts`. */
import { changePassword } from './accounts/change-password.ts'
import { startFlow } from './automations/run.ts'
import { importDrawing, restoreArchivedBoard } from './boards/boards.ts'
import { createApplication, deleteApplication, listApplications } from './developers/applications.ts'
import { readEndpointHealth } from './developers/endpoint-health.ts'
import { listEventTypes } from './developers/list-event-types.ts'
import { listRequests } from './developers/list-requests.ts'
import { listVersions } from './developers/list-versions.ts'
import { openId } from './developers/open-id.ts'
import { sendExample } from './developers/send-example.ts'
import { summarizeRequests } from './developers/summarize-requests.ts'
import { issueApplicationToken, listTokens, revokeToken } from './developers/tokens.ts'
import { verifyAuditLog } from './developers/verify-audit.ts'
import type { Endpoint } from './endpoint.ts'
import { acceptLink } from './links/accept.ts'
import { lookAtLink } from './links/look.ts'
import { setExpenseStatus } from './money/expense-status.ts'
import { reportToOperator } from './operator/report.ts'
import { createPasskey } from './passkeys/create.ts'
import { createPasskeyOptions } from './passkeys/create-options.ts'
import { deletePasskey } from './passkeys/delete.ts'
import { listPasskeys } from './passkeys/list.ts'
import { signInWithPasskey } from './passkeys/sign-in.ts'
import { signInWithPasskeyOptions } from './passkeys/sign-in-options.ts'
import { stepUpWithPasskey } from './passkeys/step-up.ts'
import { stepUpWithPasskeyOptions } from './passkeys/step-up-options.ts'
import { readDirectory } from './people/directory.ts'
import { invite } from './people/invite.ts'
import { listPeople } from './people/list.ts'
import { listInvitations } from './people/list-invitations.ts'
import { nameSelf } from './people/name-self.ts'
import { renameOrganization } from './people/rename-organization.ts'
import { revokeInvitation } from './people/revoke-invitation.ts'
import { changePerson } from './people/update.ts'
import { issueToken } from './sessions/issue-token.ts'
import { listSessions } from './sessions/list.ts'
import { retrieveSession } from './sessions/retrieve.ts'
import { revokeSession } from './sessions/revoke.ts'
import { revokeOtherSessions } from './sessions/revoke-others.ts'
import { signIn } from './sessions/sign-in.ts'
import { signOut } from './sessions/sign-out.ts'
import { stepUp } from './sessions/step-up.ts'
import { switchOrganization } from './sessions/switch-organization.ts'
import { createFilter, deleteFilter, updateFilter } from './work/saved-filters.ts'
import { countListed, placesOfTasks } from './work/task-places.ts'
import { createTemplate, deleteTemplate, updateTemplate } from './work/task-templates.ts'

export const endpoints: readonly Endpoint[] = [
  retrieveSession,
  signIn,
  signOut,
  switchOrganization,
  signInWithPasskeyOptions,
  signInWithPasskey,
  listSessions,
  revokeOtherSessions,
  revokeSession,
  stepUp,
  stepUpWithPasskeyOptions,
  stepUpWithPasskey,
  issueToken,
  lookAtLink,
  acceptLink,
  changePassword,
  listPasskeys,
  createPasskeyOptions,
  createPasskey,
  deletePasskey,
  listPeople,
  changePerson,
  listInvitations,
  invite,
  revokeInvitation,
  renameOrganization,
  nameSelf,
  readDirectory,
  listRequests,
  summarizeRequests,
  openId,
  readEndpointHealth,
  sendExample,
  listApplications,
  createApplication,
  deleteApplication,
  listTokens,
  issueApplicationToken,
  revokeToken,
  verifyAuditLog,
  listVersions,
  listEventTypes,
  countListed,
  placesOfTasks,
  createFilter,
  updateFilter,
  deleteFilter,
  createTemplate,
  updateTemplate,
  deleteTemplate,
  setExpenseStatus,
  restoreArchivedBoard,
  importDrawing,
  startFlow,
  reportToOperator,
]
