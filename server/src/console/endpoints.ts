/** The register of `/app/api`. A new endpoint is a file, a line here, and its types in `shapes.ts`. */
import { changePassword } from './accounts/change-password.ts'
import { forgotPassword } from './accounts/forgot-password.ts'
import { resetPassword } from './accounts/reset-password.ts'
import { retrieveReset } from './accounts/retrieve-reset.ts'
import { confirmAddress } from './addresses/confirm.ts'
import { mailAddress } from './addresses/mail.ts'
import { readFormula } from './automations/read-formula.ts'
import { runFlow } from './automations/run-flow.ts'
import { listSecrets, setSecret } from './automations/secrets.ts'
import { beginBoardGuest } from './board-guests/begin.ts'
import {
  createGuestComment,
  deleteGuestComment,
  readGuestComments,
  updateGuestComment,
} from './board-guests/comments.ts'
import { retrieveBoardLink } from './board-guests/open-link.ts'
import { readGuestImage } from './board-guests/read-image.ts'
import { storeGuestBoardImage } from './board-guests/store-image.ts'
import { importDrawing, restoreArchivedBoard } from './boards/boards.ts'
import { retrieveBoardImage, storeBoardImage } from './boards/images.ts'
import { listBoardVersions, nameBoardVersion, restoreBoardVersion } from './boards/versions.ts'
import { rotateApplicationSecret, updateApplication } from './developers/application-sign-in.ts'
import { createApplication, deleteApplication, listApplications } from './developers/applications.ts'
import { listEventTypes } from './developers/list-event-types.ts'
import { listRequests } from './developers/list-requests.ts'
import { listVersions } from './developers/list-versions.ts'
import { locateId } from './developers/locate-id.ts'
import { resolveId } from './developers/resolve-id.ts'
import { retrieveEndpointHealth } from './developers/retrieve-endpoint-health.ts'
import { sendExample } from './developers/send-example.ts'
import { summarizeRequests } from './developers/summarize-requests.ts'
import { issueApplicationToken, listTokens, revokeToken } from './developers/tokens.ts'
import { verifyAuditLog } from './developers/verify-audit.ts'
import type { Endpoint } from './endpoint.ts'
import { acceptLink } from './links/accept.ts'
import { retrieveLink } from './links/retrieve.ts'
import { setExpenseStatus } from './money/set-expense-status.ts'
import { allowAuthorization, retrieveAuthorization } from './oauth/authorize.ts'
import { listGrants, revokeGrantOfPerson } from './oauth/authorized.ts'
import { endGrantOfPerson, listGrantsOfPeople } from './oauth/people-grants.ts'
import { returnFromOpenId } from './openid/return.ts'
import { startOpenId, startOpenIdStepUp } from './openid/start.ts'
import { createOrganization } from './operator/create-organization.ts'
import { listDeadLetters, retryDeadLetter } from './operator/dead-letters.ts'
import { retrieveOperatorReport } from './operator/retrieve-report.ts'
import { createPasskey } from './passkeys/create.ts'
import { createPasskeyOptions } from './passkeys/create-options.ts'
import { deletePasskey } from './passkeys/delete.ts'
import { listPasskeys } from './passkeys/list.ts'
import { signInWithPasskey } from './passkeys/sign-in.ts'
import { signInWithPasskeyOptions } from './passkeys/sign-in-options.ts'
import { stepUpWithPasskey } from './passkeys/step-up.ts'
import { stepUpWithPasskeyOptions } from './passkeys/step-up-options.ts'
import { invite } from './people/invite.ts'
import { listPeople } from './people/list.ts'
import { listInvitations } from './people/list-invitations.ts'
import { renameOrganization } from './people/rename-organization.ts'
import { retrieveDirectory } from './people/retrieve-directory.ts'
import { retrieveStorage } from './people/retrieve-storage.ts'
import { revokeInvitation } from './people/revoke-invitation.ts'
import { updatePerson } from './people/update.ts'
import { updatePreferences } from './people/update-preferences.ts'
import { updateProfile } from './people/update-profile.ts'
import { createPushSubscription } from './pushes/create.ts'
import { deletePushSubscription } from './pushes/delete.ts'
import { keepPushSubscription } from './pushes/keep.ts'
import { listPushSubscriptions } from './pushes/list.ts'
import { createTokenOfScim, listTokensOfScim, revokeTokenOfScim } from './scim/tokens.ts'
import {
  createAuthenticator,
  createAuthenticatorOptions,
  deleteAuthenticatorOfPerson,
} from './second-factor/authenticator.ts'
import { proveSecondFactor } from './second-factor/prove.ts'
import { renewRecoveryCodes } from './second-factor/renew-recovery-codes.ts'
import { requireSecondFactor } from './second-factor/require.ts'
import { resetSecondFactor } from './second-factor/reset.ts'
import { retrieveSecondFactor } from './second-factor/retrieve.ts'
import { issueToken } from './sessions/issue-token.ts'
import { listSessions } from './sessions/list.ts'
import { retrieveSession } from './sessions/retrieve.ts'
import { revokeSession } from './sessions/revoke.ts'
import { revokeOtherSessions } from './sessions/revoke-others.ts'
import { signIn } from './sessions/sign-in.ts'
import { signOut } from './sessions/sign-out.ts'
import { stepUp } from './sessions/step-up.ts'
import { switchOrganization } from './sessions/switch-organization.ts'
import { createTeam, listTeamsOfConsole, removeTeam, updateTeam } from './teams/teams.ts'
import { countColumns } from './work/column-counts.ts'
import { listCommentAuthors } from './work/comment-authors.ts'
import { listOwnChanges } from './work/own-changes.ts'
import { createFilter, deleteFilter, updateFilter } from './work/saved-filters.ts'
import { countTaskGroups } from './work/tasks/groups.ts'
import { countTasks, listPageCursors } from './work/tasks/pages.ts'
import { listTaskRelations } from './work/tasks/relations.ts'
import { createTemplate, deleteTemplate, updateTemplate } from './work/tasks/templates.ts'
import { reportFlow } from './work/work-reports.ts'

