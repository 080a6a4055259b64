/** A newcomer's first minute: from the link of the first start to what only Atrium has, and to an organization of one's own. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { checkPage, checkQuiet, withoutStatus } from './checks.ts'
import { CountedHand } from './counted-hand.ts'
import { password, stageOf } from './stage.ts'

describe('the first minute', () => {
  const stage = stageOf({ demo: true })

  const home = async (hand: CountedHand) => {
    await hand.click('link', 'Home')
    await hand.page.getByRole('heading', { name: 'See it in a minute' }).waitFor()
  }
  const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
  const signIn = async (page: Page) => {
    await stage.signIn(page, { email: 'grace@compilers.example', user: '', role: 'owner' })
  }
  const organizationMenu = (page: Page) => page.getByRole('navigation', { name: 'Main' }).locator('.organization')

  it('by mouse: set up, a moved card taken back, a preview, a verified log and an own organization take 40 steps', async () => {
    const watched = await stage.open({ viewport: { width: 1440, height: 900 } })
    const { page } = watched
    const hand = new CountedHand(page)
    await page.goto(stage.setupUrl)
    await page.getByLabel('First name').waitFor()
    await hand.type('Grace')
    await hand.fill('Last name', 'Hopper')
    await hand.fill('New password', password)
    await hand.click('button', 'Continue')
    await page.getByRole('heading', { name: /, Grace$/ }).waitFor()
    assert.equal(hand.steps, 6)

    await hand.click('link', /^Move a card on the live board/)
    await hand.click('link', /Booking app/)
    const card = page.getByRole('link', { name: /Hold a seat for ten minutes/ })
    await hand.drag(column(page, 'Review').locator(card), column(page, 'Done'))
    await column(page, 'Done').locator(card).waitFor()
    await home(hand)
    await hand.click('button', /^Take any change back/)
    await hand.click('button', /^Undo/)
    await page.getByText('Undone', { exact: true }).first().waitFor()
    await hand.click('button', 'Close')
    const moved = await stage.atrium.tasks.list({ filter: 'title:"Hold a seat"' }).toArray()
    assert.deepEqual(
      moved.map(({ status }) => status),
      ['in_review'],
    )
    assert.equal(hand.steps, 13)

    await hand.click('link', /^Preview an automation/)
    await hand.click('link', /Plan the week/)
    await hand.click('button', 'Preview and activate')
    await hand.step(() =>
      page
        .getByRole('dialog')
        .getByRole('button', { name: /Select a task|Task/ })
        .click(),
    )
    await hand.step(() => page.getByRole('option').first().click())
    await hand.click('button', 'Preview')
    await page.getByRole('dialog', { name: /^What Plan the week would do/ }).waitFor()
    await hand.click('button', 'Close')
    assert.deepEqual(await stage.atrium.tasks.list({ filter: 'title:"Plan the week"' }).toArray(), [])
    assert.equal(hand.steps, 20)

    await home(hand)
    await hand.click('link', /^Verify the audit log/)
    await hand.click('button', 'Verify chain')
    await page.getByText(/The chain is intact/).waitFor()
    await home(hand)
    assert.equal(hand.steps, 24)

    await hand.click('button', /^Make it yours/)
    await page.getByRole('dialog', { name: 'New organization' }).waitFor()
    await hand.type('Compilers')
    await hand.fill('Your email address', 'grace@compilers.example')
    await hand.click('button', 'Create organization')
    await organizationMenu(page).getByText('Compilers').waitFor()
    await page.getByRole('heading', { name: 'Getting started' }).waitFor()
    assert.equal(await page.getByRole('heading', { name: /, Grace$/ }).count(), 1)
    assert.equal(hand.steps, 29)

    await hand.click('link', /^Create a workspace and a project/)
    await hand.click('button', 'New workspace')
    await page.getByRole('dialog', { name: 'New workspace' }).waitFor()
    await hand.type('Language')
    await hand.click('button', 'Create')
    await page.getByRole('link', { name: 'Language' }).first().waitFor()
    await hand.click('button', /^New project/)
    await page.getByRole('dialog', { name: /^New project/ }).waitFor()
    await hand.type('Parser')
    await hand.click('button', 'Create')
    await hand.click('button', 'Create To do, In progress, Done')
    await column(page, 'To do').getByRole('button', { name: 'Add task' }).waitFor()
    await hand.click('button', /^Add task/)
    await hand.type('Read the first line')
    await hand.step(() => page.keyboard.press('Enter'))
    await page.getByRole('link', { name: /Read the first line/ }).waitFor()
    assert.equal(hand.steps, 40)
    await checkQuiet(watched)
  })

  it('by keyboard: an operator creates another organization from the command menu', async () => {
    const watched = await stage.open({ viewport: { width: 1440, height: 900 } })
    const { page } = watched
    await signIn(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('new organization')
    await page.getByRole('option', { name: 'New organization' }).waitFor()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New organization' })
    await dialog.waitFor()
    assert.equal(await dialog.getByLabel('Your email address').count(), 0)
    await page.keyboard.type('Compilers')
    await page.keyboard.press('Enter')
    await dialog.getByText('You are in an organization "Compilers" already.', { exact: false }).waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Navy')
    watched.errors.splice(0, watched.errors.length, ...withoutStatus(watched.errors, 409))
    await checkPage(watched, 'new-organization')
    await page.keyboard.press('Enter')
    await organizationMenu(page).getByText('Navy').waitFor()
    await page.getByRole('heading', { name: 'Getting started' }).waitFor()
  })

  it('by touch at 390 px: the menu of organizations creates one and leads back to the demo', async () => {
    const watched = await stage.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    const { page } = watched
    await signIn(page)
    await page.getByRole('button', { name: 'Navigation' }).tap()
    await organizationMenu(page).tap()
    await page.getByRole('menuitem', { name: 'New organization' }).tap()
    await page.getByLabel('Name', { exact: true }).fill('Pocket')
    await page.getByRole('button', { name: 'Create organization' }).tap()
    await page.getByText('Pocket is ready.').waitFor()
    await page.getByRole('button', { name: 'Navigation' }).tap()
    await organizationMenu(page).tap()
    await page
      .getByRole('menuitemradio', { name: /^Demo/ })
      .or(page.getByRole('menuitemcheckbox', { name: /^Demo/ }))
      .tap()
    await page.getByRole('heading', { name: 'See it in a minute' }).waitFor()
    await checkQuiet(watched)
  })
})
