/**
 * Bears hostile receivers: sends to each of them round after round, many at once, and prints as one line of JSON what stayed
 * behind in memory and what went wrong. Arguments: the port of the receivers, the rounds,
 * a seed.
 */
import { Egress, type EgressRequest, type EgressResult } from '../server/src/lib/egress.ts'
import { Dice } from './dice.ts'
import { hostilities } from './hostile.ts'

const answer_bytes_max = 64 * 1024
/** How long a receiver is borne, and how much longer the end may take on a busy machine. */
const patience_ms = 400
const grace_ms = 5000
/** What the first rounds load and grow is not what a receiver took: so many at least, and of many a quarter. */
const warm_up_rounds_min = 6
/** What a round's answers take and give back differs by more than what is looked for: the least of several rounds counts. */
const looks = 5
const growth_max = 5 * 1024 * 1024
const trials_max = 3

const complaints: string[] = []

async function bear(way: Egress, port: number, name: string): Promise<void> {
  const asked: EgressRequest = {
    url: new URL(`http://127.0.0.1:${port}/${name}`),
    method: 'POST',
    headers: {},
    body: '{}',
    total_ms: patience_ms,
    connect_ms: patience_ms,
    response_bytes_max: answer_bytes_max,
  }
  const began = performance.now()
  const result = await way.send(asked)
  const took = performance.now() - began
  if (took > patience_ms + grace_ms) complaints.push(`${name} took ${Math.round(took)} ms`)
  judge(name, result)
}

function judge(name: string, result: EgressResult): void {
  if (!result.ok) return
  if (result.body.length > answer_bytes_max) complaints.push(`${name}: ${result.body.length} bytes of an answer`)
  if (name === 'redirect' && result.status !== 302) complaints.push(`a redirect was followed: ${result.status}`)
}

/** Resident memory behind a round, once the collector has been through it: the least of some. */
async function settledRss(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < looks; look++) {
    await round()
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setImmediate(resolve))
      globalThis.gc?.()
      least = Math.min(least, process.memoryUsage.rss())
    }
  }
  return least
}

const [port = 0, rounds = 0, seed = 0] = process.argv.slice(2).map(Number)
const way = new Egress({ allowedHosts: [], allowedCidrs: ['127.0.0.0/8'] })
const dice = new Dice(seed)
const round = () => Promise.all(dice.shuffle(hostilities).map((name) => bear(way, port, name)))
let made = Math.max(warm_up_rounds_min, Math.ceil(rounds / 4))
for (let i = 0; i < made; i++) await round()
let growth = Number.POSITIVE_INFINITY
// A leak grows every time; what the allocator took for one burst and keeps does not.
for (let trial = 0; trial < trials_max && growth > growth_max; trial++) {
  const before = await settledRss()
  for (let i = 0; i < rounds; i++) await round()
  growth = (await settledRss()) - before
  made += rounds + 2 * looks
}
console.log(JSON.stringify({ growth, requests: made * hostilities.length, complaints }))
process.exit()
