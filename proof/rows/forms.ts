/**
 * Public forms. People load a page, fill it in and send it, some twice or after going back; programs send without the page, at
 * once, or fill in what people do not see. A loaded page starts one run with what was written, and nothing else starts one.
 */
import { query } from '../../server/src/db/query.ts'
import { openDesk } from '../../server/test/automations/desk.ts'
import { pageKeyOf, type Send, sendForm } from '../../server/test/forms.ts'
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import { prefixed, row, type Trial, type Violated } from '../row.ts'
import { inWorld } from '../worlds.ts'

/** Below the number of submissions that one sender may make in a minute. */
const per_minute = 6
const minute_ms = 60_000

export const forms = row({
  name: 'forms',
  promise: 'A loaded page of a form starts one run with its answers, however often it is sent; a program starts none.',
  cycle: 'a page that is sent: new, again, several times at once, with faults, or by a program',
  cycles: { short: 60, long: 10_000 },
  unproven: ['Programs that behave like people: they load the page, wait, and leave the hidden field empty.'],
  async run(trial) {
    let pages = 0
    for (const engine of trial.engines) {
      if (trial.isOver) break
      await inWorld(engine, {}, async (world) => {
        pages += await tryPages(trial, world, prefixed(trial, engine))
      })
    }
    return { cycles: pages, figures: { pages } }
  },
})

const readSubmissions = query<{ answers: string; status: string }, Record<string, never>>((db) =>
  db
    .selectFrom('automation_runs as run')
    .leftJoin('automation_submissions as submission', (join) =>
      join.onRef('run.realm', '=', 'submission.realm').onRef('run.id', '=', 'submission.run'),
    )
    .select(['submission.answers', 'run.status'])
    .$castTo<{ answers: string; status: string }>(),
)

type Answers = Readonly<Record<string, string>>

interface Loaded {
  readonly page: string
  readonly answers: Answers
}

async function tryPages(trial: Trial, world: World, violated: Violated): Promise<number> {
  const path = await openForm(world)
  const send: Send = (method, to, options) => world.call(method, to, { key: null, idempotencyKey: null, ...options })
  const accepted: Loaded[] = []
  const cycles = Math.ceil(trial.cycles / trial.engines.length)
  let pages = 0
  for (; pages < cycles && !trial.isOver; pages++) {
    const dice = trial.dice.fork()
    if (dice.chance(0.3) && accepted.length > 0) {
      trial.count('sent again')
      const { page } = dice.pick(accepted)
      // A person who goes back may change what was written before sending again.
      const { status } = await sendForm(send, path, page, draw(dice, pages))
      if (status !== 303) violated(`a page that is sent again was answered with ${status}`)
    } else {
      const page = pageKeyOf(await send('GET', path))
      if (dice.chance(0.5)) await sendAsProgram(trial, dice, { world, send, path, page, violated })
      else {
        world.clock.advance(minute_ms)
        const answers = draw(dice, pages)
        await sendAsPerson(trial, dice, { send, path, page, violated }, answers)
        accepted.push({ page, answers })
      }
    }
    if (pages % per_minute === 0) world.clock.advance(minute_ms)
  }
  await compare(world, accepted, violated)
  return pages
}

interface Visit {
  readonly send: Send
  readonly path: string
  readonly page: string
  readonly violated: Violated
}

/** Sends a page, some with a fault first and some several times at once. */
async function sendAsPerson(trial: Trial, dice: Dice, { send, path, page, violated }: Visit, answers: Answers) {
  if (dice.chance(0.3)) {
    trial.count('with a fault')
    const wrong: Answers = dice.pick<Answers>([
      { title: ' ' },
      { count: 'many' },
      { area: 'Cellar' },
      { needed: '2027-02-30' },
    ])
    const { status } = await sendForm(send, path, page, { ...answers, ...wrong })
    if (status !== 422) violated(`a page with ${JSON.stringify(wrong)} was answered with ${status}`)
  }
  const times = dice.chance(0.4) ? 3 : 1
  trial.count(times === 1 ? 'sent once' : 'sent at once')
  const replies = await Promise.all(Array.from({ length: times }, () => sendForm(send, path, page, answers)))
  for (const { status } of replies) if (status !== 303) violated(`a page was answered with ${status}`)
}

