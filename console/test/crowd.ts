/**
 * A crowd of real browsers on one board: `node console/test/crowd.ts PAGES STROKES [SEED] [--fault=NAME]` opens 2 to 30 pages, lets
 * each draw over a network that loses a fifth of the messages and cuts connections, kills the server with -9 in between, and
 * compares what all pages show in the end with a reload and the API. Says on stderr how far it is. With the name of a planted fault of the proof's row `draw`, its
 * server has the fault. Prints one line of JSON; the exit code is 1 if anything differs.
 */
import { parseArgs } from 'node:util'
import { faultsOf } from '../../proof/faults.ts'
import { plant } from '../../proof/plant.ts'

/** How often a run says how far it is. */
const strokes_shown = 250

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1000)
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { fault: { type: 'string' } } })
const [pages = 5, strokes = 10, seed = Math.floor(Math.random() * 2 ** 31)] = positionals.map(Number)
if (!(Number.isInteger(pages) && pages >= 2 && pages <= 30))
  throw new Error('PAGES must be a whole number from 2 to 30.')
if (!(Number.isInteger(strokes) && strokes >= 1)) throw new Error('STROKES must be a whole number from 1.')
const fault = faultsOf('draw').find(({ name }) => name === values.fault)
if (values.fault !== undefined && fault === undefined) throw new Error(`The row draw has no fault "${values.fault}".`)
// A fault is planted before the product is loaded.
if (fault !== undefined) plant(fault.plants)
const { drawInCrowd } = await import('./crowd/draw.ts')
// A fault stays: the first looks show it.
const started = performance.now()
const report = await drawInCrowd({
  pages,
  strokes,
  seed,
  ...(fault === undefined ? {} : { looks_max: 2 }),
  onStroke(done) {
    if (done % strokes_shown === 0) process.stderr.write(`${done} strokes, ${seconds(started)} s\n`)
  },
})
process.stdout.write(`${JSON.stringify(report)}\n`)
process.exitCode = report.differences.length === 0 ? 0 : 1
