/** Faults of calls that a schema cannot express: inputs with the same name, and a timeout of a call that does not wait. */
import type { AddFault } from '../known.ts'
import { at, isRecord } from '../shape.ts'

type Config = Readonly<Record<string, unknown>>

export function callTriggerFaults({ inputs }: Config, path: string, addFault: AddFault): void {
  const taken = new Set<unknown>()
  for (const [i, input] of (Array.isArray(inputs) ? inputs : []).entries()) {
    if (!isRecord(input) || typeof input.key !== 'string') continue
    const param = at(at(at(path, 'inputs'), i), 'key')
    if (taken.has(input.key)) addFault(param, `must differ from those of other inputs: call.${input.key} exists`)
    taken.add(input.key)
  }
}

export function callFaults({ wait, timeout_seconds }: Config, path: string, addFault: AddFault): void {
  if (wait === false && timeout_seconds !== undefined)
    addFault(at(path, 'timeout_seconds'), 'is only for a call that waits: leave it out, or set wait to true')
}
