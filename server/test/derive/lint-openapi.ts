/**
 * The linters that integrators would run on `docs/openapi.json`: Redocly's recommended rules, Spectral's `oas`, and the
 * types that openapi-typescript makes of it, compiled. Anything they say is a failure. Run by `bin/check openapi`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConfig, lint } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import openapiTypes, { astToString } from 'openapi-typescript'

const root = join(import.meta.dirname, '../../..')
const file = join(root, 'docs/openapi.json')
const text = readFileSync(file, 'utf8')
const tsc = join(root, 'node_modules/.bin/tsc')

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

/** A program that uses what an integrator would: an operation, a noun, a list, an error. */
const program = `import type { components, operations } from './types.js'
type Task = components['schemas']['Task']
type Created = operations['tasks.create']['responses'][200]['content']['application/json']
export const same = (task: Created): Task => task
export const title: (task: Task) => string = (task) => task.title
export const code: (error: components['schemas']['Error']) => string = ({ error }) => error.code
export const page = (list: components['schemas']['TaskList']): Task[] => list.data
`

async function types(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-types-'))
  try {
    writeFileSync(join(folder, 'types.d.ts'), astToString(await openapiTypes(text)))
    writeFileSync(join(folder, 'program.ts'), program)
    const compilerOptions = { noEmit: true, strict: true, module: 'nodenext', target: 'esnext', types: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
    return status === 0 ? [] : [...stdout.split('\n').filter((line) => line !== ''), `tsc ended with ${status}`]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const failed = (error: unknown) => [`openapi-typescript: ${error}`]
const problems = [...(await redocly()), ...(await spectral()), ...(await types().catch(failed))]
if (problems.length > 0) {
  process.stdout.write(`${problems.join('\n')}\n${problems.length} problems\n`)
  process.exitCode = 1
}
