/**
 * A crowd of real browsers on one board: `node console/test/crowd.ts PAGES STROKES [SEED]` opens 2 to 30 pages, lets each draw over a
 * network that loses a fifth of the messages and cuts connections, kills the server with -9 in between, and compares what all
 * pages show in the end with a reload and the API. Prints one line of JSON; the exit code is 1 if anything differs.
 */
import { drawInCrowd } from './crowd/draw.ts'

const [pages = 5, strokes = 10, seed = Math.floor(Math.random() * 2 ** 31)] = process.argv.slice(2).map(Number)
if (!(Number.isInteger(pages) && pages >= 2 && pages <= 30))
  throw new Error('PAGES must be a whole number from 2 to 30.')
if (!(Number.isInteger(strokes) && strokes >= 1)) throw new Error('STROKES must be a whole number from 1.')
const report = await drawInCrowd({ pages, strokes, seed })
process.stdout.write(`${JSON.stringify(report)}\n`)
process.exitCode = report.differences.length === 0 ? 0 : 1
