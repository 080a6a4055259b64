/** A real board of 655 tasks, loaded on both engines if its folder is beside the repository. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { onEveryEngine } from '../server/test/engines.ts'
import { openWorld, type World } from '../server/test/world.ts'
import { Api, type Json } from './load-board/api.ts'
import type { SourceTask } from './load-board/files.ts'
import { loadBoard } from './load-board/load.ts'
import { Progress } from './load-board/progress.ts'
import type { Report } from './load-board/report.ts'

const folder = join(import.meta.dirname, '../../shared/data/kubernetes-enhancements')

function lines<T>(name: string): T[] {
  const text = readFileSync(join(folder, `${name}.ndjson`), 'utf8').trimEnd()
  return text.split('\n').map((line) => JSON.parse(line) as T)
}

/** Sorts by code point, like the API. */
function inOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

if (existsSync(folder)) {
  const tasks = lines<SourceTask>('tasks')
  const projectOf = new Map(tasks.map(({ source, project }) => [source, project]))
  const dependencies = [
    ...new Set(readFileSync(join(folder, 'dependencies.ndjson'), 'utf8').trimEnd().split('\n')),
  ].map((line) => JSON.parse(line) as { from: string; to: string })
  const crossing = dependencies.filter(({ from, to }) => projectOf.get(from) !== projectOf.get(to))

  onEveryEngine('the board of the Kubernetes enhancements', (engine) => {
    let world: World
    let report: Report
    before(async () => {
      world = await openWorld(engine)
      report = await load()
    })
    after(() => world.close())

    async function load(): Promise<Report> {
      const api = new Api({ url: world.server.url, key: world.acme.key })
      return await loadBoard(api, new Progress(null), { folder })
    }

    /** A whole list in pages of an odd size, forwards or backwards. */
    async function walk(query: string, from: string | null = null): Promise<Json[]> {
      const seen: Json[] = []
      for (let next: string | null = from ?? ''; next !== null; ) {
        const cursor = from === null ? (next === '' ? '' : `&starting_after=${next}`) : `&ending_before=${next}`
        const { body } = await world.get(`/v1/tasks?limit=37&${query}${cursor}`)
        seen.push(...(from === null ? body.data : body.data.toReversed()))
        next = body.has_more ? body.next_cursor : null
      }
      return seen
    }

    it('is loaded completely: 22 projects, 655 tasks, and all dependencies within a project', () => {
      assert.deepEqual({ ...report.counts.workspaces }, { made: 1, there: 0, refused: 0 })
      assert.deepEqual({ ...report.counts.projects }, { made: 22, there: 0, refused: 0 })
      assert.deepEqual({ ...report.counts.tasks }, { made: 655, there: 0, refused: 0 })
      const made = dependencies.length - crossing.length
      assert.deepEqual({ ...report.counts.dependencies }, { made, there: 0, refused: crossing.length })
      assert.deepEqual(
        report.refusals.map(({ what }) => what).sort(),
        crossing.map(({ from, to }) => `${from} → ${to}`).sort(),
      )
      assert.ok(report.refusals.every(({ why }) => why.startsWith('409 resource_conflict: Both tasks')))
    })

    it('returns every title unchanged, forwards and backwards', async () => {
      const forwards = await walk('')
      const titles = new Map(forwards.map(({ title, custom_fields }) => [custom_fields.source, title]))
      assert.deepEqual(titles.size, tasks.length)
      for (const { source, title } of tasks) assert.equal(titles.get(source), title)
      const last = forwards.at(-1)
      const backwards = [last, ...(await walk('', last.id))]
      assert.deepEqual(
        backwards.reverse().map(({ id }) => id),
        forwards.map(({ id }) => id),
      )
    })

    it('is counted, filtered and sorted like the files', async () => {
      const count = async (query: string) => (await world.get(`/v1/tasks/count?${query}`)).body.count
      assert.equal(await count(''), tasks.length)
      assert.equal(
        await count('status=done'),
        tasks.filter(({ status }) => /^im(pl|lp)emented/.test(status ?? '')).length,
      )
      const beta = tasks.filter(({ stage, project }) => stage === 'beta' && project === 'sig-node')
      const { body: projects } = await world.get('/v1/projects?limit=100')
      const node = projects.data.find(({ name }: Json) => name === 'sig-node').id
      const found = await walk(`project=${node}&filter=${encodeURIComponent('labels:beta custom_fields.stage="beta"')}`)
      assert.deepEqual(found.map(({ title }) => title).sort(), beta.map(({ title }) => title).sort())
      const authored = tasks.filter(({ authors }) => authors?.includes('thockin'))
      assert.ok(authored.length > 0)
      assert.equal(await count(`filter=${encodeURIComponent('custom_fields.authors:"thockin"')}`), authored.length)
      const sorted = await walk('sort=title')
      assert.deepEqual(
        sorted.map(({ title }) => title),
        tasks.map(({ title }) => title).sort(inOrder),
      )
    })

    it('shows project and column instead of their ids with expand', async () => {
      for (const { project, column, custom_fields } of await walk('expand=project,column')) {
        assert.equal(project.name, projectOf.get(custom_fields.source))
        assert.ok(column === null || column.project === project.id)
      }
    })

    it('is unchanged by a second load', async () => {
      await world.markWritten()
      const { counts } = await load()
      assert.equal(
        Object.values(counts).reduce((sum, { made }) => sum + made, 0),
        0,
      )
      assert.equal(counts.tasks?.there, 655)
      assert.equal(counts.dependencies?.there, dependencies.length - crossing.length)
      await world.assertWritten({ events: [], audit: [] })
    })
  })
}
