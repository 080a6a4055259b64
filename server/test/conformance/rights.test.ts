/** The table of rights, tried: every operation as owner, admin, member and guest, with and without a recent confirmation. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Operation } from '../../src/api/declare/operation.ts'
import {
  console_for_guests,
  console_rights,
  guest_operations,
  isForGuests,
  type RoleName,
  refusalOf,
  rightOf,
  rights,
  roles,
} from '../../src/api/declare/rights.ts'
import { catalogue, operationIds } from '../../src/catalogue.ts'
import { endpoints } from '../../src/console/endpoints.ts'
import type { Reply } from '../call.ts'
import { join, ownerOf, refusal, type Visitor } from '../console/visitor.ts'
import { callAsGuest, showToGuests } from '../guest.ts'
import { populate, sendCall, type Things } from '../things.ts'
import { onEveryWorld, openFirst } from '../world.ts'

/** A person of a role, with a token from before a confirmation and one from after it. */
interface Person {
  readonly role: RoleName
  readonly user: string
  readonly plain: string
  readonly confirmed: string
}

const own = catalogue.filter(({ id, target }) => rightOf(id) === 'own' && target !== null)

it('every operation has a row in the table of rights, and every row an operation', () => {
  const missing = catalogue.map(({ id }) => id).filter((id) => rightOf(id) === undefined)
  const advice =
    "Add a row to server/src/api/declare/rights.ts: 'everyone', 'own', 'editors', 'commenters', 'confirmed' or 'managers'. Then run npm run generate."
  assert.deepEqual(missing, [], advice)
  assert.deepEqual(
    Object.keys(rights).filter((id) => !operationIds.has(id)),
    [],
    'These operations do not exist. Remove their rows from server/src/api/declare/rights.ts.',
  )
})

it('every endpoint of the console that needs a role is in the table with that role, and no other', () => {
  const declared = endpoints.flatMap(({ name, role }) => (role === null ? [] : [[name, role] as const]))
  assert.deepEqual(
    Object.fromEntries(declared),
    { ...console_rights },
    'Change console_rights in server/src/api/declare/rights.ts together with the role of the endpoint.',
  )
})

it('every operation and endpoint for guests exists, and is declared to be for them', () => {
  const unknown = guest_operations.filter((id) => !operationIds.has(id))
  assert.deepEqual(unknown, [], 'Remove them from guest_operations in server/src/api/declare/rights.ts.')
  const declared = endpoints.filter(({ guests }) => guests).map(({ name }) => name)
  const advice = 'Change console_for_guests in server/src/api/declare/rights.ts together with `guests` of the endpoint.'
  assert.deepEqual(declared.sort(), [...console_for_guests].sort(), advice)
})

