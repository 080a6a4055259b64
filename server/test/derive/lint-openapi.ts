/**
 * Runs the tools of integrators on `docs/openapi.json`: Redocly's recommended rules, Spectral's `oas` ruleset, and the compiled
 * types of openapi-typescript and client of Hey API. Any message is a failure. `bin/check openapi` runs it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lint } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { clientOf, typesOf } from './openapi-clients.ts'

const root = join(import.meta.dirname, '../../..')
const file = join(root, 'docs/openapi.json')
const text = readFileSync(file, 'utf8')

async function redocly(): Promise<string[]> {
  const problems = await lint({ ref: file, config: await createConfig({ extends: ['recommended'] }) })
  return problems.map(({ severity, ruleId, message, location }) => {
    return `redocly ${severity} ${ruleId} ${location[0]?.pointer ?? ''}: ${message}`
  })
}

async function spectral(): Promise<string[]> {
  const linter = new spectralCore.Spectral()
  linter.setRuleset(new spectralCore.Ruleset({ extends: [[spectralRulesets.oas, 'recommended']] }))
  const problems = await linter.run(text)
  return problems.map(
    ({ severity, code, path, message }) => `spectral ${severity} ${code} ${path.join('.')}: ${message}`,
  )
}

const failed = (tool: string) => (error: unknown) => [`${tool}: ${error}`]
const problems = [
  ...(await redocly()),
  ...(await spectral()),
  ...(await typesOf(text).catch(failed('openapi-typescript'))),
  ...(await clientOf(text).catch(failed('openapi-ts'))),
]
if (problems.length > 0) {
  process.stdout.write(`${problems.join('\n')}\n${problems.length} problems\n`)
  process.exitCode = 1
}
