/**
 * Checks the corrected settings of the step from which a rerun starts: as the settings of a graph are checked, all faults at once, each
 * at its field (contract/16#corrected-steps).
 */
import Type, { type Static } from 'typebox'
import type { Caller } from '../../../api/declare/caller.ts'
import { type Fault, refuse } from '../../../api/declare/errors.ts'
import { described } from '../../../api/declare/shapes.ts'
import {
  canBeCorrected,
  checkCorrection,
  correctedFields,
  type StepInput,
  withCorrection,
} from '../../../automations/correction.ts'
import { automation_limits } from '../../../automations/limits.ts'
import type { Program } from '../../../automations/program.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { parseStrictJson } from '../../../lib/strict-json.ts'
import { knownAt } from '../../automation_flows/shared/known.ts'
import { referenceFaults } from '../../automation_flows/shared/references.ts'
import { maskedPlace } from './masks.ts'

const {
  automation_step_input_bytes_max: bytes_max,
  automation_hook_depth_max: depth_max,
  automation_hook_containers_max: containers_max,
  automation_faults_max: faults_max,
} = automation_limits

export const SentStepInput = described(
  Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  'Settings of `from_step` by name, as values. Settings that are left out are computed again, and so are the fields of `set`, ' +
    '`overrides`, `headers` and `input`.',
)

interface Context {
  readonly tx: Tx
  readonly now: number
  readonly caller: Caller
}

/**
 * The corrected settings of the new run; null if none are. A run that is repeated from the step at which it was corrected keeps its
 * correction. Refuses with 400.
 */
export async function correctedStepInput(
  { tx, now, caller }: Context,
  run: AutomationRunRow,
  program: Program,
  { from_step, step_input: sent }: { readonly from_step?: string; readonly step_input?: Static<typeof SentStepInput> },
): Promise<StepInput | null> {
  const kept =
    from_step !== undefined && from_step === run.rerun_from && run.step_input !== null
      ? (JSON.parse(run.step_input) as StepInput)
      : null
  if (sent === undefined) return kept
  const node = program.steps.get(from_step ?? '')?.node
  if (node === undefined) throw unusable('step_input', 'needs from_step, the step whose settings it corrects')
  if (!canBeCorrected(node)) throw unusable('step_input', `cannot be sent for ${node.type}, which decides by formulas`)
  if (correctedFields(sent).length === 0) throw unusable('step_input', 'must name a setting')
  requireBounds(sent)
  requireNoMask(sent)
  const input = withCorrection(kept ?? {}, sent)
  const path = 'graph.nodes[0]'
  const { faults, references, config } = checkCorrection(node, input, path, knownAt(now))
  const missing = await referenceFaults({ tx, caller }, { nodes: [{ config }] }, references, run.workspace)
  const all = [...faults, ...missing].map((fault) => atField(fault, `${path}.config`))
  const [first] = all
  if (first === undefined) return input
  throw refuse('invalid_request_body', { ...first, details: all.slice(0, faults_max) })
}

function atField({ param, message }: Fault, path: string): Fault {
  return { param: param.replace(path, 'step_input'), message: message.replaceAll(path, 'step_input') }
}

function unusable(param: string, what: string): Error {
  return refuse('invalid_request_body', { param, message: `${param} ${what}.` })
}

function requireBounds(sent: StepInput): void {
  const text = JSON.stringify(sent)
  const bytes = Buffer.byteLength(text)
  if (bytes > bytes_max) throw unusable('step_input', `has ${bytes} bytes as JSON. The limit is ${bytes_max}`)
  const parsed = parseStrictJson(text, { depth_max, containers_max })
  if (!parsed.ok)
    throw refuse('invalid_request_body', { param: 'step_input', message: `step_input: ${parsed.message}.` })
}

/** What is shown as `…` is kept nowhere in this form, so a value with it cannot be restored. */
function requireNoMask(sent: StepInput): void {
  const place = maskedPlace(sent, 'step_input')
  if (place === null) return
  throw unusable(place, 'contains “…” in place of a secret. Send the whole value, or leave the setting out to keep it')
}
