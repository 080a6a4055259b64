/**
 * Upper bounds on the cost of AI steps. A token is at least one byte of UTF-8, so the bytes of a prompt bound its
 * tokens: a reservation made before a request is never less than its cost. Costs are whole millionths of a minor unit:
 * tokens times the price of a million tokens (contract/16#ai-steps).
 */
import { automation_limits } from './limits.ts'
import type { NodeOf } from './schema.ts'
import { isComputed } from './triggers.ts'

export interface AiPrices {
  /** Minor units per million tokens. */
  readonly inputPriceMinor: number
  readonly outputPriceMinor: number
}

/** The cost of a request with these token counts, in millionths of a minor unit. */
export function costMicros(prices: AiPrices, input_tokens: number, output_tokens: number): number {
  return input_tokens * prices.inputPriceMinor + output_tokens * prices.outputPriceMinor
}

/** The maximum cost of a prompt and its answer, in millionths of a minor unit. */
export function promptCostMicros(prices: AiPrices, prompt_bytes: number, max_output_tokens: number): number {
  return costMicros(prices, prompt_bytes + automation_limits.ai_prompt_overhead_tokens, max_output_tokens)
}

/** The maximum cost of one request of a step, whatever its expressions evaluate to, in millionths of a minor unit. */
export function worstCostMicros(prices: AiPrices, config: NodeOf<'ai.step'>['config']): number {
  const { instructions, input = {}, labels = [], output_schema = {}, max_output_tokens } = config
  const computed = isComputed(instructions) || Object.values(input).some(isComputed)
  const written = Buffer.byteLength(JSON.stringify([instructions, input, labels, output_schema]))
  const bytes = computed
    ? automation_limits.ai_prompt_bytes_max
    : Math.min(written, automation_limits.ai_prompt_bytes_max)
  return promptCostMicros(prices, bytes, max_output_tokens)
}
