/** Fuzzes the parsers in a process of their own, so that only their code is counted and timed. */
import { Dice } from '../dice.ts'
import { Coverage } from './coverage.ts'
import { type Find, Hunt } from './hunt.ts'

export interface Hunted {
  readonly inputs: number
  readonly kept: number
  /** Characters of parser code that ran. */
  readonly reached: number
  readonly finds: readonly Find[]
}

/** The modules whose coverage guides the fuzzing. */
const watched =
  /\/server\/src\/(?:automations|lib\/(?:strict-json|json-tokens|http-tags)|api\/(?:cursor|validate|parameters|select-fields)|resources\/tasks\/(?:filter|sort))|\/sdk\/typescript\/src\/webhooks/
const finds_max = 20

const [seed = '1', inputs = '10000', isForFault = ''] = process.argv.slice(2)
const coverage = new Coverage((url) => watched.test(url))
// Imported after coverage starts, so that all of it is counted.
const { parsers } = await import('./parsers.ts')
const finds: Find[] = []
const kinds = new Set<string>()
const hunt = new Hunt(parsers, coverage, new Dice(Number(seed)), (find) => {
  const kind = `${find.parser} ${find.what.slice(0, 60)}`
  if (kinds.has(kind) || finds.length >= finds_max) return
  kinds.add(kind)
  finds.push(find)
})
await hunt.begin()
const step = 3000
while (hunt.inputs < Number(inputs) && !(isForFault !== '' && finds.length > 0)) {
  await hunt.run(Math.min(step, Number(inputs) - hunt.inputs))
}
coverage.close()
process.send?.({ inputs: hunt.inputs, kept: hunt.kept, reached: coverage.size, finds } satisfies Hunted)
process.disconnect?.()
