/**
 * Simulates seeds in a process whose time and randomness are replaced for good: `run.ts FIRST COUNT [FIRST COUNT]…` prints one
 * JSON line per seed.
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
