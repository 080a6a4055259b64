/** Secrets of automations in the console: set by administrators, listed by name, their values never shown. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { console_limits } from '../../src/console/limits.ts'
import { openSecret } from '../../src/resources/automation_runs/queries/secrets.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { join, ownerOf, password, refusal, type Visitor } from './visitor.ts'

const url = 'https://hooks.slack.com/services/T0/B0/very-secret'

onEveryWorld('The secrets of automations', (world) => {
  const owner = openFirst(() => ownerOf(world))
  let member: Visitor
  let stranger: Visitor

  before(async () => {
    member = await join(owner, 'bo@acme.example', 'member')
    stranger = await ownerOf(world, world.globex)
  })

  const names = async (visitor: Visitor, mode = 'live') =>
    (await visitor.must('GET', `automation-secrets?mode=${mode}`)).data.map(({ name }: { name: string }) => name)
  const opened = (name: string, mode: 'live' | 'test' = 'live') =>
    openSecret(world.services, world.acme.realms[mode], name)

  it('are set by an administrator, and members of the organization see their names only', async () => {
    assert.deepEqual(await owner.must('POST', 'automation-secrets', { name: 'team_chat', value: url }), {
      name: 'team_chat',
      created: true,
    })
    assert.equal(await opened('team_chat'), url)
    assert.deepEqual(await owner.must('POST', 'automation-secrets', { name: 'team_chat', value: `${url}2` }), {
      name: 'team_chat',
      created: false,
    })
    assert.equal(await opened('team_chat'), `${url}2`)
    const listed = await member.get('automation-secrets')
    const updated = Math.floor(world.clock.now() / 1000)
    assert.deepEqual(listed.body, { data: [{ name: 'team_chat', updated }] })
    const audit = await world.get('/v1/audit_logs?limit=20')
    assert.equal(audit.text.includes('very-secret'), false)
  })

  it('are not set by a member, nor without a recent confirmation', async () => {
    await member.must('POST', 'step-up', { password })
    const body = { name: 'mine', value: url }
    assert.equal(refusal(await member.post('automation-secrets', body))[0], 403)
    world.clock.advance(console_limits.step_up_ms)
    assert.equal(refusal(await owner.post('automation-secrets', body))[0], 403)
    await owner.must('POST', 'step-up', { password })
    assert.equal(await opened('mine'), null)
  })

  it('belong to one data set of one organization', async () => {
    await owner.must('POST', 'automation-secrets', { mode: 'test', name: 'trial', value: url })
    assert.deepEqual(await names(owner, 'test'), ['trial'])
    assert.deepEqual(await names(owner), ['team_chat'])
    assert.deepEqual([await names(stranger), await names(stranger, 'test')], [[], []])
    assert.equal(await opened('trial'), null)
  })

  it('refuse a name or value that a graph or a header cannot have, with its field', async () => {
    for (const [body, param] of [
      [{ name: 'team chat', value: url }, 'name'],
      [{ name: '', value: url }, 'name'],
      [{ name: 'x'.repeat(161), value: url }, 'name'],
      [{ name: 'ok', value: 'two\nlines' }, 'value'],
      [{ name: 'ok', value: '' }, 'value'],
      [{ name: 'ok', value: 'x'.repeat(4097) }, 'value'],
    ] as const) {
      const [status, , field] = refusal(await owner.post('automation-secrets', body))
      assert.deepEqual([status, field], [400, param], JSON.stringify(body).slice(0, 60))
    }
  })
})
