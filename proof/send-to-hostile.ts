/**
 * Sends to every hostile receiver round after round, all at once, and prints the memory growth and the complaints as one line
 * of JSON. Arguments: the receivers' port, the number of rounds, a seed.
 */
import { readFileSync } from 'node:fs'
import { Egress, type EgressRequest, type EgressResult } from '../server/src/egress/egress.ts'
import { Dice } from './dice.ts'
import { hostilities } from './hostile.ts'

const answer_bytes_max = 64 * 1024
const timeout_ms = 400
/** A busy machine may end a request this much later. */
const grace_ms = 5000
/** The first rounds grow memory by themselves: at least this many, and a quarter of all, are not measured. */
const warm_up_rounds_min = 6
/** Memory varies from round to round by more than a leak, so the least of several rounds counts. */
const measured_rounds = 5
const growth_max = 5 * 1024 * 1024
const trials_max = 8

const complaints: string[] = []

async function send(egress: Egress, port: number, name: string): Promise<void> {
  const request: EgressRequest = {
    url: new URL(`http://127.0.0.1:${port}/${name}`),
    method: 'POST',
    headers: {},
    body: '{}',
    total_ms: timeout_ms,
    connect_ms: timeout_ms,
    response_bytes_max: answer_bytes_max,
  }
  const began = performance.now()
  const result = await egress.send(request)
  const took = performance.now() - began
  if (took > timeout_ms + grace_ms) complaints.push(`${name} took ${Math.round(took)} ms`)
  judge(name, result)
}

function judge(name: string, result: EgressResult): void {
  if (!result.ok) return
  if (result.body.length > answer_bytes_max) complaints.push(`${name}: ${result.body.length} bytes of an answer`)
  if (name === 'redirect' && result.status !== 302) complaints.push(`a redirect was followed: ${result.status}`)
}

/** Resident memory in bytes, without pages of files where the system says so: it drops and reads those as it likes. */
function residentBytes(): number {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : ''
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]
  return kib === undefined ? process.memoryUsage.rss() : Number(kib) * 1024
}

/** Resident memory after garbage collection: the least of several rounds. */
async function settledRss(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let measured = 0; measured < measured_rounds; measured++) {
    await round()
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setImmediate(resolve))
      globalThis.gc?.()
      least = Math.min(least, residentBytes())
    }
  }
  return least
}

const [port = 0, rounds = 0, seed = 0] = process.argv.slice(2).map(Number)
const egress = new Egress({ allowedHosts: [], allowedCidrs: ['127.0.0.0/8'] })
const dice = new Dice(seed)
const round = () => Promise.all(dice.shuffle(hostilities).map((name) => send(egress, port, name)))
let sent = Math.max(warm_up_rounds_min, Math.ceil(rounds / 4))
for (let i = 0; i < sent; i++) await round()
let growth = Number.POSITIVE_INFINITY
// A leak grows in every trial; memory that the allocator keeps after a burst does not.
for (let trial = 0; trial < trials_max && growth > growth_max; trial++) {
  const before = await settledRss()
  for (let i = 0; i < rounds; i++) await round()
  growth = (await settledRss()) - before
  sent += rounds + 2 * measured_rounds
}
console.log(JSON.stringify({ growth, requests: sent * hostilities.length, complaints }))
process.exit()