/** Sends what no person sends; each in a minute of its own, so that counts refuse none of them. */
async function sendAsProgram(
  trial: Trial,
  dice: Dice,
  { world, send, path, page, violated }: Visit & { readonly world: World },
): Promise<void> {
  const answers = { title: 'Cheap watches', area: 'North' }
  const [head = '', loaded = '', signature = ''] = page.split('.')
  const attempt = dice.pick(['early', 'trapped', 'unsigned', 'other time', 'late'] as const)
  trial.count(`by a program: ${attempt}`)
  if (attempt === 'early') world.clock.advance(dice.int(0, 1999))
  else world.clock.advance(attempt === 'late' ? 13 * 60 * minute_ms : minute_ms)
  const earlier = (Number.parseInt(loaded, 36) - 10_000).toString(36)
  const forged = {
    early: page,
    late: page,
    trapped: page,
    unsigned: `${head}.${loaded}.${'A'.repeat(43)}`,
    'other time': `${head}.${earlier}.${signature}`,
  }[attempt]
  const trap: Answers = attempt === 'trapped' ? { website: 'https://spam.example' } : {}
  const { status } = await sendForm(send, path, forged, answers, trap)
  const expected = attempt === 'trapped' ? 303 : 422
  if (status !== expected) violated(`${attempt}: answered with ${status} instead of ${expected}`)
  world.clock.advance(minute_ms)
}

function draw(dice: Dice, number: number): Answers {
  return {
    title: `Page ${number} ${dice.pick(['<b>&', '"quoted"', '{{ form.title }}', "it's", 'Ä 🚢'])}`,
    area: dice.pick(['North', 'South & east']),
    ...(dice.chance(0.5) && { count: String(dice.int(-5, 5000)) }),
    ...(dice.chance(0.5) && { needed: `2027-0${dice.int(1, 9)}-1${dice.int(0, 9)}` }),
  }
}

/** Every accepted page has one run with the answers that were sent first, and there is no other run. */
async function compare(world: World, accepted: readonly Loaded[], violated: Violated): Promise<void> {
  const rows = await world.services.store.reader('system').all(readSubmissions, {})
  const kept = rows.map(({ answers }) => titleOf(answers)).toSorted()
  const sent = accepted.map(({ answers }) => answers.title ?? '').toSorted()
  if (JSON.stringify(kept) !== JSON.stringify(sent)) {
    const surplus = kept.filter((title) => !sent.includes(title)).slice(0, 3)
    violated(`${sent.length} pages were accepted, and ${kept.length} runs exist; not sent: ${JSON.stringify(surplus)}`)
  }
  for (const { status } of rows) if (status === 'skipped') violated('a run was skipped')
}

function titleOf(answers: string | null): string {
  const [title] = JSON.parse(answers ?? '[]') as readonly { readonly value: string }[]
  return title?.value ?? 'no answers'
}

/** Activates a flow with a form. Returns the path of its page. */
async function openForm(world: World): Promise<string> {
  const desk = await openDesk(world)
  const fields = [
    { key: 'title', label: 'What is it about?', kind: 'short_text', required: true },
    { key: 'area', label: 'Area', kind: 'select', options: ['North', 'South & east'], required: true },
    { key: 'count', label: 'How many?', kind: 'number' },
    { key: 'needed', label: 'Needed by', kind: 'date' },
  ]
  const flow = await desk.activate({
    schema_version: 5,
    settings: { max_runs_per_hour: 3600 },
    nodes: [
      { id: 'asked', type: 'trigger.form', config: { title: 'Ask us', fields } },
      { id: 'file', type: 'task.create', config: { set: { title: { $expr: 'form.title' } } } },
    ],
    edges: [{ source: 'asked', target: 'file' }],
  })
  return new URL((await world.get(`/v1/automation_flows/${flow.id}/form`)).body.url).pathname
}
