/**
 * People who draw on one board while its servers are killed and their own connections break. On SQLite one process serves; on
 * PostgreSQL one of two is killed while the other continues. At the end all servers are killed before the board is read again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKeyBetween } from 'fractional-indexing'
import { call } from '../../server/test/call.ts'
import { Drawer, rectangle } from '../../server/test/drawer.ts'
import type { ServerProcess } from '../../server/test/durability/processes.ts'
import { type Deployment, openDeployment } from '../deployment.ts'
import type { Dice } from '../dice.ts'
import { type EngineName, engines, prefixed, row, type Trial, type Violated } from '../row.ts'

const people_short = 6
const people_long = 30
/** Strokes of each person, over all kills of a round. */
const strokes = { short: 60, long: 500 } as const
const kills_for_long = 10
/** With this number of elements people change and delete some instead of adding more: a board has a limit. */
const elements_many = 2000
const round_kills = 5
const publish_ms_max = 60_000

export const draw = row({
  name: 'draw',
  promise:
    'People who draw on one board end with the same scene, which a reload and the API show, and no acknowledged stroke is lost.',
  cycle:
    'a SIGKILL to a server under the strokes of 6 people, of 30 in long runs, a fifth of whose messages wait and a hundredth break their connection',
  cycles: { short: 2, long: 20 },
  unproven: ['Merging within one element: of two changes of it at the same moment one is kept.'],
  async run(trial) {
    const isLong = trial.cycles >= kills_for_long
    const each = Math.ceil(trial.cycles / engines.length)
    for (const engine of trial.engines) {
      for (let left = each; left > 0 && !trial.isOver; left -= round_kills) {
        await drawRound(trial, engine, Math.min(left, round_kills), isLong)
      }
    }
    return { cycles: trial.cycles }
  },
})

async function drawRound(trial: Trial, engine: EngineName, kills: number, isLong: boolean): Promise<void> {
  await using deployment = await openDeployment(engine, { ATRIUM_WORKERS: 'true' })
  const dice = trial.dice.fork()
  const violated = prefixed(trial, engine)
  const count = engine === 'postgres' ? 2 : 1
  const servers = await Promise.all(Array.from({ length: count }, () => deployment.serve()))
  const { key } = deployment.installation
  const made = await call((servers[0] as ServerProcess).url, 'POST', '/v1/boards', { key, body: { name: 'Drawn' } })
  const board: string = made.body.id
  const people = Array.from({ length: isLong ? people_long : people_short }, (_, i) => {
    const network = { random: () => dice.unit(), delayed: 0.2, broken: 0.01 }
    return new Drawer({ server: () => (servers[i % count] as ServerProcess).url, board, key, network })
  })
  try {
    for (const person of people) await person.joined()
    const each = Math.ceil((isLong ? strokes.long : strokes.short) / (kills + 1))
    for (let kill = 0; kill <= kills; kill++) {
      const drawing = Promise.all(people.map((person, i) => drawSome(person, `${i}-${kill}`, each, dice)))
      if (kill < kills) {
        await sleep(dice.int(20, 400))
        const victim = kill % count
        await (servers[victim] as ServerProcess).kill()
        servers[victim] = await deployment.serve()
        trial.count(`${engine} kills`)
      }
      await drawing
    }
    trial.count('strokes', people.length * each * (kills + 1))
    await arrived(people)
    // No client is left that could send again what a server forgets.
    for (const person of people) person.leave()
    await Promise.all(servers.map((server) => server.kill()))
    const { url } = await deployment.serve()
    await compare(violated, deployment, { board, people, url })
  } finally {
    for (const person of people) person.leave()
  }
}

/** Draws new elements, and changes and deletes any that the person sees. */
async function drawSome(person: Drawer, name: string, count: number, dice: Dice): Promise<void> {
  for (let stroke = 0; stroke < count; stroke++) {
    const scene = person.scene()
    const any = scene[dice.int(0, Math.max(0, scene.length - 1))]
    const kind = dice.unit()
    const x = dice.int(0, 5000)
    if (any === undefined || (kind < 0.4 && scene.length < elements_many)) {
      person.draw(rectangle(`${name}-${stroke}`, { x, index: generateKeyBetween(scene.at(-1)?.index ?? null, null) }))
    } else if (kind < 0.85) person.change(any.id, { x })
    else person.change(any.id, { isDeleted: true })
    await sleep(dice.int(0, 8))
  }
}

/** Every stroke is acknowledged, and everybody has received it. */
async function arrived(people: readonly Drawer[]): Promise<void> {
  for (const person of people) await person.allSaved()
  const newest = () => Math.max(...people.map(({ sequence }) => sequence))
  for (const person of people) await person.until(() => person.state === 'open' && person.sequence >= newest())
}

interface Drawn {
  readonly board: string
  readonly people: readonly Drawer[]
  readonly url: string
}

async function compare(violated: Violated, deployment: Deployment, { board, people, url }: Drawn): Promise<void> {
  const { key } = deployment.installation
  const late = await new Drawer({ server: url, board, key }).joined()
  const scene = JSON.stringify(late.scene())
  for (const [i, person] of people.entries()) {
    if (JSON.stringify(person.scene()) !== scene) violated(`person ${i} does not see what a reload shows`)
    for (const refusal of person.refusals) violated(`a stroke was refused: ${refusal.message}`)
    for (const [id, { version }] of person.acknowledged) {
      if ((late.elements.get(id)?.version ?? 0) < version) violated(`the acknowledged element ${id} is lost`)
    }
  }
  // The list of the API has its own order.
  const shown = sorted(late.scene().map(({ id }) => id))
  late.leave()
  // The snapshot follows five seconds after the last stroke.
  const until = Date.now() + publish_ms_max
  let items = ''
  while (Date.now() < until && items !== shown) {
    await sleep(500)
    items = sorted(await itemsOf(url, board, key))
  }
  if (items !== shown) violated('the API does not show what people see')
}

function sorted(ids: readonly string[]): string {
  return ids.toSorted().join()
}

async function itemsOf(url: string, board: string, key: string): Promise<string[]> {
  const found: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await call(url, 'GET', `/v1/boards/${board}/items?limit=100${cursor}`, { key })
    found.push(...body.data.map((item: { source: { element_id: string } }) => item.source.element_id))
    if (!body.has_more) return found
    cursor = `&cursor=${body.next_cursor}`
  }
}
