/** The addresses of flows' forms, and the submissions that started runs (contract/16#forms). */
import { type FormAnswer, formValues } from '../../../automations/forms.ts'
import { query } from '../../../db/query.ts'
import type { AutomationSubmissionRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { parseStored } from '../../../lib/strict-json.ts'
import { FlowAddresses } from './addresses.ts'
import { newUrlSecret } from './hooks.ts'

export const formAddresses = new FlowAddresses({ table: 'automation_forms', prefix: 'form', newSecret: newUrlSecret })

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
      .selectFrom('automation_submissions as received')
      .innerJoin('automation_runs as run', (join) =>
        join.onRef('run.realm', '=', 'received.realm').onRef('run.id', '=', 'received.run'),
      )
      .selectAll('received')
      .where('received.realm', '=', p('realm'))
      .where('received.flow', '=', p('flow'))
      .where('received.created', '>=', p('since'))
      .where('run.rerun_of', 'is', null)
      .orderBy('received.run', 'desc')
      .limit(p('count')),
)

/** The latest submissions that started runs of a flow, newest first, without those of reruns. */
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
  return parseStored(answers)
}
