/**
 * How long a search takes among many tasks: words as they are typed, the most frequent word, rare words, phrases and exclusions,
 * each as a request to a server whose index is complete: `npm run bench:search`.
 */
import type { NewTask } from '../server/src/resources/tasks/task.ts'
import { call } from '../server/test/call.ts'
import { benchmark, say } from './command.ts'
import type { Figure } from './figures.ts'
import { indexSeeded } from './index-seeded.ts'
import { productEnvironment } from './product.ts'
import { type Frame, ordinaryTask } from './seed-product.ts'
import type { ServerProcess } from './server-process.ts'

const result_ms_max = 100
const words_count = 20_000
/** In every task's text, and in a tenth of the titles. */
const common = 'system'

let seed = 20_261_123
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

const syllables = ['ba', 'co', 'di', 'fe', 'gu', 'ha', 'ki', 'lo', 'mu', 'ne', 'po', 'ra', 'si', 'to', 'vu', 'ze']

/** The word of a rank: all words are different. */
function wordOf(rank: number): string {
  let word = ''
  for (let rest = rank + 16; rest > 0; rest = Math.floor(rest / 16)) word += syllables[rest % 16]
  return word
}

/** Few words are frequent and most are rare, as in languages (Zipf). */
function anyWord(): string {
  return wordOf(Math.floor(words_count ** random()) - 1)
}

const text = (count: number) => Array.from({ length: count }, anyWord).join(' ')

function writtenTask(frame: Frame, i: number): NewTask {
  const title = `${text(5)}${i % 10 === 0 ? ` ${common}` : ''}`
  return {
    ...ordinaryTask(frame, i),
    title,
    description: `${text(24)} ${common} number${i} ${i % 2 === 0 ? 'even' : 'odd'}`,
  }
}

/** Each case with its queries: the texts that a person sees results for while typing. */
function casesOf(tasks: number): readonly (readonly [name: string, queries: readonly string[]])[] {
  const typed = (whole: string) => Array.from({ length: whole.length - 1 }, (_, i) => whole.slice(0, i + 2))
  return [
    ['the most frequent word', [common]],
    ['typed: one frequent word', typed(`${wordOf(0)}${syllables[3]}`)],
    ['typed: two words', typed(`${wordOf(2)} ${wordOf(40)}`)],
    ['one letter', ['b', 's', 'z']],
    ['two frequent words', [`${wordOf(0)} ${common}`, `${wordOf(1)} ${wordOf(2)} ${common}`]],
    ['a rare word', [`number${tasks >> 1}`]],
    ['a rare and a frequent word', [`number${tasks >> 1} ${common}`, `${common} ${wordOf(words_count - 3)}`]],
    ['a phrase of frequent words', [`"${wordOf(0)} ${wordOf(1)}"`]],
    ['a frequent word without another', [`${common} -${wordOf(0)}`]],
    ['a task key', ['BEN-77', 'ben-7']],
    ['a word that does not occur', ['xylophone']],
    ['a phrase of the most frequent word, which does not occur', [`"${common} ${common}"`]],
    ['the same without quotes, as it is typed', [`${common}-${common}`]],
    ['the most frequent word without itself', [`${common} -${common}`]],
    ['two words of half the texts that never meet', ['even odd']],
  ]
}

interface Spent {
  /** The time of each request. */
  readonly times: readonly number[]
  /** The server's CPU time of a request, which other work on the machine hardly changes. */
  readonly cpu_ms: number
}

async function searched(server: ServerProcess, key: string, query: string, count: number): Promise<Spent> {
  const times: number[] = []
  let cpu_us = 0
  for (let i = -1; i < count; i++) {
    // The first one warms up.
    if (i === 0) cpu_us = server.cpuMicros()
    const from = performance.now()
    const reply = await call(server.url, 'GET', `/v1/search?query=${encodeURIComponent(query)}`, { key })
    if (reply.status !== 200) throw new Error(`${query} answered ${reply.status}: ${reply.text}`)
    if (i >= 0) times.push(performance.now() - from)
  }
  return { times, cpu_ms: (server.cpuMicros() - cpu_us) / count / 1000 }
}

function quantile(times: readonly number[], share: number): number {
  return [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(share * times.length))] as number
}

await benchmark({
  name: 'search',
  does: 'Search among many tasks, as words are typed and by the most frequent word.',
  engines: ['sqlite', 'postgres'],
  sizes: {
    tasks: { full: 1_000_000, quick: 20_000, means: 'tasks in the database' },
    repeats: { full: 50, quick: 10, means: 'requests of each query' },
  },
  async run(stage, { tasks, repeats }) {
    const url = await stage.newDatabase('search')
    say(`seeding ${tasks} tasks`)
    const seeded = await stage.product.seed(url, { tasks, task: writtenTask })
    const spent = await indexSeeded(productEnvironment(url, stage.folder), seeded)
    say(`indexed in ${(spent / 1000).toFixed(1)} s, ${((spent / tasks) * 1000).toFixed(0)} µs a task`)
    await stage.settle(url)
    const server = await stage.start(url)
    const figures: Figure[] = []
    const all: number[] = []
    for (const [name, queries] of casesOf(tasks)) {
      const spents: Spent[] = []
      await stage.measured(async () => {
        for (const query of queries) spents.push(await searched(server, seeded.key, query, repeats))
      })
      const times = spents.flatMap((each) => each.times)
      all.push(...times)
      const slowest = spents.reduce((most, each, i) => (each.cpu_ms > (spents[most]?.cpu_ms ?? 0) ? i : most), 0)
      const cpu = `${spents[slowest]?.cpu_ms.toFixed(1)} ms of CPU for "${queries[slowest]}"`
      // Of one query: that of several would be the time of the fast ones.
      const median = Math.max(...spents.map((each) => quantile(each.times, 0.5)))
      const note = `p50 at most ${median.toFixed(1)} ms; at most ${cpu}`
      const p99 = quantile(times, 0.99)
      say(`${name}: p99 ${p99.toFixed(1)} ms, ${note}`)
      figures.push({ name, value: p99, unit: 'ms', goal: { at_most: result_ms_max }, note })
    }
    figures.push({ name: 'all, median', value: quantile(all, 0.5), unit: 'ms' })
    figures.push({ name: 'indexing a task', value: (spent / tasks) * 1000, unit: 'µs' })
    return figures
  },
})
