/** Searching texts by the index finds exactly the tasks that contain them, before and after the index is written. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { planRecorder } from '../../../../test/plan-recorder.ts'
import { onEveryWorld } from '../../../../test/world.ts'
import type { Reader } from '../../../db/store.ts'
import { readFilter } from '../filter/check.ts'
import { workspaceOf } from '../rows.test.ts'
import { indexNextTexts } from '../shared/text-index.ts'
import { pageQuery, shownAsRows, type TaskPage } from './queries.ts'
import { countTasks, readTasks } from './read.ts'
import { isSelectiveText, textPathOf } from './text-path.ts'

let seed = 20_261_123
function below(bound: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * bound)
}
const one = <T>(of: readonly T[]): T => of[below(of.length)] as T

const words = [
  ...['Kubernetes', 'webhook', 'Straße', 'STRASSE', 'İstanbul', 'istanbul', 'Çeşme', 'naïve', 'nai\u0308ve', 'Ǆungla'],
  ...['日本語のタスク', '日本', '한국어', '\u1112\u1161\u11ab', 'Привет', 'ПРИВЕТ', 'Ωμέγα', 'ΣΊΣΥΦΟΣ', 'नमस्ते', 'שלום'],
  ...['\u{1F600}', '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}', 'ﬁnal', '100%', "it's", 'a_b', 'x-y', '(v1.2)', '…'],
]
const textOf = (count: number) => Array.from({ length: 1 + below(count) }, () => one(words)).join(one([' ', ' ', '']))

/** A part of a text, in the writing that it has or in another. */
function needleOf(text: string): string {
  const units = [...text]
  const start = below(units.length)
  const part = units.slice(start, start + 1 + below(9)).join('')
  return one([part, part, part.toUpperCase(), part.toLowerCase(), part.normalize('NFC'), part.normalize('NFD')])
}

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, (each) => `\\${each}`)}"`
const tasks_count = 120
const page: TaskPage = { keys: [], backwards: false, position: null, count: 50 }

onEveryWorld('The index of texts', (world, engine) => {
  let workspace: string
  let reader: Reader
  let realm: number
  const ids: string[] = []
  const texts: string[] = []
  before(async () => {
    realm = world.acme.realms.live
    reader = world.services.store.reader({ organization: world.acme.id, realms: [realm] })
    workspace = (await workspaceOf(world)).id
    const data = Array.from({ length: tasks_count }, () => ({ title: textOf(4), description: textOf(12) }))
    for (let from = 0; from < data.length; from += 40) {
      const tasks = data.slice(from, from + 40)
      const { data: made } = await world.make('/v1/tasks/batch', { workspace, data: tasks })
      ids.push(...(made as { id: string }[]).map(({ id }) => id))
    }
    texts.push(...data.flatMap(({ title, description }) => [title, description]))
  })

  /** Indexes everything, or one batch of `count`. */
  async function index(count: number, batches = Number.POSITIVE_INFINITY, of = realm): Promise<void> {
    const next = () => world.services.store.write('system', (tx) => indexNextTexts(tx, of, count, 0))
    for (let i = 0; i < batches && (await next()) > 0; i++);
  }

  function pathOf(filter: string) {
    const read = readFilter(filter, 0)
    assert.ok(read.ok, filter)
    return { read, path: textPathOf(read.condition, realm, engine) }
  }

  /** Compares random searches with the statement that defines them. Returns how many the index answered. */
  async function compare(count: number): Promise<number> {
    let answered = 0
    for (let i = 0; i < count; i++) {
      const part = () => `${one(['', 'title:', 'description:'])}${quoted(needleOf(one(texts)))}`
      const filter = Array.from({ length: 1 + below(2) }, part).join(one([' ', ' OR ', ' -']))
      const { read, path } = pathOf(filter)
      const criteria = { workspace, filter: read }
      const { query, values } = pageQuery(realm, criteria, page, shownAsRows)
      const expected = (await reader.all(query, values)).map(({ id }) => id)
      const found = await readTasks(reader, realm, criteria, page, { slice_min: 1 })
      assert.deepEqual(
        found.map(({ id }) => id),
        expected,
        filter,
      )
      if (expected.length < page.count) assert.equal(await countTasks(reader, realm, criteria), expected.length, filter)
      if (path !== null && (await isSelectiveText(reader, realm, path, 2000))) answered++
    }
    return answered
  }

  it('answers nothing before it is complete, and lists are right all the same', async () => {
    assert.equal(await compare(10), 0)
    await index(30, 2)
    assert.equal(await compare(10), 0)
  })

  it('finds what contains a text in any script, writing and composition', async () => {
    await index(30)
    assert.ok((await compare(150)) > 50)
  })

  it('finds tasks that were written, changed or deleted since, and after they are indexed', async () => {
    const made = await world.make('/v1/tasks', { workspace, title: 'Brandnew Überschrift', description: 'zebra' })
    assert.equal((await world.patch(`/v1/tasks/${ids[0]}`, { title: 'Renamed quokka' })).status, 200)
    assert.equal((await world.call('DELETE', `/v1/tasks/${ids[1]}`)).status, 200)
    texts.push('Brandnew Überschrift', 'zebra', 'Renamed quokka')
    const found = async (filter: string) => {
      const { read, path } = pathOf(filter)
      assert.ok(path !== null && (await isSelectiveText(reader, realm, path, 2000)))
      return (await readTasks(reader, realm, { workspace, filter: read }, page, { slice_min: 1 })).map(({ id }) => id)
    }
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await found('title:überschrift'), [made.id])
      assert.deepEqual(await found('zebra'), [made.id])
      assert.deepEqual(await found('quokka'), [ids[0]])
      assert.deepEqual(await found('quokka OR zebra'), [made.id, ids[0]])
      assert.deepEqual(await found('title:zebra'), [])
      assert.ok((await compare(30)) > 5)
      await index(500)
    }
  })

  it('is not used while more events are unread than a list looks up, or when unread events are gone', async () => {
    const { path } = pathOf('zebra')
    assert.ok(path !== null)
    for (let i = 0; i < 3; i++) await world.make('/v1/tasks', { workspace, title: `unread ${i}` })
    assert.equal(await isSelectiveText(reader, realm, path, 2), false)
    assert.equal(await isSelectiveText(reader, realm, path, 4), true)
  })

  it('leads to no task of another organization with the same text', async () => {
    const theirs = world.globex.realms.live
    const { path } = pathOf('zebra')
    assert.ok(path !== null)
    await index(500)
    await index(500, Number.POSITIVE_INFINITY, theirs)
    const other = world.services.store.reader({ organization: world.globex.id, realms: [theirs] })
    const { read } = pathOf('zebra')
    assert.deepEqual(await readTasks(other, theirs, { filter: read }, page, { slice_min: 1 }), [])
  })

  it('is read without a scan of the tasks', async () => {
    const plans: string[] = []
    const { read } = pathOf('title:überschrift')
    const rows = await readTasks(planRecorder(reader, plans), realm, { workspace, filter: read }, page, {
      slice_min: 1,
    })
    assert.equal(rows.length, 1)
    const plan = plans.at(-1) ?? ''
    assert.match(plan, /text_grams/)
    assert.doesNotMatch(plan, /SCAN tasks|SCAN text_documents|SCAN events/)
  })
})
