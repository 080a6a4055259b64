/** Settings: password and sessions, people and invitations, organization, appearance. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkPage, settled } from './checks.ts'
import { confirmationOn, confirmIdentity, confirmIfAsked, password, stageOf } from './stage.ts'

describe('settings', () => {
  const stage = stageOf()

  it('invites a person, who joins by the link and becomes a member', async () => {
    const watched = await stage.visit('/settings/people')
    const { page } = watched
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Email').fill('ada@acme.example')
    await page.getByLabel('First name').fill('Ada')
    await checkPage(watched, 'settings-invite')
    await page.getByRole('button', { name: 'Create invitation' }).click()
    const code = page.locator('figure code')
    await confirmIfAsked(page, code)
    const link = await code.innerText()
    assert.match(link, new RegExp(`^${stage.server.url}/invite#`))
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('list', { name: 'Pending invitations' }).getByText('ada@acme.example').waitFor()

    const ada = await stage.open()
    await ada.page.goto(link)
    await ada.page.getByRole('heading', { name: 'Join Acme' }).waitFor()
    await checkPage(ada, 'invite')
    await ada.page.getByLabel('New password').fill(password)
    await ada.page.keyboard.press('Enter')
    await ada.page.getByRole('heading', { level: 1, name: /, Ada$/ }).waitFor()
    const navigation = ada.page.getByRole('navigation', { name: 'Main' })
    await navigation.getByRole('link', { name: 'Work', exact: true }).waitFor()
    assert.equal(await navigation.getByRole('link', { name: 'Operator' }).count(), 0)

    await page.getByRole('row', { name: /Ada/ }).getByText('Active').waitFor()
  })

  it('changes a role after a confirmation, and resets the choice without one', async () => {
    const { page } = await stage.signedIn(stage.owner, { fresh: true })
    await stage.signedIn(await stage.person('member', 'Grace', 'Hopper'))
    stage.later(11 * 60)
    await page.goto(`${stage.url}/settings/people`)
    const role = page.getByLabel('Role of Grace Hopper')
    const dialog = confirmationOn(page)
    await role.selectOption('admin')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await role.inputValue(), 'member')
    await role.selectOption('admin')
    await dialog.getByLabel('Password', { exact: true }).fill('wrong password')
    await page.keyboard.press('Enter')
    await dialog.getByRole('alert').waitFor()
    await confirmIdentity(page)
    await page.getByText('Role of Grace Hopper changed to Admin').waitFor()
    assert.equal(await role.inputValue(), 'admin')
  })

  it('deactivates a person only after a question, and reactivates them', async () => {
    await stage.person('member', 'Dorothy', 'Vaughan')
    const { page } = await stage.visit('/settings/people')
    const row = page.getByRole('row', { name: /Dorothy Vaughan/ })
    const deactivate = async () => {
      await row.getByRole('button', { name: 'Actions for Dorothy Vaughan' }).click()
      await page.getByRole('menuitem', { name: 'Deactivate…' }).click()
      await page.getByText('All sessions of this person end at once.').waitFor()
    }
    await deactivate()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await row.getByText('Active', { exact: true }).waitFor()
    await deactivate()
    const done = page.getByText('Dorothy Vaughan deactivated')
    await page.getByRole('button', { name: 'Deactivate', exact: true }).click()
    await confirmIfAsked(page, done)
    await row.getByText('Deactivated', { exact: true }).waitFor()
    await row.getByRole('button', { name: 'Actions for Dorothy Vaughan' }).click()
    await page.getByRole('menuitem', { name: 'Reactivate' }).click()
    await row.getByText('Active', { exact: true }).waitFor()
  })

  it('changes the password and so ends the other sessions', async () => {
    const linus = await stage.person('member', 'Linus', 'Pauling')
    const first = await stage.signedIn(linus, { fresh: true })
    const second = await stage.open()
    await stage.signIn(second.page, linus)
    const { page } = first
    await page.goto(`${stage.url}/settings/security`)
    const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
    await sessions.nth(1).waitFor()
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill('password123')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page
      .getByText(/common|known|guess/i)
      .first()
      .waitFor()
    await page.getByLabel('New password').fill('another long enough password')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed. All other sessions have ended.').waitFor()
    await sessions.nth(1).waitFor({ state: 'detached' })
    await second.page.getByText('Your session has ended').waitFor()
  })

  it('changes one’s own name, which others see at once', async () => {
    const margaret = await stage.person('member', 'Peggy', 'Hamilton')
    const { page: people } = await stage.visit('/settings/people')
    await people.getByRole('row', { name: /Peggy Hamilton/ }).waitFor()
    const { page } = await stage.signedIn(margaret)
    await page.goto(`${stage.url}/settings/profile`)
    await page.getByLabel('First name').fill('Margaret <b>')
    await page.keyboard.press('Enter')
    await page.getByText('Name saved').waitFor()
    await page.getByRole('button', { name: 'Account of Margaret <b> Hamilton' }).waitFor()
    await people.getByRole('row', { name: /Margaret <b> Hamilton/ }).waitFor()
    const { data } = await stage.atrium.auditLogs.list({ action: 'members.update', limit: 1 })
    assert.deepEqual([data[0]?.actor.id, data[0]?.changed_fields], [margaret.user, ['first_name']])
  })

  it('leaves the focus on a button that its own action has disabled, so that the keyboard goes on from there', async () => {
    const { page } = await stage.visit('/settings/dates')
    const save = page.getByRole('button', { name: 'Save' })
    await page.getByLabel('First day of the week').selectOption('7')
    await save.press('Enter')
    await page.getByText('Dates saved').waitFor()
    await page.locator('button[aria-disabled="true"]').and(save).waitFor()
    assert.ok(await save.evaluate((button) => button === document.activeElement))
    await page.keyboard.press('Shift+Tab')
    await page.getByLabel('First day of the week').and(page.locator(':focus')).waitFor()
    await page.locator('button:disabled').and(save).waitFor()
  })

  it('renames the organization everywhere', async () => {
    const { page } = await stage.visit('/settings/organization')
    await page.getByLabel('Organization name').fill('Acme & <b>Sons</b>')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Acme & <b>Sons</b>' }).waitFor()
    await page.getByLabel('Organization name').fill('Acme')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Acme', exact: true }).waitFor()
  })

  it('keeps theme and density in the browser and applies them after a reload', async () => {
    const { page } = await stage.visit('/settings/appearance')
    await page.getByLabel('Dark', { exact: true }).check()
    await page.getByLabel('Compact', { exact: true }).check()
    await page.reload()
    await settled(page)
    const { theme, density } = await page.evaluate(() => ({ ...document.documentElement.dataset }))
    assert.deepEqual({ theme, density }, { theme: 'dark', density: 'compact' })
    assert.equal(await page.getByLabel('Dark', { exact: true }).isChecked(), true)
  })
})
