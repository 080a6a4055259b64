/**
 * The step from which a rerun starts, when a person corrected its settings (contract/16#corrected-steps): outside of loops, so it is
 * carried out once, and the correction is for no other step.
 */
import type { StepInput } from '../../../automations/correction.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import type { Correction } from '../automation_run.ts'

type CorrectedRun = Pick<AutomationRunRow, 'rerun_from' | 'correction' | 'step_input'>

interface StepPlace {
  readonly node: string
  readonly path: readonly number[]
}

/** The values in place of settings of the graph; undefined for a step that was not corrected. */
export function correctedInput(run: CorrectedRun, place: StepPlace): StepInput | undefined {
  return run.step_input !== null && isStart(run, place) ? (JSON.parse(run.step_input) as StepInput) : undefined
}

/** What the journal says of the correction, as JSON; null for a step that was not corrected. */
export function stepCorrection(run: CorrectedRun, place: StepPlace): string | null {
  if (run.step_input === null || run.correction === null || !isStart(run, place)) return null
  const { fields, by } = JSON.parse(run.correction) as Correction
  return JSON.stringify({ fields, by })
}

function isStart({ rerun_from }: CorrectedRun, { node, path }: StepPlace): boolean {
  return node === rerun_from && path.length === 0
}
