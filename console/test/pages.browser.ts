/**
 * Every page on the demo organization, as somebody sees it who has just started Atrium, and the dialogs in which things are
 * made: axe finds nothing, nothing is cut off sideways or moves, nothing leaves the origin, the policy is kept.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { WatchedPage } from '../../server/test/browser.ts'
import { checkPage, settled } from './checks.ts'
import { pagePaths } from './paths.ts'
import { openStage, type Stage } from './stage.ts'

/** Where something is made or asked: the page, and what is pressed there. */
const dialogs = [
  ['/work/tasks', 'New task'],
  ['/', 'Palette', 'ControlOrMeta+k'],
  ['/', 'Keyboard shortcuts', '?'],
  ['/work', 'New workspace'],
  ['/work', 'New project'],
  ['/work/templates', 'New template'],
  ['/boards', 'New board'],
  ['/money/expenses', 'New expense'],
  ['/money/rates', 'New rate'],
  ['/money/invoices', 'New draft'],
  ['/developers/keys', 'New key'],
  ['/developers/applications', 'New application'],
  ['/developers/webhooks', 'New endpoint'],
  ['/settings/people', 'Invite'],
] as const

/** Those that ask who it is unless they are opened soon after the sign-in. */
const after_sign_in: readonly string[] = ['New key', 'New endpoint']

/** By the path of the page, what stands in its place. */
async function openedIn({ atrium, owner }: Stage): Promise<Readonly<Record<string, string>>> {
  const { data: tasks } = await atrium.tasks.list({ filter: 'status = in_progress' })
  const { data: projects } = await atrium.projects.list()
  const { data: flows } = await atrium.automationFlows.list()
  const flow = flows.find(({ status }) => status === 'active') ?? flows[0]
  const workspace = flow?.workspace ?? ''
  const { data: runs } = await atrium.automationRuns.list({ workspace })
  const first = <T extends { readonly id: string }>({ data }: { readonly data: readonly T[] }) => data[0]?.id ?? ''
  return {
    '/work/workspaces/:id': workspace,
    '/work/projects/:id': projects.find(({ name }) => name === 'Booking app')?.id ?? '',
    '/work/tasks/:id': tasks[0]?.key ?? '',
    '/boards/:id': first(await atrium.boards.list()),
    '/automations/:id': flow?.id ?? '',
    '/automations/runs/:id': `${runs[0]?.id}?workspace=${workspace}`,
    '/money/time/:id?': first(await atrium.timeEntries.list()),
    '/money/expenses/:id?': first(await atrium.expenses.list()),
    '/money/invoices/:id?': first(await atrium.invoiceDrafts.list()),
    '/money/exports/:id?': '',
    '/developers/keys/:id?': first(await atrium.apiKeys.list()),
    '/developers/applications/:id?': '',
    '/developers/webhooks/:id?': '',
    '/developers/events/:id?': first(await atrium.events.list()),
    '/developers/requests/:id?': '',
    '/developers/audit/:id?': first(await atrium.auditLogs.list()),
    '/settings/people/:user?': owner.user,
    '/open/:id?': '',
  }
}

describe('every page of the demo organization', () => {
  let stage: Stage
  let opened: Readonly<Record<string, string>>
  before(async () => {
    stage = await openStage({ demo: true })
    opened = await openedIn(stage)
  })
  after(() => stage.close())

  const open = async (path: string, options: { readonly fresh?: boolean } = {}): Promise<WatchedPage> => {
    const watched = await stage.signedIn(stage.owner, options)
    await watched.page.goto(`${stage.url}${path}`)
    await watched.page.locator('h1').first().waitFor({ state: 'attached' })
    await settled(watched.page)
    return watched
  }
  const nameOf = (path: string) => path.replace(/[^a-z]+/g, '-').replace(/^-|-$/g, '') || 'home'

  for (const path of pagePaths()) {
    const place = /:\w+\??$/.exec(path)?.[0]
    if (place === undefined || place.endsWith('?')) {
      const plain = path.replace(/\/:\w+\?$/, '') || '/'
      it(`is for everybody on ${plain}`, async () => checkPage(await open(plain), `page-${nameOf(plain)}`))
    }
    if (place === undefined) continue
    it(`is for everybody on ${path}`, async () => {
      const id = opened[path]
      assert.ok(id !== undefined, `say in openedIn what to open at ${path}`)
      if (id !== '') await checkPage(await open(path.replace(place, id)), `page-${nameOf(path)}-one`)
    })
  }

  for (const [path, name, keys] of dialogs) {
    it(`is for everybody with ${name} open on ${path}`, async () => {
      const watched = await open(path, { fresh: after_sign_in.includes(name) })
      const { page } = watched
      if (keys !== undefined) await page.keyboard.press(keys)
      else await page.getByRole('main').getByRole('button', { name }).first().click()
      await page.getByRole('dialog').first().waitFor()
      await checkPage(watched, `dialog-${nameOf(`${path}-${name.toLowerCase()}`)}`)
    })
  }
})
