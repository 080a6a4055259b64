/**
 * Preview tokens: a flow can be activated only after a preview. A token lives 15 minutes, is valid once, and is bound
 * to one flow, graph, task and credential (contract/16#preview-token). Only its digest is stored.
 */
import { refuse } from '../../api/declare/errors.ts'
import { automation_limits } from '../../automations/limits.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { AutomationFlowRow, AutomationPreviewRow, TaskRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import type { Sealer } from '../../lib/seal.ts'
import { newSecretKey } from '../../lib/secret-key.ts'

const byDigest = query<AutomationPreviewRow, { realm: number; digest: string }>((db, p) =>
  db.selectFrom('automation_previews').selectAll().where('realm', '=', p('realm')).where('digest', '=', p('digest')),
)

const markUsed = query((db, p: Placeholder<{ now: number | null; realm: number; digest: string }>) =>
  db
    .updateTable('automation_previews')
    .set({ used_at: p('now') })
    .where('realm', '=', p('realm'))
    .where('digest', '=', p('digest')),
)

const liveTask = query<Pick<TaskRow, 'id'>, { realm: number; id: string; workspace: string }>((db, p) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('workspace', '=', p('workspace'))
    .where('deleted_at', 'is', null),
)

function digestOf(sealer: Sealer, token: string): string {
  return sealer.mac('preview_token', token).toString('hex')
}

/** Stores a preview and returns its token. */
export function keepPreview(
  tx: Tx,
  sealer: Sealer,
  seen: { readonly flow: AutomationFlowRow; readonly task: string; readonly credential: string },
  now: number,
): { readonly token: string; readonly expires_at: number } {
  const { flow, task, credential } = seen
  const token = `prv_${newSecretKey().toString('base64url')}`
  const expires_at = now + automation_limits.preview_token_ms
  const row = { realm: flow.realm, digest: digestOf(sealer, token), flow: flow.id, graph_hash: flow.graph_hash }
  tx.insert('automation_previews', { ...row, task, credential, created: now, expires_at, used_at: null })
  return { token, expires_at }
}

/**
 * Finds the preview of a valid token; `use` marks the token as used. Any other token is refused with the same 409,
 * which does not reveal the reason.
 */
export async function findPreview(
  tx: Tx,
  sealer: Sealer,
  sent: { readonly flow: AutomationFlowRow; readonly token: string; readonly credential: string },
  now: number,
): Promise<{ readonly task: string; use(): void }> {
  const { flow, token, credential } = sent
  const { realm, workspace } = flow
  const digest = digestOf(sealer, token)
  const row = await tx.first(byDigest, { realm, digest })
  const fits = row?.flow === flow.id && row.graph_hash === flow.graph_hash && row.credential === credential
  const task = fits ? await tx.first(liveTask, { realm, workspace, id: row.task }) : undefined
  if (!fits || row.used_at !== null || now >= row.expires_at || task === undefined) {
    throw refuse('resource_conflict', {
      param: 'preview_token',
      message: 'preview_token is not valid for the current state of this flow. Preview the flow again.',
    })
  }
  return { task: row.task, use: () => tx.write(markUsed, { realm, digest, now }) }
}
