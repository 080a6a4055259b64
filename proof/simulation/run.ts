/**
 * Simulates seeds, in a process of its own whose time and chance are replaced for good: `run.ts FIRST COUNT [FIRST COUNT]…`
 * prints a JSON line for each.
 */
import { Simulator } from './simulate.ts'

const simulator = new Simulator()
process.on('exit', () => simulator.close())
await simulator.install()
const ranges = process.argv.slice(2).map(Number)
for (let i = 0; i + 1 < ranges.length; i += 2) {
  const first = ranges[i] as number
  for (let seed = first; seed < first + (ranges[i + 1] as number); seed++) {
    console.log(JSON.stringify(await simulator.simulate(seed)))
  }
}
process.exit()