export const endpoints: readonly Endpoint[] = [
  retrieveSession,
  signIn,
  signOut,
  switchOrganization,
  signInWithPasskeyOptions,
  signInWithPasskey,
  startOpenId,
  returnFromOpenId,
  retrieveAuthorization,
  allowAuthorization,
  listGrants,
  revokeGrantOfPerson,
  listGrantsOfPeople,
  endGrantOfPerson,
  listSessions,
  revokeOtherSessions,
  revokeSession,
  stepUp,
  stepUpWithPasskeyOptions,
  stepUpWithPasskey,
  startOpenIdStepUp,
  issueToken,
  retrieveLink,
  acceptLink,
  changePassword,
  forgotPassword,
  retrieveReset,
  resetPassword,
  mailAddress,
  confirmAddress,
  proveSecondFactor,
  retrieveSecondFactor,
  resetSecondFactor,
  createAuthenticatorOptions,
  createAuthenticator,
  deleteAuthenticatorOfPerson,
  renewRecoveryCodes,
  listPasskeys,
  createPasskeyOptions,
  createPasskey,
  deletePasskey,
  listPeople,
  retrieveStorage,
  updatePerson,
  listInvitations,
  invite,
  revokeInvitation,
  renameOrganization,
  requireSecondFactor,
  listTeamsOfConsole,
  createTeam,
  updateTeam,
  removeTeam,
  listTokensOfScim,
  createTokenOfScim,
  revokeTokenOfScim,
  updateProfile,
  updatePreferences,
  listPushSubscriptions,
  createPushSubscription,
  keepPushSubscription,
  deletePushSubscription,
  retrieveDirectory,
  listRequests,
  summarizeRequests,
  resolveId,
  locateId,
  retrieveEndpointHealth,
  sendExample,
  listApplications,
  createApplication,
  updateApplication,
  rotateApplicationSecret,
  deleteApplication,
  listTokens,
  issueApplicationToken,
  revokeToken,
  verifyAuditLog,
  listVersions,
  listEventTypes,
  countColumns,
  countTaskGroups,
  reportFlow,
  countTasks,
  listPageCursors,
  listTaskRelations,
  listCommentAuthors,
  listOwnChanges,
  createFilter,
  updateFilter,
  deleteFilter,
  createTemplate,
  updateTemplate,
  deleteTemplate,
  setExpenseStatus,
  restoreArchivedBoard,
  importDrawing,
  storeBoardImage,
  retrieveBoardImage,
  listBoardVersions,
  nameBoardVersion,
  restoreBoardVersion,
  retrieveBoardLink,
  beginBoardGuest,
  readGuestImage,
  storeGuestBoardImage,
  createGuestComment,
  deleteGuestComment,
  readGuestComments,
  updateGuestComment,
  runFlow,
  readFormula,
  listSecrets,
  setSecret,
  retrieveOperatorReport,
  listDeadLetters,
  retryDeadLetter,
  createOrganization,
]
