/**
 * The proof's command line: `npm run proof -- ROW --seed=S` tries a row and prints one JSON line
 * {row, seed, cycles, violations, seconds}. A fault is planted before the product is loaded, so each fault runs in a new
 * process. See docs/proof.md.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { faults, faultsOf, type RowName } from './faults.ts'
import { plant } from './plant.ts'

const usage = `Usage: npm run proof -- ROW... [options]
       npm run proof -- all [options]

  --seed=S       A whole number. Default: random, printed with the verdict.
  --long         Tries the cycles of the long run instead of the short one.
  --cycles=N     Tries exactly N cycles.
  --fault=NAME   Plants a fault, which the row must notice.
  --faults       Tries every planted fault of the named rows.
  --record       Records the verdict under proof/results.
  --list         Lists the rows and their planted faults.

Exit codes: 0 no violation (with a fault: at least one), 1 otherwise, 2 wrong usage.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    long: { type: 'boolean', default: false },
    cycles: { type: 'string' },
    fault: { type: 'string' },
    faults: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const names = positionals.includes('all') ? Object.keys(faults) : positionals

const isRow = (name: string): name is RowName => Object.hasOwn(faults, name)
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
const cycles = values.cycles === undefined ? null : Number(values.cycles)

function isWrong(): boolean {
  if (names.length === 0 || !names.every(isRow)) return true
  if (!Number.isSafeInteger(seed) || (cycles !== null && !(Number.isSafeInteger(cycles) && cycles > 0))) return true
  const { fault } = values
  return fault !== undefined && (names.length !== 1 || !faultsOf(names[0] ?? '').some(({ name }) => name === fault))
}

/** Tries a row in this process. Returns whether the verdict is as expected. */
async function tryOne(name: string, fault: string | null): Promise<boolean> {
  const planted = faultsOf(name).find((each) => each.name === fault)
  if (planted !== undefined) plant(planted.plants)
  const [{ rows }, { tryRow }, { record }] = await Promise.all([
    import('./rows/index.ts'),
    import('./try.ts'),
    import('./results.ts'),
  ])
  if (!isRow(name)) throw new Error(`Unknown row "${name}".`)
  const row = await rows[name]()
  const usual = planted?.cycles ?? (values.long ? row.cycles.long : row.cycles.short)
  const say = (text: string): void => void process.stderr.write(`${text}\n`)
  const verdict = await tryRow(row, { seed, cycles: cycles ?? usual, fault, say })
  console.log(JSON.stringify(verdict))
  if (values.record) record(verdict)
  return verdict.skipped !== undefined || verdict.violations > 0 === (fault !== null)
}

/** Tries a row in a child process. */
async function tryInChild(name: string, fault: string | null): Promise<boolean> {
  const args = [name, `--seed=${seed}`, ...(fault === null ? [] : [`--fault=${fault}`])]
  if (cycles !== null) args.push(`--cycles=${cycles}`)
  for (const flag of ['long', 'record'] as const) if (values[flag]) args.push(`--${flag}`)
  const child = spawn(process.execPath, [import.meta.filename, ...args], { stdio: 'inherit' })
  return (await once(child, 'exit'))[0] === 0
}

async function main(): Promise<number> {
  if (values.list) {
    for (const [name, planted] of Object.entries(faults)) console.log(`${name}\t${planted.map((f) => f.name).join()}`)
    return 0
  }
  if (values.help || isWrong()) {
    console.error(usage)
    return values.help ? 0 : 2
  }
  const [only] = names
  if (names.length === 1 && only !== undefined && !values.faults) {
    return (await tryOne(only, values.fault ?? null)) ? 0 : 1
  }
  let isGood = true
  for (const name of names) {
    for (const fault of values.faults ? faultsOf(name).map((each) => each.name) : [null]) {
      isGood = (await tryInChild(name, fault)) && isGood
    }
  }
  return isGood ? 0 : 1
}

process.exitCode = await main()
// Handles that a trial leaves open must not keep the process alive.
process.exit()
