/** The frame of all benchmark commands: options, sizes, requirements, the table, the file and the exit code. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ExitCode, exitCodeOf, type Figure, figureTable, keep } from './figures.ts'
import { lacks } from './machine.ts'
import { type Engine, onStage, type Stage, work } from './stage.ts'

/** A size that the command line can change: `--tasks 1000`. */
export interface Size {
  /** The size of the goal. */
  readonly full: number
  /** With `--quick`. */
  readonly quick: number
  readonly means: string
}

export interface Benchmark<Name extends string> {
  /** `npm run bench:<name>`. */
  readonly name: string
  readonly does: string
  readonly engines: readonly Engine[]
  readonly sizes: Readonly<Record<Name, Size>>
  /** Programs besides `taskset`. */
  readonly needs?: readonly 'wrk'[]
  run(stage: Stage, sizes: Readonly<Record<Name, number>>): Promise<readonly Figure[]>
}

/** Runs a benchmark with the options of the command line and sets the exit code (`figures.ts`). */
export async function benchmark<Name extends string>(declared: Benchmark<Name>): Promise<void> {
  endOnSignals()
  try {
    process.exitCode = await run(declared)
  } catch (error) {
    say(`bench:${declared.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    process.exitCode = 2
  }
}

/** A process that a signal ends skips its exit handlers, which end its servers and remove its folders. */
export function endOnSignals(): void {
  for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
    process.once(signal, () => process.exit(code))
  }
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

interface Given<Name extends string> {
  readonly help: boolean
  readonly quick: boolean
  readonly profile: boolean
  readonly engine: Engine
  readonly out: string | undefined
  readonly sizes: Readonly<Record<Name, number>>
}

async function run<Name extends string>(declared: Benchmark<Name>): Promise<ExitCode> {
  const given = readOptions(declared, process.argv.slice(2))
  if (given.help) {
    process.stdout.write(helpOf(declared))
    return 0
  }
  const lacking = lacks(['taskset', ...(declared.needs ?? [])])
  if (lacking.length > 0) {
    for (const sentence of lacking) say(`bench:${declared.name}: ${sentence}`)
    return 2
  }
  const { engine, sizes } = given
  return await onStage(engine, declared.name, async (stage) => {
    if (given.profile) stage.profiles = join(work, 'profiles')
    const figures = await declared.run(stage, sizes)
    const full = Object.entries(declared.sizes).every(([name, size]) => sizes[name as Name] >= (size as Size).full)
    const name = engine === 'sqlite' ? declared.name : `${declared.name}-${engine}`
    const outcome = { name, figures, others: stage.others(), options: { engine, ...sizes } }
    process.stdout.write(`${figureTable(outcome)}\n`)
    if (given.profile) say('Profiled: the figures are worse than without a profile.')
    if (!full) say('Smaller than the size of the goal: verdicts are only hints.')
    say(`written: ${keep(outcome, { file: given.out, full: full && !given.profile })}`)
    return exitCodeOf(outcome)
  })
}

export function readOptions<Name extends string>(declared: Benchmark<Name>, args: readonly string[]): Given<Name> {
  const names = Object.keys(declared.sizes) as Name[]
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      pg: { type: 'boolean', default: false },
      out: { type: 'string' },
      profile: { type: 'boolean', default: false },
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    },
  })
  const given = values as Record<string, unknown>
  const engine = given.pg === true ? 'postgres' : (declared.engines[0] as Engine)
  if (!declared.engines.includes(engine)) throw new Error('This benchmark does not run on PostgreSQL.')
  const sizeOf = (name: Name): number => {
    const size = declared.sizes[name]
    if (given[name] === undefined) return given.quick === true ? size.quick : size.full
    return wholeNumber(name, String(given[name]))
  }
  return {
    help: given.help === true,
    quick: given.quick === true,
    profile: given.profile === true,
    engine,
    out: given.out as string | undefined,
    sizes: Object.fromEntries(names.map((name) => [name, sizeOf(name)])) as Record<Name, number>,
  }
}

/** A whole number of at least 1 from the command line. Throws an error that names the option. */
export function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} must be a whole number of at least 1, not "${text}".`)
  return Number(text)
}

function helpOf<Name extends string>({ name, does, engines, sizes }: Benchmark<Name>): string {
  const lines = Object.entries<Size>(sizes).map(
    ([size, { full, quick, means }]) => `  --${size.padEnd(12)} ${means} (${full}; with --quick ${quick})`,
  )
  const pg = engines.length > 1 ? ['  --pg           on PostgreSQL, which is started and removed'] : []
  return [
    `npm run bench:${name} -- [options]`,
    '',
    does,
    '',
    ...lines,
    '  --quick        small sizes, to find gross errors',
    ...pg,
    '  --out FILE     the file for the figures',
    '  --profile      writes CPU profiles of the server to bench/.work/profiles; slows it down',
    '',
    'Exit codes: 0 all goals met, 1 a goal missed, 2 nothing could be measured, 3 undecided on this machine.',
    '',
  ].join('\n')
}
