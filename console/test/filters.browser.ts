/** Filters of tasks by clicking, by keyboard alone and by touch. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Project } from '../../sdk/typescript/src/index.ts'
import { checkPage } from './checks.ts'
import { type StagePerson, stageOf } from './stage.ts'

const field_names = {
  number: ['points', 'Points'],
  checkbox: ['shipped', 'Shipped'],
  text: ['note', 'Note'],
  date: ['launch', 'Launch'],
  person: ['owner', 'Owner'],
  url: ['link', 'Link'],
} as const

describe('filters of tasks', () => {
  const stage = stageOf()
  let project: Project
  let mara: StagePerson
  let workspace: string
  before(async () => {
    mara = await stage.person('member')
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = await stage.atrium.projects.create({ workspace, name: 'Seat map' })
    const now = Math.floor(Date.now() / 1000)
    const create = (title: string, fields: object) =>
      stage.atrium.tasks.create({ workspace, title, project: project.id, ...fields })
    await create('Print the tickets', { status: 'blocked', assignee: mara.user, due_at: now - 86_400 })
    await create('Draw the decks', { status: 'todo', labels: ['deck'] })
    await create('Price the seats', { status: 'done', assignee: stage.owner.user, due_at: now - 86_400 })
  })

  const filterOf = (page: Page) => new URL(page.url()).searchParams.get('filter')
  const counted = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor()
  const add = (page: Page) => page.getByRole('button', { name: 'Add filter' })
  const option = (page: Page, name: string | RegExp) =>
    page.getByRole('listbox').getByRole('option', { name, exact: true })

  it('are added by clicking, changed on their chips, and removed; Back undoes each step', async () => {
    const watched = await stage.visit('/work/tasks')
    const { page } = watched
    await counted(page, '3 tasks')
    await add(page).click()
    await option(page, 'Assignee').click()
    await option(page, 'is').click()
    await page.getByRole('option', { name: /^Mara Lindt/ }).click()
    await counted(page, '1 task')
    assert.equal(filterOf(page), `assignee = "${mara.email}"`)
    await page
      .getByRole('group', { name: 'Assignee is Mara Lindt' })
      .getByRole('button', { name: 'is', exact: true })
      .click()
    await page.getByRole('menuitemcheckbox', { name: 'is not', exact: true }).click()
    await counted(page, '2 tasks')
    await checkPage(watched, 'work-filter-chips')
    await add(page).click()
    await option(page, 'Due date').click()
    await checkPage(watched, 'work-filter-step')
    await option(page, 'is overdue').click()
    await page.getByText('No tasks match').waitFor()
    await checkPage(watched, 'work-filter-none')
    const empty = page.locator('.empty')
    await empty.getByRole('button', { name: 'Remove filter: Due date' }).click()
    await counted(page, '2 tasks')
    await page.goBack()
    await page.getByText('No tasks match').waitFor()
    await page.goBack()
    await page.goBack()
    await page.getByRole('group', { name: 'Assignee is Mara Lindt' }).waitFor()
    await page.reload()
    await counted(page, '1 task')
  })

  it('work by keyboard alone: f opens, typing narrows, Enter takes, Backspace removes the last', async () => {
    const { page } = await stage.visit('/work/tasks')
    await counted(page, '3 tasks')
    await page.keyboard.press('f')
    await page.getByRole('combobox', { name: 'Filter by' }).waitFor()
    await page.keyboard.type('stat')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Status is any of' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'To do', selected: true }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await counted(page, '1 task')
    assert.equal(filterOf(page), 'status IN (todo)')
    await page.keyboard.press('f')
    await page.getByRole('combobox', { name: 'Filter by' }).waitFor()
    await page.keyboard.press('Backspace')
    await counted(page, '3 tasks')
    assert.equal(filterOf(page), null)
  })

  it('show names in place of the ids and seconds of an old filter, and keep what chips cannot say', async () => {
    const filter = `project = ${project.id} assignee = ${stage.owner.user} due_at < 1785844800 (status = done OR title:x)`
    const { page } = await stage.visit(`/work/tasks?${new URLSearchParams({ filter })}`)
    const bar = page.getByRole('group', { name: 'Filter', exact: true })
    await bar.getByRole('group', { name: 'Project is Seat map' }).waitFor()
    await bar.getByRole('group', { name: /^Assignee is owner/ }).waitFor()
    await bar.getByRole('group', { name: 'Advanced filter' }).getByText('(status = done OR title:x)').waitFor()
    await page.getByRole('button', { name: 'Advanced', exact: true }).click()
    const text = await page.getByRole('combobox', { name: 'Filter text' }).inputValue()
    assert.doesNotMatch(text, /_[0-9A-Z]{26}|\d{9}/)
    assert.match(text, /^project = "Seat map" assignee = "owner@acme\.example" due_at < 2026-08-04T/)
    assert.doesNotMatch(await page.locator('main').innerText(), /_[0-9A-Z]{26}|\d{9}/)
  })

  it('take custom fields by name, with values of their types', async () => {
    const { custom, live } = await createFields()
    const watched = await stage.visit('/work/tasks')
    const { page } = watched
    await counted(page, '3 tasks')
    await add(page).click()
    await page.keyboard.type('stag')
    await option(page, /^Stage/).click()
    await option(page, 'is any of').click()
    await option(page, 'Live').click()
    await page.getByRole('button', { name: 'Apply 1' }).click()
    await counted(page, '1 task')
    assert.equal(filterOf(page), `custom_fields.stage IN ("${live}")`)
    await page.getByRole('group', { name: 'Stage is any of Live' }).waitFor()
    await add(page).click()
    await page.keyboard.type('points')
    await option(page, /^Points/).click()
    await option(page, 'is between').click()
    await page.getByLabel('Points is between, from').fill('2')
    await page.getByLabel('Points is between, to').fill('5.5')
    await page.keyboard.press('Enter')
    await page.getByRole('group', { name: 'Points is between 2 and 5.5' }).waitFor()
    await counted(page, '1 task')
    await add(page).click()
    await page.keyboard.type('owner')
    await option(page, /^Owner/).click()
    await option(page, 'is not').click()
    await option(page, 'No person').click()
    await page.getByRole('group', { name: 'Owner is set' }).waitFor()
    await checkPage(watched, 'work-filter-fields')
    await page.goto(`${stage.url}/work/tasks?${new URLSearchParams({ filter: custom })}`)
    await counted(page, '1 task')
    for (const name of [
      ...['Stage is Live', 'Areas is Deck', 'Points is at least 3', 'Shipped is Yes', 'Note contains oak'],
      ...['Launch is within Dec 1, 2026 – Dec 24, 2026', 'Owner is Mara Lindt', 'Link is https://acme.example/'],
    ]) {
      await page.getByRole('group', { name, exact: true }).waitFor()
    }
    await page.getByRole('button', { name: 'Advanced', exact: true }).click()
    const field = page.getByRole('combobox', { name: 'Filter text' })
    assert.match(await field.inputValue(), /^custom_fields\.stage = "Live" custom_fields\.areas = "Deck" /)
    assert.doesNotMatch(
      `${await field.inputValue()} ${await page.locator('main').innerText()}`,
      /_[0-9a-zA-Z]{20}|\d{9}/,
    )
    await field.fill('sta')
    await page.getByRole('option', { name: /^custom_fields\.stage/ }).click()
    await page.getByRole('option', { name: 'custom_fields.stage = is', exact: true }).click()
    await page.getByRole('option', { name: /^Idea/ }).click()
    assert.equal(await field.inputValue(), 'custom_fields.stage = "Idea" ')
    await page.keyboard.press('Enter')
    await page.getByText('No tasks match').waitFor()
  })

  /** Custom fields of all types; a filter with each of them, which one task matches. */
  const createFields = async () => {
    const define = (key: string, name: string, type: string, options?: readonly { id?: string; name: string }[]) =>
      stage.atrium.customFields.create({
        workspace,
        key,
        name,
        type,
        ...(options && { options: [...options] }),
      } as never)
    const stageField = await define('stage', 'Stage', 'select', [{ name: 'Idea' }, { name: 'Live' }])
    await define('areas', 'Areas', 'multi_select', [
      { id: 'deck', name: 'Deck' },
      { id: 'hull', name: 'Hull' },
    ])
    for (const type of ['number', 'checkbox', 'text', 'date', 'person', 'url'] as const) {
      const [key, name] = field_names[type]
      await define(key, name, type)
    }
    const live = stageField.options.find(({ name }) => name === 'Live')?.id ?? ''
    const { data } = await stage.atrium.tasks.list({ filter: 'title:decks' })
    await stage.atrium.tasks.update(data[0]?.id ?? '', {
      custom_fields: {
        ...{ stage: live, areas: ['deck', 'hull'], points: 3.5, shipped: true, note: 'Use oak', launch: '2026-12-10' },
        ...{ owner: mara.user, link: 'https://acme.example/' },
      },
    })
    const custom = [
      ...[`stage = "${live}"`, 'areas = "deck"', 'points >= 3', 'shipped = true', 'note:"oak"'],
      ...['launch >= 2026-12-01', 'launch <= 2026-12-24', `owner = ${mara.user}`, 'link = "https://acme.example/"'],
    ]
    return { live, custom: custom.map((each) => `custom_fields.${each}`).join(' ') }
  }

  it('limit a board to the tasks that match', async () => {
    const watched = await stage.visit(`/work/projects/${project.id}`)
    const { page } = watched
    const cards = page.getByRole('list', { name: 'Tasks in No column' }).getByRole('link')
    await cards.nth(2).waitFor()
    await add(page).click()
    await option(page, 'Status').click()
    await option(page, 'is').click()
    await option(page, 'Done').click()
    await page.waitForFunction(() => document.querySelectorAll('[data-card]').length === 1)
    assert.equal(filterOf(page), 'status = done')
    assert.deepEqual(await cards.allInnerTexts(), ['Price the seats'])
    await checkPage(watched, 'work-filter-board')
    await page.goBack()
    await cards.nth(2).waitFor()
  })

  it('work by touch on a phone', async () => {
    const watched = await stage.signedIn(mara)
    const { page } = watched
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${stage.url}/work/tasks`)
    await counted(page, '3 tasks')
    await add(page).click()
    await option(page, 'Assignee').click()
    await option(page, 'is').click()
    await option(page, 'Me').click()
    await counted(page, '1 task')
    assert.equal(filterOf(page), 'assignee = me')
    await page.getByRole('button', { name: 'Remove filter: Assignee' }).click()
    await counted(page, '3 tasks')
  })

  it('show what they say on a phone, the parts of each beside each other', async () => {
    const { page } = await stage.signedIn(mara)
    await page.setViewportSize({ width: 390, height: 844 })
    const filter = `assignee = ${mara.user} status IN (in_progress, todo, blocked) due_at >= today due_at <= today+6d`
    await page.goto(`${stage.url}/work/tasks?filter=${encodeURIComponent(filter)}`)
    const bar = page.getByRole('group', { name: 'Filter', exact: true })
    const due = bar.getByRole('group', { name: /Due date is within/ })
    await due.waitFor()
    // The right edge of each text, and the left edge of the next one.
    const edges = await bar.locator('.filter-chip').evaluateAll((chips) =>
      chips.map((chip) => {
        const texts = [...chip.querySelectorAll('.filter-chip-part')].map((part) => {
          const range = document.createRange()
          range.selectNodeContents(part)
          return range.getBoundingClientRect()
        })
        return texts.slice(1).map(({ left }, i) => [Math.round(texts[i]?.right ?? 0), Math.round(left)])
      }),
    )
    assert.equal(edges.length, 3)
    for (const [right = 0, left = 0] of edges.flat()) assert.ok(right <= left, JSON.stringify(edges))
    await due.getByText('Next 7 days').waitFor()
    const isWhole = ({ scrollWidth, clientWidth }: Element) => scrollWidth <= clientWidth
    assert.ok(await due.getByText('Next 7 days').evaluate(isWhole))
  })

  it('of several values are applied by a click beside the list, and not by Escape', async () => {
    const { page } = await stage.signedIn(mara)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${stage.url}/work/tasks`)
    await counted(page, '3 tasks')
    const chooseDone = async () => {
      await add(page).click()
      await option(page, 'Status').click()
      await option(page, 'is any of').click()
      await option(page, 'Done').click()
      await page.getByRole('button', { name: 'Apply 1' }).waitFor()
    }
    await chooseDone()
    await page.keyboard.press('Escape')
    await page.getByRole('listbox', { name: /Status/ }).waitFor({ state: 'hidden' })
    assert.equal(filterOf(page), null)
    await chooseDone()
    await page.getByText('3 tasks', { exact: true }).click()
    await counted(page, '1 task')
    assert.equal(filterOf(page), 'status IN (done)')
    await page.getByRole('button', { name: 'Done', exact: true }).click()
    await option(page, 'Blocked').click()
    await page.getByText('1 task', { exact: true }).click()
    await counted(page, '2 tasks')
  })
})
