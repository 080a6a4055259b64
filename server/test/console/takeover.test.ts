/**
 * Takeovers: the owner of one organization tries every endpoint that touches accounts to reach the account of another
 * organization's member who has the same email address.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { console_limits } from '../../src/console/limits.ts'
import { createOperatorLink } from '../../src/console/links/create-operator-link.ts'
import { addMember, setMember } from '../../src/resources/members/write.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { Authenticator } from './authenticator.ts'
import { join, ownerOf, password, refusal, tokenOf, Visitor } from './visitor.ts'

const mallorys = 'mallory has this one'
const another = 'another horse that reads'

onEveryWorld('An owner of another organization', (world) => {
  const acme = openFirst(() => ownerOf(world))
  const globex = openFirst(() => ownerOf(world, world.globex))

  const arrive = async (): Promise<Visitor> => {
    const visitor = new Visitor(world.server.url)
    await visitor.arrive()
    return visitor
  }
  const invite = async (owner: Visitor, email: string): Promise<string> => {
    await owner.must('POST', 'step-up', { password })
    return tokenOf((await owner.must('POST', 'invitations', { email, role: 'member' })).url)
  }
  const linkOf = async (organization: string, email: string): Promise<string> =>
    tokenOf((await createOperatorLink(world.services, { organization, email })).url)
  const accept = async (token: string, chosen: string): Promise<Visitor> => {
    const visitor = await arrive()
    await visitor.must('POST', 'set-up', { token, password: chosen })
    return visitor
  }
  /** The names of the organizations that a password opens; empty if it opens no account. */
  const opens = async (email: string, tried: string): Promise<string[]> => {
    const reply = await (await arrive()).post('session', { email, password: tried })
    if (reply.status === 200) return namesOf(reply.body)
    assert.deepEqual(refusal(reply), [401, 'sign_in_failed'])
    return []
  }
  const namesOf = (body: { organizations: { name: string }[] }): string[] =>
    body.organizations.map(({ name }) => name).toSorted()
  /** A victim with an account in Acme, and Mallory with an account in Globex under the same address. */
  const pair = async (email: string): Promise<{ victim: Visitor; mallory: Visitor }> => {
    const victim = await join(acme, email, 'member')
    return { victim, mallory: await accept(await invite(globex, email), mallorys) }
  }

  it('who invites an address first does not keep its owner out', async () => {
    const email = 'squatted@acme.example'
    await accept(await invite(globex, email), mallorys)
    const victim = await accept(await invite(acme, email), password)
    assert.deepEqual(namesOf(await victim.arrive()), ['Acme'])
    assert.deepEqual([await opens(email, password), await opens(email, mallorys)], [['Acme'], ['Globex']])
  })

  it('who invites the address of an account creates a separate account', async () => {
    const email = 'taken@acme.example'
    const { victim, mallory } = await pair(email)
    assert.deepEqual(namesOf(await mallory.arrive()), ['Globex'])
    assert.deepEqual(namesOf(await victim.arrive()), ['Acme'])
    assert.deepEqual([await opens(email, password), await opens(email, mallorys)], [['Acme'], ['Globex']])
    const foreign = await mallory.post('session/organization', { organization: world.acme.id })
    assert.deepEqual(refusal(foreign), [404, 'resource_not_found', 'organization'])
  })

  it('who invites an address does not learn whether it has an account', async () => {
    await join(acme, 'known@acme.example', 'member')
    const seen: object[] = []
    for (const email of ['known@acme.example', 'unknown@acme.example']) {
      const token = await invite(globex, email)
      const looked = (await (await arrive()).post('set-up/link', { token })).body
      const refused = await (await arrive()).post('set-up', { token, password: 'short' })
      const { account, session, user, csrf, ...accepted } = (await (await accept(token, mallorys)).arrive()) as Record<
        string,
        unknown
      >
      assert.ok(account && session && user && csrf)
      seen.push([{ ...looked, email: '' }, refusal(refused), accepted])
    }
    assert.deepEqual(seen[0], seen[1])
  })

  it('gets a link of the operator that sets up their own member, not the account of that address', async () => {
    const email = 'operator-link@acme.example'
    const victim = await join(acme, email, 'member')
    await addMember(world.services, world.globex.id, { email })
    const { kind, url } = await createOperatorLink(world.services, { organization: world.globex.id, email })
    assert.equal(kind, 'set_up')
    await accept(tokenOf(url), mallorys)
    assert.equal((await victim.arrive()).signed_in, true)
    assert.deepEqual([await opens(email, password), await opens(email, mallorys)], [['Acme'], ['Globex']])
  })

  it('who resets the password of a shared account takes over the membership in their organization only', async () => {
    const email = 'shared@acme.example'
    const victim = await join(acme, email, 'member')
    await accept(await invite(globex, email), password)
    assert.deepEqual(await opens(email, password), ['Acme', 'Globex'])
    await accept(await linkOf(world.globex.id, email), mallorys)
    assert.equal((await victim.arrive()).signed_in, true, 'the sessions in Acme stay')
    assert.deepEqual([await opens(email, password), await opens(email, mallorys)], [['Acme'], ['Globex']])
    await accept(await linkOf(world.globex.id, email), password)
    assert.deepEqual([await opens(email, password), await opens(email, mallorys)], [['Acme', 'Globex'], []])
  })

  it('who resets a password ends every earlier way into their organization', async () => {
    const email = 'stolen@acme.example'
    const { mallory } = await pair(email)
    await accept(await linkOf(world.globex.id, email), another)
    assert.equal((await mallory.arrive()).signed_in, false)
    assert.deepEqual([await opens(email, mallorys), await opens(email, another)], [[], ['Globex']])
  })

  it('who signs in under the same address cannot confirm with the password of the other account', async () => {
    const { mallory } = await pair('confirm@acme.example')
    const guess = await mallory.post('step-up', { password })
    assert.deepEqual(refusal(guess), [401, 'sign_in_failed', 'password'])
    const change = await mallory.post('password', { current: password, next: another })
    assert.deepEqual(refusal(change), [401, 'sign_in_failed', 'current'])
  })

  it('who changes their own password leaves the other account’s password', async () => {
    const email = 'changed@acme.example'
    const { victim, mallory } = await pair(email)
    await mallory.must('POST', 'password', { current: mallorys, next: another })
    assert.equal((await victim.arrive()).signed_in, true)
    assert.deepEqual([await opens(email, password), await opens(email, another)], [['Acme'], ['Globex']])
    const same = await mallory.post('password', { current: another, next: password })
    assert.deepEqual(refusal(same), [400, 'invalid_request_body', 'next'])
    assert.deepEqual(await opens(email, another), ['Globex'])
  })

  it('who signs in between guesses has no more guesses', async () => {
    const email = 'guessed@acme.example'
    await pair(email)
    for (let i = 0; i < console_limits.sign_in_account_failures_max - 1; i++) {
      assert.deepEqual(await opens(email, `guess ${i} of the password`), [])
      assert.deepEqual(await opens(email, mallorys), ['Globex'])
    }
    assert.deepEqual(await opens(email, 'the last guess'), [])
    const refused = await (await arrive()).post('session', { email, password: 'one guess more' })
    assert.deepEqual(refusal(refused), [429, 'too_many_attempts'])
  })

  it('who guesses by changing their own password is limited in the same way', async () => {
    const { mallory } = await pair('chosen@acme.example')
    let current = mallorys
    for (let i = 0; i < console_limits.sign_in_account_failures_max; i++) {
      const next = `guess ${i} of the password`
      await mallory.must('POST', 'password', { current, next })
      current = next
    }
    const refused = await mallory.post('password', { current, next: password })
    assert.deepEqual(refusal(refused), [429, 'too_many_attempts'])
  })

  it('cannot list, use or delete the passkeys of the other account', async () => {
    const email = 'passkey@acme.example'
    await pair(email)
    const origin = `http://localhost:${new URL(world.server.url).port}`
    const page = async (tried: string): Promise<Visitor> => {
      const visitor = new Visitor(world.server.url, origin)
      await visitor.signIn(email, tried)
      return visitor
    }
    const [victim, mallory] = [await page(password), await page(mallorys)]
    const [authenticator, domain] = [new Authenticator(), 'localhost']
    const { challenge, user } = await victim.must('POST', 'passkeys/options', {})
    const response = authenticator.create({ challenge, origin, domain }, user.id)
    const stolen = await mallory.post('passkeys', { name: 'Mine', response })
    assert.deepEqual(refusal(stolen), [400, 'invalid_request_body', 'response'])
    const { id } = await victim.must('POST', 'passkeys', { name: 'Laptop', response })
    assert.deepEqual((await mallory.must('GET', 'passkeys')).data, [])
    assert.deepEqual(refusal(await mallory.delete(`passkeys/${id}`)), [404, 'resource_not_found', 'id'])
    const asked = await mallory.must('POST', 'step-up/passkey/options', {})
    assert.deepEqual(asked.allowCredentials, [])
    const used = authenticator.get({ challenge: asked.challenge, origin, domain })
    assert.equal((await mallory.post('step-up/passkey', { response: used })).status, 401)
    await accept(await linkOf(world.globex.id, email), another)
    assert.equal((await victim.must('GET', 'passkeys')).data.length, 1, 'the reset of another organization keeps it')
  })

  it('whose member gets the victim’s address gets nothing of the victim’s', async () => {
    const email = 'moved@acme.example'
    const victim = await join(acme, email, 'member')
    const mallory = await join(globex, 'mallory@globex.example', 'member')
    await setMember(world.services, (await mallory.arrive()).user.member, { email })
    assert.deepEqual(await opens('mallory@globex.example', password), ['Globex'])
    const link = await createOperatorLink(world.services, { organization: world.globex.id, email })
    assert.equal(link.email, 'mallory@globex.example')
    await accept(tokenOf(link.url), mallorys)
    assert.deepEqual([await opens(email, password), await opens(email, mallorys)], [['Acme'], []])
    assert.equal((await victim.arrive()).signed_in, true)
  })

  it('who races for an address at both organizations’ links gets a separate account', async () => {
    const email = 'race@acme.example'
    const [ours, theirs] = [await invite(acme, email), await invite(globex, email)]
    const [one, two] = [await arrive(), await arrive()]
    const replies = await Promise.all([
      one.post('set-up', { token: ours, password }),
      two.post('set-up', { token: theirs, password: mallorys }),
    ])
    for (const [i, [token, chosen]] of [[ours, password] as const, [theirs, mallorys] as const].entries()) {
      if (replies[i]?.status === 200) continue
      assert.deepEqual(refusal(replies[i] as never), [409, 'resource_conflict'])
      await accept(token, chosen)
    }
    assert.deepEqual([await opens(email, password), await opens(email, mallorys)], [['Acme'], ['Globex']])
  })
})
