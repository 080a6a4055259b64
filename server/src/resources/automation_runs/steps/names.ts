/** The variables and steps that a step's expressions and templates use. */
import type { Program } from '../../../automations/program.ts'
import type { StepNode } from '../../../automations/schema.ts'
import { splitTemplate } from '../../../automations/templates.ts'

export interface UsedNames {
  readonly variables: ReadonlySet<string>
  /** Ids of steps. */
  readonly steps: ReadonlySet<string>
}

/** The variables and steps that a step's config uses. */
export function usedNames(program: Program, node: StepNode): UsedNames {
  const variables = new Set<string>()
  const steps = new Set<string>()
  for (const source of sourcesOf(node)) {
    const { names } = program.expression(source)
    for (const name of names.variables.keys()) variables.add(name)
    for (const step of names.steps.keys()) steps.add(step)
  }
  return { variables, steps }
}

function sourcesOf(node: StepNode): string[] {
  if (node.type === 'condition') return [node.config.expr]
  if (node.type === 'switch') return node.config.cases.map(({ expr }) => expr)
  if (node.type === 'ai.step') {
    const { output_schema: _, ...computed } = node.config
    return within(computed)
  }
  return within(node.config)
}

function within(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { $expr, $template } = value as { $expr?: unknown; $template?: unknown }
  if (typeof $expr === 'string') return [$expr]
  if (typeof $template === 'string') {
    const split = splitTemplate($template)
    return split.ok ? split.parts.flatMap((part) => ('source' in part ? [part.source] : [])) : []
  }
  return Object.values(value).flatMap(within)
}
