/**
 * Time from drawing a stroke to its arrival at every other person on the board, while all of them draw and move their pointers:
 * `npm run bench:drawing`. It includes the commit. On PostgreSQL two servers share the people.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../server/test/call.ts'
import { benchmark, say } from './command.ts'
import { Painter } from './painter.ts'
import { percentile } from './report.ts'

const goal_ms = 200
const warm_ms = 3000
const wait_ms = 30_000
const pointers_per_second = 10

await benchmark({
  name: 'drawing',
  does: 'Milliseconds from a stroke to its arrival at every other person on the board.',
  engines: ['sqlite', 'postgres'],
  sizes: {
    people: { full: 30, quick: 10, means: 'people on the board, each with a connection' },
    seconds: { full: 30, quick: 5, means: 'seconds of drawing' },
    rate: { full: 2, quick: 2, means: 'strokes per second of each person' },
  },
  async run(stage, { people, seconds, rate }) {
    const url = await stage.newDatabase('drawing')
    const { key } = await stage.product.seed(url, { tasks: 10 })
    await stage.settle(url)
    const servers = [await stage.start(url)]
    if (stage.engine === 'postgres') servers.push(await stage.start(url))
    const board = await makeBoard(servers[0]?.url ?? '', key)
    const crowd: Painter[] = []
    for (let i = 0; i < people; i++) {
      const server = servers[i % servers.length]?.url ?? ''
      crowd.push(await new Painter(`${server.replace('http', 'ws')}/app/api/boards/${board}/live`, key, i).joined())
    }
    say(`${people} people are on the board`)
    await drawAll(crowd, { for_ms: warm_ms, rate })
    for (const painter of crowd) painter.times.length = 0
    const strokes = await stage.measured(() => drawAll(crowd, { for_ms: seconds * 1000, rate }))
    const times = crowd.flatMap((painter) => painter.times)
    for (const painter of crowd) painter.leave()
    const missing = strokes * (people - 1) - times.length
    if (missing !== 0) throw new Error(`${missing} arrivals of strokes are missing.`)
    return [
      { name: `stroke to another person, p50 of ${times.length}`, value: percentile(times, 0.5), unit: 'ms' },
      {
        name: 'stroke to another person, p99',
        value: percentile(times, 0.99),
        unit: 'ms',
        goal: { at_most: goal_ms },
      },
      { name: 'slowest', value: percentile(times, 1), unit: 'ms' },
    ]
  },
})

async function makeBoard(url: string, key: string): Promise<string> {
  const reply = await call(url, 'POST', '/v1/boards', { key, body: { name: 'Measured' } })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.body.id
}

/** Lets everyone draw and point, spread over time, and waits until all strokes have arrived. Returns their number. */
async function drawAll(crowd: readonly Painter[], { for_ms, rate }: { for_ms: number; rate: number }): Promise<number> {
  const before = crowd.reduce((sum, { times }) => sum + times.length, 0)
  const drawn = await Promise.all(
    crowd.map(async (painter, i) => {
      const step_ms = 1000 / pointers_per_second
      const steps_per_stroke = pointers_per_second / rate
      const from = performance.now() + (i * step_ms) / crowd.length
      let strokes = 0
      for (let step = 0; step * step_ms < for_ms; step++) {
        await sleep(Math.max(0, from + step * step_ms - performance.now()))
        if ((step + i) % steps_per_stroke >= 1) painter.point()
        else {
          painter.stroke()
          strokes++
        }
      }
      return strokes
    }),
  )
  const strokes = drawn.reduce((sum, count) => sum + count, 0)
  const expected = before + strokes * (crowd.length - 1)
  const until = performance.now() + wait_ms
  while (performance.now() < until && crowd.reduce((sum, { times }) => sum + times.length, 0) < expected)
    await sleep(20)
  return strokes
}
