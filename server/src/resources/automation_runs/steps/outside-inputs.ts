/** The steps that call another server. */
import type { StepInputs } from '../../../automations/resolve.ts'
import type { StepNode } from '../../../automations/schema.ts'

export type OutsideInputs = Extract<StepInputs, { type: 'http.request' | 'chat.post' | 'ai.step' }>

const outside_types: ReadonlySet<string> = new Set<OutsideInputs['type']>(['http.request', 'chat.post', 'ai.step'])

export function callsOutside({ type }: Pick<StepNode, 'type'>): boolean {
  return outside_types.has(type)
}
