/** The possible cost of a flow's AI steps, and whether this installation can run them (contract/16#ai-steps). */
import type { Settings } from '../../api/services.ts'
import { worstCostMicros } from '../../automations/ai-costs.ts'
import type { Program } from '../../automations/program.ts'
import type { NodeOf } from '../../automations/schema.ts'
import type { AiCost } from './automation_preview.ts'

type Ai = Settings['ai']

/**
 * The AI steps of a program with the maximum number of times a run executes each: the product of the enclosing loops'
 * `max_items`.
 */
function aiSteps(program: Program): { readonly node: NodeOf<'ai.step'>; readonly times: number }[] {
  return [...program.steps.values()].flatMap(({ node, within }) => {
    if (node.type !== 'ai.step') return []
    return [{ node, times: within.reduce((times, loop) => times * loop.config.max_items, 1) }]
  })
}

/** The maximum requests, tokens and cost of one run, and the daily budget. */
export function aiCost(program: Program, ai: Ai): AiCost {
  const steps = aiSteps(program)
  const total = (of: (node: NodeOf<'ai.step'>) => number) =>
    steps.reduce((sum, { node, times }) => sum + times * of(node), 0)
  return {
    acknowledgement_required: steps.length > 0,
    provider: ai.provider,
    model: ai.model,
    requests_per_run_max: total(() => 1),
    output_tokens_per_run_max: total(({ config }) => config.max_output_tokens),
    cost_minor_per_run_max: total(({ config }) => worstCostMicros(ai, config)) / 1_000_000,
    budget_minor_per_day: budgetOf(program, ai),
  }
}

function budgetOf({ graph }: Program, ai: Ai): number {
  const own = graph.settings?.ai_budget_minor_per_day
  return own === undefined ? ai.budgetMinorPerDay : Math.min(own, ai.budgetMinorPerDay)
}

/** Why no AI step of the program could run here; null if they could, or if it has no AI step. */
export function aiRefusal(program: Program, ai: Ai): string | null {
  if (aiSteps(program).length === 0) return null
  if (ai.provider === 'none') return 'This installation has no AI provider, so no AI step can run (ATRIUM_AI_PROVIDER).'
  if (ai.budgetMinorPerDay === 0) {
    return 'The organization may spend nothing on AI steps, so none can run (ATRIUM_AI_BUDGET_MINOR_PER_DAY is 0).'
  }
  if (budgetOf(program, ai) > 0) return null
  return 'The flow may spend nothing on AI steps: its ai_budget_minor_per_day is 0.'
}
