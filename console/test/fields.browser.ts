/** Custom fields: their definitions, their values on a task, and their columns in the list. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Task } from '../../sdk/typescript/src/index.ts'
import { checkPage } from './checks.ts'
import { stageOf } from './stage.ts'

describe('custom fields', () => {
  const stage = stageOf()
  let workspace: string
  let task: Task
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    const custom_fields = { stage: 'unknown', free: 'Kept' }
    task = await stage.atrium.tasks.create({ workspace, title: 'Draw the decks', custom_fields })
  })

  const fields = async () => (await stage.atrium.customFields.list({ workspace })).data.toReversed()
  const values = async () => (await stage.atrium.tasks.retrieve(task.id)).custom_fields

  it('are defined with a type and options, renamed, moved and deleted', async () => {
    const watched = await stage.visit(`/work/fields/${workspace}`)
    const { page } = watched
    await page.getByRole('button', { name: 'New field' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Stage')
    await page.getByLabel('Type').selectOption({ label: 'Select' })
    await page.getByRole('button', { name: 'Add option' }).click()
    await page.getByLabel('Name of option 1').fill('Idea')
    await page.getByRole('button', { name: 'Add option' }).click()
    await page.getByLabel('Name of option 2').fill('Live')
    await page.getByLabel('Color of Live').selectOption({ label: 'Green' })
    await page.getByRole('button', { name: 'Move Live up' }).click()
    await checkPage(watched, 'work-field-dialog')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Stage created').waitFor()
    await page.getByRole('button', { name: 'New field' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Points of effort')
    await page.getByLabel('Type').selectOption({ label: 'Number' })
    await page.keyboard.press('Enter')
    await page.getByText('Points of effort created').waitFor()
    const [stageField, points] = await fields()
    assert.deepEqual(
      stageField?.options.map(({ name, color }) => [name, color]),
      [
        ['Live', '#3f9a63'],
        ['Idea', null],
      ],
    )
    assert.deepEqual([points?.key, points?.type], ['points_of_effort', 'number'])
    await page.getByRole('button', { name: 'Move Points of effort up' }).click()
    await page.getByText('Points of effort moved').waitFor()
    await page.getByRole('button', { name: 'Edit Points of effort' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Points')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Points saved').waitFor()
    const [second, first] = await fields()
    assert.equal(first?.name, 'Points')
    assert.ok(first.position < (second?.position ?? 0))
    await stage.atrium.customFields.create({ workspace, key: 'old', name: 'Old', type: 'text' })
    await page.getByRole('button', { name: 'Delete Old' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Old deleted').waitFor()
    assert.equal((await fields()).length, 2)
    await checkPage(watched, 'work-fields')
  })

  it('are edited on a task by their type; a value that does not fit is marked and can be removed', async () => {
    const watched = await stage.visit(`/work/tasks/${task.key}`)
    const { page } = watched
    await page.getByText('Does not fit: unknown').waitFor()
    await page.getByLabel('Free', { exact: true }).waitFor()
    await checkPage(watched, 'work-task-fields')
    await page.getByRole('button', { name: 'Remove the value of Stage' }).click()
    await page.getByText('Does not fit: unknown').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Stage: None' }).click()
    await page.getByRole('option', { name: 'Live' }).click()
    await page.getByRole('button', { name: 'Stage: Live' }).waitFor()
    await page.getByLabel('Points', { exact: true }).fill('many')
    await page.keyboard.press('Enter')
    await page.getByText('Enter a number, such as 3 or 2.5.').waitFor()
    await page.getByLabel('Points', { exact: true }).fill('2.5')
    await page.keyboard.press('Enter')
    await page.getByText(`${task.key} updated: custom fields`).first().waitFor()
    const [field] = await fields()
    await page.waitForFunction(() => document.querySelectorAll('.toast').length > 0)
    const live = field?.options.find(({ name }) => name === 'Live')?.id
    assert.deepEqual(await values(), { free: 'Kept', stage: live, points_of_effort: 2.5 })
  })

  it('are columns of the list, which a click on the head sorts by', async () => {
    const more = { workspace, title: 'Price the seats', custom_fields: { points_of_effort: 10 } }
    await stage.atrium.tasks.create(more)
    const [field] = await fields()
    const custom_fields = { points_of_effort: 2.5, stage: field?.options[0]?.id ?? '' }
    await stage.atrium.tasks.update(task.id, { custom_fields })
    await stage.atrium.tasks.create({ workspace, title: 'Without' })
    const watched = await stage.visit('/work/tasks')
    const { page } = watched
    for (const name of ['Points', 'Stage']) {
      await page.getByRole('button', { name: 'Fields', exact: true }).click()
      await page.getByRole('menuitemcheckbox', { name }).click()
    }
    const titles = () => page.locator('.task-row-link').allTextContents()
    await page.getByRole('button', { name: 'Sort by Points' }).click()
    await page.getByRole('button', { name: 'Sort by Points, ascending' }).click()
    await page.getByRole('button', { name: 'Sort by Points, descending' }).waitFor()
    const expected = ['Price the seats', 'Draw the decks', 'Without']
    await page.waitForFunction(
      (wanted) => [...document.querySelectorAll('.task-row-link')].map((each) => each.textContent).join() === wanted,
      expected.join(),
    )
    assert.deepEqual(await titles(), expected)
    await page.getByRole('list', { name: 'Tasks' }).getByText('Live').waitFor()
    await checkPage(watched, 'work-list-fields')
    await page.reload()
    await page.getByRole('button', { name: 'Sort by Points, descending' }).waitFor()
  })

  it('are set on many tasks at once, and Undo brings back what each had', async () => {
    const watched = await stage.visit('/work/tasks?sort=-created')
    const { page } = watched
    const points = async () => {
      const { data } = await stage.atrium.tasks.list({ workspace })
      return data.map(({ title, custom_fields }) => [title, custom_fields.points_of_effort ?? null]).toSorted()
    }
    const before = await points()
    for (const title of ['Draw the decks', 'Without']) {
      await page.getByRole('listitem').filter({ hasText: title }).getByRole('checkbox').check()
    }
    const selected = page.getByRole('region', { name: 'Selected tasks' })
    await selected.getByRole('button', { name: 'Custom fields' }).click()
    await page.getByRole('list', { name: 'Custom fields' }).getByRole('button', { name: 'Points' }).click()
    await page.getByLabel('Points', { exact: true }).fill('4')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Set Points' }).click()
    await page.getByText('2 tasks changed: Points is 4').first().waitFor()
    assert.deepEqual(await points(), [
      ['Draw the decks', 4],
      ['Price the seats', 10],
      ['Without', 4],
    ])
    await page.locator('.toast').filter({ hasText: 'Points is 4' }).getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone').first().waitFor()
    assert.deepEqual(await points(), before)
  })
})
