/**
 * Preview tokens: what lets a flow be activated is that somebody saw what it would do. A token lives 15 minutes, is good
 * once, and stands for one flow, graph, task and credential (decisions §16). Only its digest is kept.
 */
import { refuse } from '../../api/errors.ts'
import { query } from '../../db/query.ts'
import type { AutomationFlowRow, AutomationPreviewRow, TaskRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'
import type { Sealer } from '../../lib/seal.ts'
import { newSecretKey } from '../../lib/secret-key.ts'

const byDigest = query<AutomationPreviewRow>((db, p) =>
  db.selectFrom('automation_previews').selectAll().where('realm', '=', p('realm')).where('digest', '=', p('digest')),
)

const markUsed = query((db, p) =>
  db
    .updateTable('automation_previews')
    .set({ used_at: p('now') })
    .where('realm', '=', p('realm'))
    .where('digest', '=', p('digest')),
)

const liveTask = query<Pick<TaskRow, 'id'>>((db, p) =>
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

/** Keeps that a credential saw a preview of this flow with this task, and returns the token that says so. */
export function keepPreview(
  tx: Tx,
  sealer: Sealer,
  seen: { readonly flow: AutomationFlowRow; readonly task: string; readonly credential: string },
  now: number,
): { readonly token: string; readonly expires_at: number } {
  const { flow, task, credential } = seen
  const token = `prv_${newSecretKey().toString('base64url')}`
  const expires_at = now + limits.preview_token_ms
  const row = { realm: flow.realm, digest: digestOf(sealer, token), flow: flow.id, graph_hash: flow.graph_hash }
  tx.insert('automation_previews', { ...row, task, credential, created: now, expires_at, used_at: null })
  return { token, expires_at }
}

/** A token that is good now: call `use` to use it up. Anything else about it is 409, and says no more than that. */
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
      message: 'preview_token is of no fresh preview of this flow as it is now: preview it again.',
    })
  }
  return { task: row.task, use: () => tx.write(markUsed, { realm, digest, now }) }
}
