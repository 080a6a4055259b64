/** The addresses of flows' forms, and the submissions that started runs (contract/16#forms). */
import { type FormAnswer, formValues } from '../../../automations/forms.ts'
import type { Reader } from '../../../db/store.ts'
import { FlowAddresses } from './addresses.ts'
import { Arrivals } from './arrivals.ts'
import { newUrlSecret } from './hooks.ts'

export const formAddresses = new FlowAddresses({ table: 'automation_forms', prefix: 'form', newSecret: newUrlSecret })

/** The answers of submissions. Their key identifies the load of the page. */
export const submissions = new Arrivals<readonly FormAnswer[]>({
  table: 'automation_submissions',
  key: 'submission_key',
  content: 'answers',
})

/** The answers that started a run, as expressions see them: by key. */
export async function valuesOfRun(reader: Reader, realm: number, run: string): Promise<object | null> {
  const answers = await submissions.ofRun(reader, realm, run)
  return answers === null ? null : formValues(answers)
}
