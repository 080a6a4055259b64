/** All operations of the model, as many as the contract has. */
import contract from '../../docs/contract/operations.json' with { type: 'json' }
import { billing } from './billing.ts'
import { boards } from './boards.ts'
import { columns } from './columns.ts'
import { exports_ } from './exports.ts'
import { flowRuns } from './flow-runs.ts'
import { flows } from './flows.ts'
import { hooks } from './hooks.ts'
import { invoices } from './invoices.ts'
import { below } from './nested.ts'
import type { OperationModel } from './operation.ts'
import { platform } from './platform.ts'
import { task_lists } from './task-lists.ts'
import { tasks } from './tasks.ts'
import { time } from './time.ts'
import { work } from './work.ts'

export const operations: readonly OperationModel[] = [
  ...platform,
  ...boards,
  ...work,
  ...columns,
  ...tasks,
  ...below,
  ...task_lists,
  ...time,
  ...billing,
  ...invoices,
  ...exports_,
  ...flows,
  ...flowRuns,
  ...hooks,
]

const modelled = new Set(operations.map(({ id }) => id))
const missing = contract.operations.filter(({ operation }) => !modelled.has(operation))
if (missing.length > 0 || modelled.size !== operations.length) {
  throw new Error(`the model lacks ${missing.map(({ operation }) => operation)}`)
}