onEveryWorld('The table of rights', (world) => {
  const things = openFirst(() => populate(world))
  const owner = openFirst(() => ownerOf(world))
  const people: Person[] = []

  before(async () => {
    await showToGuests(things)
    for (const role of roles) {
      const visitor =
        role === 'owner'
          ? owner
          : await join(owner, `${role}@acme.example`, role, role === 'guest' ? [things.id('project')] : undefined)
      people.push({ role, ...(await tokensOf(visitor)) })
    }
  })

  it('lets a person draw on a board only as its owner or editor, and comment also as its commenter, whatever the role', async () => {
    const path = `/v1/boards/${things.id('board')}/members`
    const drawing = catalogue.filter(({ id }) => rightOf(id) === 'editors')
    const commenting = catalogue.filter(({ id }) => rightOf(id) === 'commenters')
    assert.ok(drawing.length >= 4 && commenting.length >= 3)
    for (const person of people) {
      for (const role of [null, 'viewer', 'commenter']) {
        if (role !== null) await things.make(path, { user: person.user, role })
        for (const operation of role === 'commenter' ? drawing : [...drawing, ...commenting]) {
          const reply = await callAs(things, operation, person, true)
          assert.deepEqual(refusal(reply), [403, 'insufficient_scope'], `${operation.id} as ${person.role}, ${role}`)
        }
      }
      for (const operation of commenting) {
        const reply = await callAs(things, operation, person, true)
        assert.equal(reply.status, 200, `${operation.id} as ${person.role}, commenter: ${reply.text}`)
      }
      await things.make(path, { user: person.user, role: 'editor' })
    }
  })

  it('says who may call each operation: 200 where it allows, 403 with the code where it refuses', async () => {
    for (const operation of catalogue) {
      const right = rightOf(operation.id)
      if (right === undefined) continue
      for (const person of people) {
        for (const isConfirmed of [false, true]) {
          const expected = refusalOf(operation.id, person.role, isConfirmed)
          // A refusal comes before the input, so the calls of allowed people suffice for what a call needs.
          const reply = await callAs(things, operation, person, isConfirmed, owner)
          const found = reply.status === 200 ? null : `${reply.status} ${reply.body?.error?.code}`
          const about = `${operation.id} as ${person.role}${isConfirmed ? ', confirmed' : ''}: ${reply.text.slice(0, 300)}`
          assert.equal(found, expected === null ? null : `403 ${expected}`, about)
        }
      }
    }
  })

  it('makes the objects of another person missing for every role: the same answer as for an id that never existed', async () => {
    assert.ok(own.length >= 5)
    for (const operation of own) {
      for (const owner of people) {
        const call = await callOf(things, operation, owner)
        for (const person of people.filter((each) => each !== owner)) {
          const { id } = call.params as { id: string }
          const found = await sendCall(things, call, { key: person.confirmed })
          const missing = { ...call, params: { id: twinOf(id) } }
          const never = await sendCall(things, missing, { key: person.confirmed })
          const about = `${operation.id} as ${person.role} on an object of the ${owner.role}`
          assert.deepEqual([found.status, withoutRequest(found)], [404, withoutRequest(never)], about)
        }
      }
    }
  })
})

async function tokensOf(visitor: Visitor) {
  const { user } = await visitor.arrive()
  return { user: user.id as string, plain: await visitor.token(), confirmed: await visitor.token({ manage: true }) }
}

/** A valid call with the person's own objects. */
async function callOf(things: Things, operation: Operation, person: Person, key: string = person.confirmed) {
  things.person = person.user
  if (operation.target?.object === 'saved_filter') {
    const filter = { workspace: things.id('workspace'), name: 'Mine', filter: 'priority = high', visibility: 'private' }
    things.ids.saved_filter = (await things.world.make('/v1/saved_filters', filter, { key: person.plain })).id
    return { ...(await things.call(operation, key)), params: { id: things.id('saved_filter') } }
  }
  if (operation.target?.object === 'notification') things.ids.notification = await things.fresh('notification')
  return await things.call(operation, key)
}

async function callAs(
  things: Things,
  operation: Operation,
  person: Person,
  isConfirmed: boolean,
  owner?: Visitor,
): Promise<Reply> {
  const key = isConfirmed ? person.confirmed : person.plain
  const { role, user } = person
  // Some calls need objects that their sender has made, which a guest cannot make.
  if (role === 'guest' && !isForGuests(operation.id))
    return await things.send(operation.method, operation.path.replaceAll(/\{\w+\}/g, 'nothing'), { key })
  const isForGuest = role === 'guest' && owner !== undefined
  const call = isForGuest
    ? await callAsGuest(things, operation, { key, user, owner })
    : await callOf(things, operation, person, key)
  return await sendCall(things, call, { key })
}

/** An id of the same form that does not exist. */
function twinOf(id: string): string {
  const at = id.length - 8
  return `${id.slice(0, at)}${id[at] === 'A' ? 'B' : 'A'}${id.slice(at + 1)}`
}

function withoutRequest(reply: Reply): string {
  return reply.text.replace(String(reply.headers['x-request-id']), '')
}
