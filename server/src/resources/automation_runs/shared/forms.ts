/**
 * The addresses of flows' forms, and the submissions that started runs (contract/16#forms). An address ends in a secret: the
 * database finds it by its digest, and holds it sealed for those who manage the flow.
 */
import { type FormAnswer, formValues } from '../../../automations/forms.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationFormRow, AutomationSubmissionRow } from '../../../db/schema.ts'
import { automationFormContext } from '../../../db/secret-key/sealed-values.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import type { Sealer } from '../../../lib/seal.ts'
import { parseJson } from '../../../lib/strict-json.ts'
import { type AddressedFlow, digestOf, newAddress } from './hooks.ts'

const findByDigest = query<AutomationFormRow, { digest: string }>((db, p) =>
  db.selectFrom('automation_forms').selectAll().where('digest', '=', p('digest')),
)

const findByFlow = query<AutomationFormRow, { realm: number; flow: string }>((db, p) =>
  db.selectFrom('automation_forms').selectAll().where('realm', '=', p('realm')).where('flow', '=', p('flow')),
)

const replaceSecret = query(
  (db, p: Placeholder<{ secret: string; digest: string; now: number; realm: number; flow: string }>) =>
    db
      .updateTable('automation_forms')
      .set({ secret: p('secret'), digest: p('digest'), updated: p('now') })
      .where('realm', '=', p('realm'))
      .where('flow', '=', p('flow')),
)

/** The form with this secret. Secrets are compared by their digests, so the time reveals nothing about them. */
export async function findForm(reader: Reader, secret: string): Promise<AutomationFormRow | undefined> {
  return await reader.first(findByDigest, { digest: digestOf(secret) })
}

export async function findFormOfFlow(
  reader: Reader,
  { realm, id }: { readonly realm: number; readonly id: string },
): Promise<AutomationFormRow | undefined> {
  return await reader.first(findByFlow, { realm, flow: id })
}

export function secretOfForm(sealer: Sealer, { realm, flow, secret }: AutomationFormRow): string {
  return sealer.open(secret, automationFormContext(realm, flow))
}

/** Gives a flow the address of a form, unless it has one. */
export async function openForm(tx: Tx, sealer: Sealer, flow: AddressedFlow, now: number): Promise<void> {
  if ((await findFormOfFlow(tx, flow)) !== undefined) return
  const { realm, id, organization, mode_of_data: mode } = flow
  tx.insert('automation_forms', {
    ...{ realm, flow: id, id: newId('form', now), organization, mode, created: now, updated: now },
    ...newAddress(sealer, automationFormContext(realm, id)),
  })
}

/** Replaces the secret of an address; the former address stops working with the commit. */
export function replaceForm(tx: Tx, sealer: Sealer, form: AutomationFormRow, now: number): AutomationFormRow {
  const { realm, flow } = form
  const made = newAddress(sealer, automationFormContext(realm, flow))
  tx.write(replaceSecret, { ...made, now, realm, flow })
  return { ...form, ...made, updated: now }
}

const findByKey = query<{ run: string; status: string }, { realm: number; flow: string; key: string }>((db, p) =>
  db
    .selectFrom('automation_submissions as submission')
    .innerJoin('automation_runs as run', (join) =>
      join.onRef('run.realm', '=', 'submission.realm').onRef('run.id', '=', 'submission.run'),
    )
    .select(['run.id as run', 'run.status'])
    .where('submission.realm', '=', p('realm'))
    .where('submission.flow', '=', p('flow'))
    .where('submission.submission_key', '=', p('key')),
)

/** The run that a submission with this key started, if it is still kept. */
export async function findRunOfPage(
  reader: Reader,
  flow: { readonly realm: number; readonly id: string },
  key: string,
): Promise<{ readonly run: string; readonly status: string } | undefined> {
  return await reader.first(findByKey, { realm: flow.realm, flow: flow.id, key })
}

const findByRun = query<AutomationSubmissionRow, { realm: number; run: string }>((db, p) =>
  db.selectFrom('automation_submissions').selectAll().where('realm', '=', p('realm')).where('run', '=', p('run')),
)

/** The answers that started a run; null for runs of other triggers. */
export async function answersOfRun(reader: Reader, realm: number, run: string): Promise<readonly FormAnswer[] | null> {
  const row = await reader.first(findByRun, { realm, run })
  return row === undefined ? null : readAnswers(row)
}

/** The same as expressions see them: by key. */
export async function valuesOfRun(reader: Reader, realm: number, run: string): Promise<object | null> {
  const answers = await answersOfRun(reader, realm, run)
  return answers === null ? null : formValues(answers)
}

const latestOfFlow = query<AutomationSubmissionRow, { realm: number; flow: string; since: number; count: number }>(
  (db, p) =>
    db
      .selectFrom('automation_submissions')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('flow', '=', p('flow'))
      .where('created', '>=', p('since'))
      .orderBy('run', 'desc')
      .limit(p('count')),
)

/** The latest submissions that started runs of a flow, newest first. */
export async function latestSubmissions(
  reader: Reader,
  flow: { readonly realm: number; readonly id: string },
  since: number,
  count: number,
): Promise<{ readonly values: object; readonly at: number }[]> {
  const rows = await reader.all(latestOfFlow, { realm: flow.realm, flow: flow.id, since, count })
  return rows.map((row) => ({ values: formValues(readAnswers(row)), at: row.created }))
}

function readAnswers({ answers }: AutomationSubmissionRow): readonly FormAnswer[] {
  return parseJson(answers) as unknown as readonly FormAnswer[]
}
