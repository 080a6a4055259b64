/** An operator sees in a real browser what was given up of mails and notices, and sends one again. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { addOperator } from '../../server/src/console/operator/operators.ts'
import { requireRealms } from '../../server/src/resources/organizations/shared/queries.ts'
import { giveUpMail, giveUpNotice } from '../../server/test/dead-mail.ts'
import { checkNoScriptRan, checkPage } from './checks.ts'
import { owner_email, stageOf } from './stage.ts'

/** A mail server's words are a stranger's. */
const hostile = '410 <img src=x onerror="window.__xss = 1">'

describe('dead letters', () => {
  const stage = stageOf()
  before(async () => {
    const { services } = stage.server
    await addOperator(services, { email: owner_email })
    const [live] = await requireRealms(services.store, stage.organization)
    const of = { id: stage.organization, realms: { live: live?.realm ?? 0, test: 0 } }
    const person = await stage.person('member', 'Bo', 'Berg')
    await giveUpMail({ services }, of, person.user, '550 the mailbox is full')
    await giveUpNotice({ services }, of, person.user, hostile)
  })

  it('say for whom and why; one that is sent again leaves the list', async () => {
    const watched = await stage.visit('/operator')
    const { page } = watched
    const letters = page.getByRole('list', { name: 'Dead letters' }).getByRole('listitem')
    await letters.nth(1).waitFor()
    assert.equal(await letters.count(), 2)
    const mail = letters.filter({ hasText: '550 the mailbox is full' })
    await mail.getByText('Bo Berg').waitFor()
    await mail.getByText('7 attempts').waitFor()
    await letters.getByText(hostile).waitFor()
    await checkNoScriptRan(page)
    await checkPage(watched, 'dead-letters')
    await mail.getByRole('button', { name: 'Send again' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Send this again?' })
    await dialog.getByRole('button', { name: 'Send again' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('It is sent again').waitFor()
    await mail.waitFor({ state: 'detached' })
    assert.equal(await letters.count(), 1)
    const { data } = await stage.atrium.auditLogs.list({ limit: 1 })
    assert.deepEqual([data[0]?.action, data[0]?.actor], ['dead_letters.retry', stage.ownerActor])
  })
})
