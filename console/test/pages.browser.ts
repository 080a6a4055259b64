/** Every page of the demo organization and every dialog that creates something pass all checks of `checks.ts`. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { checkPage } from './checks.ts'
import { pagePaths } from './paths.ts'
import { type Stage, stageOf } from './stage.ts'

/** Page, button, and the keys that open the dialog if it has no button. */
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
  ['/money/invoices', 'New invoice'],
  ['/developers/keys', 'New key'],
  ['/developers/applications', 'New application'],
  ['/developers/webhooks', 'New endpoint'],
  ['/settings/people', 'Invite'],
] as const

/** They ask for a confirmation unless the sign-in is recent. */
const confirmed: readonly string[] = ['New key', 'New endpoint']

/** An image of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

/** By page path: the id to open, or empty if the demo has none. */
async function pageIds({ atrium, owner }: Stage): Promise<Readonly<Record<string, string>>> {
  const { data: tasks } = await atrium.tasks.list({ filter: 'status = in_progress' })
  const { data: projects } = await atrium.projects.list()
  const { data: flows } = await atrium.automationFlows.list()
  const flow = flows.find(({ status }) => status === 'active') ?? flows[0]
  const workspace = flow?.workspace ?? ''
  const { data: runs } = await atrium.automationRuns.list({ workspace })
  const content = new Uint8Array(Buffer.from(pixel, 'base64'))
  const { id: file } = await atrium.files.create({ workspace, name: 'Berth.png', content })
  const first = <T extends { readonly id: string }>({ data }: { readonly data: readonly T[] }) => data[0]?.id ?? ''
  return {
    '/work/workspaces/:id': workspace,
    '/work/fields/:id': workspace,
    '/work/projects/:id': projects.find(({ name }) => name === 'Booking app')?.id ?? '',
    '/work/tasks/:id': tasks[0]?.key ?? '',
    '/work/projects/:id/whiteboards': projects.find(({ name }) => name === 'Booking app')?.id ?? '',
    '/boards/:id': first(await atrium.boards.list()),
    // drawing.browser.ts checks the canvas, whose parts are those of Excalidraw.
    '/boards/:id/draw': '',
    '/automations/:id': flow?.id ?? '',
    '/automations/:id/edit': flow?.id ?? '',
    '/automations/:id/sentence': flow?.id ?? '',
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
    '/settings/teams/:team?': '',
    '/search/files/:id': file,
    '/open/:id?': '',
  }
}

describe('every page of the demo organization', () => {
  const stage = stageOf({ demo: true, serviceWorker: true })
  let ids: Readonly<Record<string, string>>
  before(async () => {
    ids = await pageIds(stage)
  })

  const nameOf = (path: string) => path.replace(/[^a-z]+/g, '-').replace(/^-|-$/g, '') || 'home'

  for (const path of pagePaths()) {
    const parameter = /:\w+\??(?=\/|$)/.exec(path)?.[0]
    if (parameter === undefined || parameter.endsWith('?')) {
      const plain = path.replace(/\/:\w+\?$/, '') || '/'
      it(`passes all checks on ${plain}`, async () => checkPage(await stage.visit(plain), `page-${nameOf(plain)}`))
    }
    if (parameter === undefined) continue
    it(`passes all checks on ${path}`, async () => {
      const id = ids[path]
      assert.ok(id !== undefined, `Add to pageIds what to open at ${path}.`)
      if (id !== '') await checkPage(await stage.visit(path.replace(parameter, id)), `page-${nameOf(path)}-one`)
    })
  }

  for (const [path, name, keys] of dialogs) {
    it(`passes all checks with ${name} open on ${path}`, async () => {
      const watched = await stage.visit(path, { fresh: confirmed.includes(name) })
      const { page } = watched
      if (keys !== undefined) await page.keyboard.press(keys)
      else await page.getByRole('main').getByRole('button', { name }).first().click()
      await page.getByRole('dialog').first().waitFor()
      await checkPage(watched, `dialog-${nameOf(`${path}-${name.toLowerCase()}`)}`)
    })
  }
})
