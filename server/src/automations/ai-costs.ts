/**
 * What AI steps may cost. A token is at least one byte of UTF-8, so the bytes of a prompt bound its tokens: what is reserved
 * before a request is never less than what it costs afterwards. Costs are whole millionths of a minor unit: tokens times
 * the price of a million of them.
 */
import { limits } from '../lib/limits.ts'
import type { NodeOf } from './schema.ts'
import { isComputed } from './triggers.ts'

export interface AiPrices {
  /** Minor units for a million tokens. */
  readonly inputPriceMinor: number
  readonly outputPriceMinor: number
}

/** What so many tokens cost, in millionths of a minor unit. */
export function costMicros(prices: AiPrices, input_tokens: number, output_tokens: number): number {
  return input_tokens * prices.inputPriceMinor + output_tokens * prices.outputPriceMinor
}

/** The most that a prompt with its answer can cost, in millionths of a minor unit. */
export function promptCostMicros(prices: AiPrices, prompt_bytes: number, max_output_tokens: number): number {
  return costMicros(prices, prompt_bytes + limits.ai_prompt_overhead_tokens, max_output_tokens)
}

/** The most that one request of a step can cost, whatever its expressions give, in millionths of a minor unit. */
export function worstCostMicros(prices: AiPrices, config: NodeOf<'ai.step'>['config']): number {
  const { instructions, input = {}, labels = [], output_schema = {}, max_output_tokens } = config
  const computed = isComputed(instructions) || Object.values(input).some(isComputed)
  const written = Buffer.byteLength(JSON.stringify([instructions, input, labels, output_schema]))
  const bytes = computed ? limits.ai_prompt_bytes_max : Math.min(written, limits.ai_prompt_bytes_max)
  return promptCostMicros(prices, bytes, max_output_tokens)
}
