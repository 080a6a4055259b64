/** Calls every tool with its operation's example, over HTTP and over stdio. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Compile } from 'typebox/compile'
import { onOneEngine } from '../../test/engines.ts'
import { type Agent, answerOf, ways } from '../../test/mcp.ts'
import { instructions, populate, type Things, type ValidCall } from '../../test/things.ts'
import { openWorld, type World } from '../../test/world.ts'
import type { Operation } from '../api/declare/operation.ts'
import { flowDraft } from '../derive/tools.ts'
import { inputSchema } from './input-schema.ts'
import { tools } from './tool.ts'

/** The arguments for a call. */
function argumentsOf({ operation, params, query, body }: ValidCall): Record<string, unknown> {
  const typed = Object.entries(query).map(([name, text]) => [name, typedAs(operation, name, text)])
  const sent = operation.uploads ? { text: body } : ((body ?? {}) as object)
  return { ...params, ...Object.fromEntries(typed), ...sent }
}

/** A query parameter as an agent sends it. */
function typedAs({ query }: Operation, name: string, text: string): unknown {
  const parameter = query[name]
  if (parameter?.many) return [text]
  if (parameter?.commas) return text.split(',')
  const { type } = (parameter?.schema ?? {}) as { type?: string }
  return type === 'integer' ? Number(text) : type === 'boolean' ? text === 'true' : text
}

onOneEngine('the tools', (engine) => {
  for (const [way, connect] of Object.entries(ways)) {
    describe(`over ${way}`, () => {
      let world: World
      let things: Things
      let agent: Agent
      before(async () => {
        world = await openWorld(engine)
        things = await populate(world)
        agent = await connect(world.server.url, things.key)
      })
      after(async () => {
        await agent.close()
        await world.close()
      })

      it('are all listed for a key of every scope', async () => {
        assert.deepEqual(await agent.tools(), [...tools.keys(), flowDraft.name])
      })

      for (const [name, { operation }] of tools) {
        it(`${name} accepts its example by its schema and answers in the declared form`, async () => {
          const args = argumentsOf(await things.call(operation))
          const input = Compile(inputSchema(operation))
          assert.ok(input.Check(args), JSON.stringify([...input.Errors(args)].slice(0, 3)))
          const whole = operation.kind === 'list' ? { fields: ['*'] } : {}
          const result = await agent.call(name, { ...args, ...whole })
          assert.equal(result.isError ?? false, false, `${JSON.stringify(result.content)}\n${instructions}`)
          const output = Compile(operation.returns)
          const answer = answerOf(result)
          assert.ok(output.Check(answer), JSON.stringify([...output.Errors(answer)].slice(0, 3)))
          assert.equal(result.structuredContent, undefined, 'the answer is sent once')
          assert.match(String(result._meta?.['atrium/request_id']), /^req_/)
        })
      }
    })
  }
})
