/**
 * The server's memory after a million requests, and its growth: reads, lists, unchanged answers and writes in turns, with a
 * sample after each. The long run is `npm run bench:memory -- --requests 10000000`.
 */
import { join } from 'node:path'
import { benchmark, say } from './command.ts'
import { measure } from './measure.ts'
import type { Job } from './target.ts'
import { writeTags, writeTarget } from './target.ts'

const resident_mib_max = 200
/** Growth below this counts as flat: ten million requests then add less than a tenth of the limit. */
const slope_mib_max = 2
const turns: readonly Job[] = ['get', 'mix', 'list', '304']

interface Point {
  readonly requests: number
  readonly mib: number
}

await benchmark({
  name: 'memory',
  does: 'Resident memory after many requests, and its slope over their second half.',
  engines: ['sqlite', 'postgres'],
  needs: ['wrk'],
  sizes: {
    tasks: { full: 100_000, quick: 5_000, means: 'tasks in the database' },
    requests: { full: 1_000_000, quick: 20_000, means: 'requests' },
    seconds: { full: 5, quick: 1, means: 'seconds between two samples' },
  },
  async run(stage, { tasks, requests, seconds }) {
    const url = await stage.newDatabase('memory')
    const seeded = await stage.product.seed(url, { tasks })
    await stage.settle(url)
    const server = await stage.start(url)
    const folder = join(stage.folder, 'load')
    writeTarget(folder, seeded)
    await writeTags(folder, seeded, server.url)
    const points: Point[] = [{ requests: 0, mib: server.residentMib() }]
    let answered = 0
    for (let turn = 0; answered < requests; turn++) {
      const job = turns[turn % turns.length] as Job
      const sample = await stage.measured(() => measure(server, { folder, job, seconds }))
      if (sample.bad > 0) throw new Error(`${sample.bad} bad answers to ${job}`)
      answered += Math.round(sample.rps * seconds)
      points.push({ requests: answered, mib: server.residentMib() })
      say(`${answered} requests: ${server.residentMib().toFixed(1)} MiB`)
    }
    return [
      { name: 'at the start', value: points[0]?.mib ?? Number.NaN, unit: 'MiB', steady: true },
      {
        name: `after ${answered} requests`,
        value: points.at(-1)?.mib ?? Number.NaN,
        unit: 'MiB',
        goal: { at_most: resident_mib_max },
        steady: true,
      },
      { name: 'the most ever', value: server.peakMib(), unit: 'MiB', steady: true },
      {
        name: 'slope of the second half',
        value: slope(points.filter((point) => point.requests >= answered / 2)),
        unit: 'MiB per million requests',
        ...(answered < 10_000_000 ? {} : { goal: { at_most: slope_mib_max } }),
        steady: true,
        note: points.map((point) => `${point.requests}: ${point.mib.toFixed(0)}`).join(', '),
      },
    ]
  },
})

/** Least squares, in MiB per million requests. */
function slope(points: readonly Point[]): number {
  const mean = (of: (point: Point) => number) => points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x, y] = [mean((point) => point.requests), mean((point) => point.mib)]
  const over = points.reduce((sum, point) => sum + (point.requests - x) * (point.mib - y), 0)
  const under = points.reduce((sum, point) => sum + (point.requests - x) ** 2, 0)
  return (over / under) * 1e6
}
