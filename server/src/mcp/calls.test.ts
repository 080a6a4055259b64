/** What an agent can rely on, over HTTP and over stdio. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { onOneEngine } from '../../test/engines.ts'
import { type Agent, answerOf, textOf, ways } from '../../test/mcp.ts'
import { openWorld, type World } from '../../test/world.ts'
import type { Scope } from '../api/declare/scopes.ts'

const planner: readonly Scope[] = ['workspaces:write', 'projects:write', 'tasks:write', 'comments:write']

onOneEngine('an agent', (engine) => {
  for (const [way, connect] of Object.entries(ways)) {
    describe(`over ${way}`, () => {
      let world: World
      const agents: Agent[] = []
      const agentWith = async (scopes?: readonly Scope[]): Promise<Agent> => {
        const { secret } = await world.key(scopes === undefined ? {} : { scopes })
        const agent = await connect(world.server.url, secret)
        agents.push(agent)
        return agent
      }
      before(async () => {
        world = await openWorld(engine)
      })
      after(async () => {
        await Promise.all(agents.map((agent) => agent.close()))
        await world.close()
      })

      it('lists exactly the tools that the key may use', async () => {
        assert.deepEqual(await (await agentWith([])).tools(), ['api_retrieve', 'me_retrieve'])
        assert.deepEqual(await (await agentWith(['comments:read'])).tools(), [
          ...['api_retrieve', 'me_retrieve'],
          ...['task_comments_list', 'task_comments_retrieve'],
        ])
      })

      it('plans a small project with a key of four scopes and refuses what the key may not do', async () => {
        const agent = await agentWith(planner)
        const workspace = (await agent.do('workspaces_create', { title: 'Garden' })).id
        const project = (await agent.do('projects_create', { workspace, name: 'Pond' })).id
        const place = { workspace, project }
        const doing = (await agent.do('columns_create', { ...place, name: 'Doing' })).id
        const done = (await agent.do('columns_create', { ...place, name: 'Done' })).id
        const { data } = await agent.do('tasks_batch', {
          workspace,
          data: ['Dig', 'Line', 'Fill'].map((title) => ({ title, project, column: doing })),
        })
        const [dig, line, fill] = data.map((task: { id: string }) => task.id)
        await agent.do('task_dependencies_create', { task_id: dig, workspace, to: line })
        await agent.do('task_dependencies_create', { task_id: line, workspace, to: fill })
        const cycle = await agent.fail('task_dependencies_create', { task_id: fill, workspace, to: dig })
        assert.deepEqual([cycle.code, cycle.param], ['resource_conflict', 'to'])
        await agent.do('task_comments_create', { task_id: dig, workspace, body: 'Two metres deep.' })
        const moved = await agent.do('tasks_move', { id: data[0].key, workspace, project, column: done })
        assert.deepEqual([moved.id, moved.column], [dig, done])
        assert.equal((await agent.do('tasks_complete', { id: dig })).status, 'done')
        const seen = (await world.get(`/v1/tasks?project=${project}&sort=position`)).body.data
        assert.deepEqual(
          seen.map((task: { title: string; status: string }) => [task.title, task.status]),
          [
            ['Dig', 'done'],
            ['Line', 'todo'],
            ['Fill', 'todo'],
          ],
        )

        assert.equal((await agent.tools()).includes('tasks_list'), false)
        const refused = await agent.fail('tasks_list', { workspace })
        assert.deepEqual([refused.code, refused.status], ['insufficient_scope', 403])
        assert.ok(refused.message.includes('tasks:read'))
        assert.equal(refused.what_to_do, 'Continue without this tool, or ask the user for a key with that scope.')
      })

      it('replays a change with the same idempotency_key and makes another one without it', async () => {
        const agent = await agentWith()
        await world.markWritten()
        const once = { title: 'Once', idempotency_key: 'my-workspace' }
        const first = await agent.call('workspaces_create', once)
        const second = await agent.call('workspaces_create', once)
        assert.deepEqual(second.content, first.content)
        assert.equal(first._meta?.['atrium/replayed'], undefined)
        assert.equal(second._meta?.['atrium/replayed'], true)
        assert.equal(second._meta?.['atrium/idempotency_key'], 'my-workspace')
        await world.assertWritten({ events: ['workflow.workspace.created'], audit: ['workspaces.create'] })
        const other = await agent.fail('workspaces_create', { ...once, title: 'Twice' })
        assert.deepEqual([other.code, other.param], ['idempotency_key_reused', 'idempotency_key'])
        const made = [
          await agent.call('workspaces_create', { title: 'A' }),
          await agent.call('workspaces_create', { title: 'A' }),
        ]
        assert.equal(new Set(made.map((result) => result._meta?.['atrium/idempotency_key'])).size, 2)
        const two = ['workflow.workspace.created', 'workflow.workspace.created']
        await world.assertWritten({ events: two, audit: ['workspaces.create', 'workspaces.create'] })
      })

      it('tries a change in a dry run', async () => {
        const agent = await agentWith()
        await world.markWritten()
        for (const dry_run of [true, 'yes']) {
          const tried = await agent.do('workspaces_create', { title: 'Tried', dry_run })
          assert.deepEqual([tried.object, tried.answer.title, tried.credits], ['dry_run', 'Tried', 10])
        }
        await world.assertWritten({ events: [], audit: [] })
      })

      it('refuses a change to an object whose revision has changed', async () => {
        const agent = await agentWith()
        const { id, revision } = await agent.do('workspaces_create', { title: 'Guarded' })
        const args = { id, title: 'Mine', if_match: String(revision) }
        assert.equal((await agent.do('workspaces_update', args)).revision, revision + 1)
        const late = await agent.fail('workspaces_update', args)
        assert.deepEqual([late.code, late.param], ['resource_conflict', 'if_match'])
        assert.match(late.message, /2/)
      })

      it('says in an error what is wrong, where, what to do, and the id in the request log', async () => {
        const agent = await agentWith()
        const result = await agent.call('workspaces_create', { titel: 'x' })
        const { error } = result.structuredContent as { error: Record<string, unknown> }
        const { request_id, ...shown } = error
        assert.deepEqual(shown, {
          type: 'invalid_request_error',
          code: 'invalid_request_body',
          message: 'The field `title` is required.',
          param: 'title',
          details: [
            { param: 'title', message: 'The field `title` is required.' },
            { param: 'titel', message: 'The field `titel` is not known here. Did you mean "title"?' },
          ],
          status: 400,
          what_to_do: 'Correct the arguments that param and details name, then call again.',
        })
        for (const part of [
          'invalid_request_body',
          'param: title',
          'The field `titel` is not',
          `request_id: ${request_id}`,
          'What to do: ',
        ]) {
          assert.ok(textOf(result).includes(part), part)
        }
        const logged = await agent.do('request_logs_retrieve', { id: request_id })
        assert.deepEqual(
          [logged.operation, logged.status, logged.error_code, logged.path, logged.charged],
          ['workspaces.create', 400, 'invalid_request_body', '/v1/workspaces', 1],
        )
        assert.match(logged.user_agent, /^atrium-mcp\/\d/)
      })

      it('names the argument that cannot be sent', async () => {
        const agent = await agentWith()
        const wrong: [string, Record<string, unknown>, string][] = [
          ['workspaces_retrieve', {}, 'id'],
          ['workspaces_retrieve', { id: 7 }, 'id'],
          ['workspaces_list', { limit: { gt: 1 } }, 'limit'],
          ['workspaces_list', { limit: 'many' }, 'limit'],
          ['workspaces_list', { fields: 7 }, 'fields'],
          ['workspaces_list', { fields: ['nothing'] }, 'fields'],
          ['boards_list', { fields: ['nothing'] }, 'fields'],
          ['workspaces_list', { nothing: 1 }, 'nothing'],
          ['workspaces_create', { title: 'x', idempotency_key: 'ä' }, 'idempotency_key'],
          ['workspaces_create', { title: 'x', idempotency_key: '' }, 'idempotency_key'],
          ['tasks_list', { filter: 'x'.repeat(9000), sort: 'title' }, 'filter'],
          ['workspaces_retrieve', { id: 'x'.repeat(9000) }, 'id'],
        ]
        for (const [name, args, param] of wrong) {
          const error = await agent.fail(name, args)
          assert.deepEqual([error.param, error.status], [param, 400], `${name} ${JSON.stringify(args).slice(0, 80)}`)
        }
        const credential = await agent.fail('workspaces_retrieve', { id: world.acme.key })
        assert.deepEqual([credential.code, credential.status], ['invalid_api_key', 401])
      })

      it('pages through a list as the results say and shows each object once', async () => {
        const agent = await agentWith()
        const { id: workspace } = await agent.do('workspaces_create', { title: 'Walk' })
        for (const name of ['a', 'b', 'c']) await agent.do('projects_create', { workspace, name })
        const names: string[] = []
        let args: Record<string, unknown> = { workspace, limit: 1, fields: ['name'] }
        for (;;) {
          const result = await agent.call('projects_list', args)
          names.push(answerOf(result).data[0].name)
          const next = /^There is more\. Call projects_list .* starting_after "([^"]+)"\.$/m.exec(textOf(result))?.[1]
          if (next === undefined) break
          args = { ...args, starting_after: next }
        }
        assert.deepEqual(names, ['c', 'b', 'a'])
        const opaque = await agent.call('audit_logs_list', { limit: 1 })
        const cursor = /with the same arguments and cursor "([^"]+)"/.exec(textOf(opaque))?.[1]
        assert.equal((await agent.do('audit_logs_list', { limit: 1, cursor })).data.length, 1)
      })

      it('lists a few fields of each object, or the named ones, or all', async () => {
        const agent = await agentWith()
        const { id: workspace } = await agent.do('workspaces_create', { title: 'Fields' })
        await agent.do('tasks_create', { workspace, title: 'One', description: 'Long' })
        await agent.do('boards_create', { name: 'Map', description: 'Long' })
        const names = async (tool: string, args: object) =>
          Object.keys((await agent.do(tool, { limit: 1, ...args })).data[0])
        const few = ['id', 'key', 'title', 'status', 'priority', 'assignee', 'project', 'column', 'due_at', 'labels']
        assert.deepEqual(await names('tasks_list', {}), few)
        assert.deepEqual(await names('tasks_list', { fields: ['id', 'description'] }), ['id', 'description'])
        assert.equal((await names('tasks_list', { fields: ['*'] })).length, 29)
        assert.deepEqual(await names('boards_list', {}), [
          'id',
          'name',
          'status',
          'project',
          'member_count',
          'item_count',
        ])
        assert.deepEqual(await names('boards_list', { fields: 'name, description' }), ['name', 'description'])
        assert.ok((await names('boards_list', { fields: ['*'] })).includes('snapshot'))
      })

      it('ignores a null argument of a read and clears a field with null in a change', async () => {
        const agent = await agentWith()
        const { id: workspace } = await agent.do('workspaces_create', { title: 'Null' })
        const task = await agent.do('tasks_create', { workspace, title: 'One', description: 'x' })
        const found = await agent.do('tasks_list', { workspace, status: null, limit: null, assignee: ['null'] })
        assert.deepEqual(
          found.data.map(({ id }: { id: string }) => id),
          [task.id],
        )
        assert.equal((await agent.do('tasks_update', { id: task.id, description: null })).description, null)
      })

      it('reads the checked-in documents', async () => {
        const agent = await agentWith([])
        const { resources } = await agent.client.listResources()
        assert.deepEqual(
          resources.map(({ uri }) => uri),
          [
            ...['atrium://docs/operations', 'atrium://docs/errors', 'atrium://docs/events'],
            ...['atrium://automations/guide', 'atrium://automations/schema', 'atrium://automations/examples'],
          ],
        )
        for (const { uri, mimeType } of resources) {
          const [content] = (await agent.client.readResource({ uri })).contents
          const text = content !== undefined && 'text' in content ? content.text : ''
          if (mimeType === 'text/markdown') assert.match(text, /^# /)
          else assert.ok(JSON.parse(text), uri)
        }
        await assert.rejects(agent.client.readResource({ uri: 'atrium://docs/../../package.json' }), { code: -32602 })
      })

      it('drafts an automation from an example, previews it on a task, and activates nothing', async () => {
        const agent = await agentWith(['workspaces:write', 'tasks:write', 'comments:write', 'automations:write'])
        const { id: workspace } = await agent.do('workspaces_create', { title: 'Flows' })
        const task = await agent.do('tasks_create', { workspace, title: 'Bread', status: 'todo' })
        const [content] = (await agent.client.readResource({ uri: 'atrium://automations/examples' })).contents
        const examples = JSON.parse(content !== undefined && 'text' in content ? content.text : '')
        const graph = examples['escalate-overdue']
        const args = { workspace, name: 'Escalate', graph, task: task.id, idempotency_key: 'my-flow' }
        await world.markWritten()
        const { preview, ...flow } = await agent.do('automation_flows_draft', args)
        assert.deepEqual([flow.object, flow.status, preview.task], ['automation_flow', 'draft', task.id])
        assert.deepEqual([preview.preview_token, preview.expires_at], [undefined, undefined])
        assert.ok(preview.steps.length > 0)
        // A repeated call makes nothing again.
        assert.deepEqual(await agent.do('automation_flows_draft', args), { ...flow, preview })
        await world.assertWritten({
          events: ['automation.flow.created'],
          audit: ['automation_flows.create', 'automation_flows.preview'],
        })

        const broken = { ...graph, edges: [...graph.edges, { source: 'nowhere', target: graph.nodes[0].id }] }
        const refused = await agent.fail('automation_flows_draft', { ...args, graph: broken, idempotency_key: 'other' })
        assert.equal(refused.code, 'invalid_request_body')
        assert.ok(refused.details.some(({ param }: { param: string }) => param.startsWith('graph.edges[')))
        const foreign = await agent.fail('automation_flows_draft', { ...args, bogus: 1 })
        assert.deepEqual([foreign.code, foreign.param], ['invalid_request_body', 'bogus'])

        // A draft whose preview is refused is kept, and changed by its id.
        const other = { workspace, name: 'Later', graph }
        const failed = await agent.call('automation_flows_draft', { ...other, task: 'tsk_01J00000000000000000000000' })
        assert.equal(failed.isError, true)
        const kept = /Call automation_flows_draft with flow "(flow_[0-9A-Z]+)"/.exec(textOf(failed))?.[1]
        const changed = await agent.do('automation_flows_draft', { ...other, name: 'Renamed', flow: kept })
        assert.deepEqual([changed.id, changed.name, changed.status], [kept, 'Renamed', 'draft'])
      })

      it('reads the shape of one event type at a time, and none in the table of types', async () => {
        const agent = await agentWith([])
        const { resourceTemplates } = await agent.client.listResourceTemplates()
        assert.deepEqual(
          resourceTemplates.map(({ uriTemplate }) => uriTemplate),
          ['atrium://docs/events/{type}'],
        )
        const read = async (uri: string) => {
          const [content] = (await agent.client.readResource({ uri })).contents
          return content !== undefined && 'text' in content ? content.text : ''
        }
        assert.ok((await read('atrium://docs/events')).length < 20_000)
        const shape = await read('atrium://docs/events/workflow.task.created')
        assert.ok(shape.length < 40_000, String(shape.length))
        const { type, components } = JSON.parse(shape)
        assert.deepEqual([type, Object.keys(components.schemas).includes('Task')], ['workflow.task.created', true])
        for (const name of ['workflow.task.zzz', '__proto__', '']) {
          await assert.rejects(agent.client.readResource({ uri: `atrium://docs/events/${name}` }), { code: -32602 })
        }
      })

      it('says that a tool is unknown, which name is near, and why an operation has none', async () => {
        const agent = await agentWith()
        await assert.rejects(agent.call('task_create'), { message: /"task_create"\. Did you mean tasks_create\?$/ })
        await assert.rejects(agent.call('zzzzzzzz'), { message: /There is no tool "zzzzzzzz"\.$/ })
        await assert.rejects(agent.call('tasks_explode'), {
          code: -32602,
          message: /There is no tool "tasks_explode"\./,
        })
        await assert.rejects(agent.call('events_stream'), { code: -32602, message: /events_list/ })
        await assert.rejects(agent.call('api_keys_create', { name: 'x' }), { code: -32602, message: /secret/ })
        await assert.rejects(agent.call('constructor'), { code: -32602 })
      })
    })
  }
})
