/**
 * The proof from the command line: `npm run proof -- ROW --seed=S` tries a row and prints one JSON line
 * {row, seed, cycles, violations, seconds}. A planted fault is planted before any of the product is loaded, so it gets a
 * process of its own. See docs/proof.md.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { faults, faultsOf } from './faults.ts'
import { plant } from './plant.ts'

const usage = `usage: npm run proof -- ROW... [options]
       npm run proof -- all [options]

  --seed=S       a whole number; left out, one is drawn and printed
  --long         as many cycles as the long run makes; without it, those of the short one
  --cycles=N     exactly so many
  --fault=NAME   breaks the product on purpose: the row must notice
  --faults       tries every planted fault of the rows named
  --record       keeps the verdict under proof/results
  --list         names the rows and their planted faults

Exit codes: 0 no violation (or, with a fault, at least one), 1 otherwise, 2 wrong usage.`

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
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
const cycles = values.cycles === undefined ? null : Number(values.cycles)

function isWrong(): boolean {
  if (names.length === 0 || names.some((name) => !Object.hasOwn(faults, name))) return true
  if (!Number.isSafeInteger(seed) || (cycles !== null && !(Number.isSafeInteger(cycles) && cycles > 0))) return true
  const { fault } = values
  return fault !== undefined && (names.length !== 1 || !faultsOf(names[0] ?? '').some(({ name }) => name === fault))
}

/** Tries a row in this process. Returns whether it came out as it should. */
async function tryOne(name: string, fault: string | null): Promise<boolean> {
  const planted = faultsOf(name).find((each) => each.name === fault)
  if (planted?.plants !== undefined) plant(planted.plants)
  const [{ rows }, { tryRow }, { keep }] = await Promise.all([
    import('./rows/index.ts'),
    import('./try.ts'),
    import('./results.ts'),
  ])
  const row = rows.find((each) => each.name === name)
  if (row === undefined) throw new Error(`there is no row ${name}`)
  const usual = planted?.cycles ?? (values.long ? row.cycles.long : row.cycles.short)
  const say = (text: string): void => void process.stderr.write(`${text}\n`)
  const verdict = await tryRow(row, { seed, cycles: cycles ?? usual, fault, say })
  console.log(JSON.stringify(verdict))
  if (values.record) keep(verdict)
  return verdict.skipped !== undefined || verdict.violations > 0 === (fault !== null)
}

/** The same in a process of its own. */
async function tryElsewhere(name: string, fault: string | null): Promise<boolean> {
  const given = [name, `--seed=${seed}`, ...(fault === null ? [] : [`--fault=${fault}`])]
  if (cycles !== null) given.push(`--cycles=${cycles}`)
  for (const flag of ['long', 'record'] as const) if (values[flag]) given.push(`--${flag}`)
  const child = spawn(process.execPath, [import.meta.filename, ...given], { stdio: 'inherit' })
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
      isGood = (await tryElsewhere(name, fault)) && isGood
    }
  }
  return isGood ? 0 : 1
}

process.exitCode = await main()
// What a trial leaves open shall not keep the process.
process.exit()
