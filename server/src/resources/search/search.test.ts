/** Search finds what its query says, in order, with what the credential may read. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { indexForSearch } from '../../../test/search-index.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { indexNext, indexStatus, rebuildIndex } from '../../search/follow.ts'
import { searchIndexWorker } from '../../workers/search-index.ts'

onEveryWorld('search', (world) => {
  let workspace: string
  let project: string
  const ids: Record<string, string> = {}

  const index = (count = 50, realm = world.acme.realms.live) => indexForSearch(world.services, realm, count)

  async function find(query: string, more = '', options = {}) {
    const reply = await world.get(`/v1/search?query=${encodeURIComponent(query)}${more}`, options)
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }

  /** Names of what is found, in order. */
  async function names(query: string, more = '', options = {}): Promise<(string | undefined)[]> {
    const { data } = await find(query, more, options)
    return data.map(({ id }: { id: string }) => Object.keys(ids).find((name) => ids[name] === id))
  }

  async function make(name: string, path: string, body: object): Promise<{ id: string }> {
    world.clock.advance(1000)
    const made = await world.make(path, body)
    ids[name] = made.id
    return { id: made.id }
  }

  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes' })).id
    project = (
      await make('project', '/v1/projects', { workspace, name: 'Audit storage', description: 'Where logs go' })
    ).id
    await make('text', '/v1/tasks', { workspace, title: 'Rotate files', description: 'The audit log grows too fast' })
    await make('title', '/v1/tasks', { workspace, project, title: 'Structured audit log', description: null })
    await make('board', '/v1/boards', { name: 'Auditing ideas', description: 'log formats' })
    await make('portfolio', '/v1/portfolios', { workspace, name: 'Compliance', description: 'everything about audits' })
    await make('comment', `/v1/tasks/${ids.title}/comments`, {
      workspace,
      body: 'See the audit\n\n log of KUB-1, \u{1f680} please',
    })
    world.clock.advance(1000)
    const name = encodeURIComponent('Audit plan, v2.pdf')
    const uploaded = await world.call('POST', `/v1/files?workspace=${workspace}&name=${name}`, { raw: 'plan' })
    assert.equal(uploaded.status, 200, uploaded.text)
    ids.file = uploaded.body.id
    await make('han', '/v1/tasks', { workspace, title: '監査ログの保存', description: 'Crème brûlée' })
    await index()
  })

  it('finds files by the words of their names until they are deleted, and says where they are', async () => {
    const [found] = (await find('plan v2')).data
    const { id, type, title, excerpt, workspace: of, project: none } = found
    assert.deepEqual(
      [id, type, title, excerpt, of, none],
      [ids.file, 'file', 'Audit plan, v2.pdf', '', workspace, null],
    )
    assert.deepEqual(await names('audit', '&types=file'), ['file'])
    const { secret } = await world.key({ scopes: ['api:read', 'tasks:read'] })
    assert.deepEqual(await names('plan', '', { key: secret }), [])
    await world.delete(`/v1/files/${ids.file}`)
    await index()
    assert.deepEqual(await names('plan'), [])
  })

  it('orders by key, then title, then text, each newest first', async () => {
    assert.deepEqual(await names('audit'), ['board', 'title', 'project', 'comment', 'portfolio', 'text'])
    assert.deepEqual(await names('audit log'), ['title', 'comment', 'text', 'project'])
    world.clock.advance(1000)
    assert.equal((await world.patch(`/v1/tasks/${ids.text}`, { status: 'done' })).status, 200)
    await index()
    assert.deepEqual(await names('audit log'), ['title', 'text', 'comment', 'project'])
    const { key } = (await world.get(`/v1/tasks/${ids.text}`)).body
    assert.deepEqual(await names(key.toLowerCase()), ['text', 'comment'])
    assert.deepEqual(await names(`${key} audit`), ['text', 'comment'])
    assert.deepEqual(await names(`${key} compliance`), [])
  })

  it('does not show the task of a key for another object that has the key and the other words', async () => {
    const { key } = (await world.get(`/v1/tasks/${ids.han}`)).body
    const next = `KUB-${Number(key.slice(4)) + 2}`
    await make('older', '/v1/tasks', { workspace, title: 'Paint', description: `Varnish after ${next}` })
    const named = await make('named', '/v1/tasks', { workspace, title: 'Sand' })
    assert.equal((await world.get(`/v1/tasks/${named.id}`)).body.key, next)
    await index()
    assert.deepEqual(await names(next), ['named', 'older'])
    assert.deepEqual(await names(`varnish ${next}`), ['older'])
  })
  it('takes prefixes of the last word, phrases and exclusions', async () => {
    assert.deepEqual(await names('aud lo'), [])
    assert.deepEqual(await names('log aud'), ['title', 'text', 'comment', 'board'])
    assert.deepEqual(await names('"audit log"'), ['title', 'text', 'comment'])
    assert.deepEqual(await names('"audit lo"'), [])
    assert.deepEqual(await names('log -formats audit'), ['title', 'text', 'comment'])
    assert.deepEqual(await names('log -"log grows" audit -formats'), ['title', 'comment'])
    assert.deepEqual(await names('audit-log'), ['title', 'text', 'comment'])
    // A title and a description are not one text.
    assert.deepEqual(await names('"files the"'), [])
  })

  it('ignores case, accents and composition, and finds characters in a row in scripts without spaces', async () => {
    assert.deepEqual(await names('CREME BRU\u0302LE'), ['han'])
    assert.deepEqual(await names('ログの'), ['han'])
    assert.deepEqual(await names('ロク\u3099'), ['han'])
    assert.deepEqual(await names('監ログ'), [])
    assert.deepEqual(await names('🚀'), ['comment'])
  })

  it('shows the place of a match as plain text with its marks', async () => {
    const { data, indexed_sequence } = await find('log "the audit"', '&types=comment')
    const [found] = data
    const { key, project: of } = (await world.get(`/v1/tasks/${ids.title}`)).body
    const excerpt = 'See the audit log of KUB-1, 🚀 please'
    assert.deepEqual(found, {
      object: 'search_result',
      type: 'comment',
      id: ids.comment,
      key,
      title: 'Structured audit log',
      excerpt,
      highlights: [
        [4, 13],
        [14, 17],
      ],
      workspace,
      project: of,
      updated: found.updated,
    })
    assert.equal(of, project)
    assert.equal(indexed_sequence, (await world.get('/v1/events?limit=1')).body.data[0].sequence)
    const [rocket] = (await find('🚀')).data
    assert.deepEqual(
      rocket.highlights.map(([start, end]: [number, number]) => excerpt.slice(start, end)),
      ['🚀'],
    )
  })

  it('pages through all results once', async () => {
    const seen: (string | undefined)[] = []
    let cursor = ''
    do {
      const page = await find('audit', `&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      seen.push(...page.data.map(({ id }: { id: string }) => Object.keys(ids).find((name) => ids[name] === id)))
      cursor = page.next_cursor ?? ''
      assert.equal(page.has_more, cursor !== '')
    } while (cursor !== '')
    assert.deepEqual(seen, await names('audit'))
    const { next_cursor } = await find('audit', '&limit=2')
    const other = await world.get(`/v1/search?query=log&cursor=${next_cursor}`)
    assert.deepEqual([other.status, other.body.error.code], [400, 'cursor_filter_mismatch'])
    for (const key of [world.globex.key, world.acme.testKey]) {
      const foreign = await world.get(`/v1/search?query=audit&limit=2&cursor=${next_cursor}`, { key })
      assert.deepEqual([foreign.status, foreign.body.error.code], [400, 'cursor_invalid'])
    }
  })

  it('finds the kinds and the workspace that are asked for', async () => {
    assert.deepEqual(await names('audit', '&types=task&types=project'), ['title', 'project', 'text'])
    assert.deepEqual(await names('audit', '&types[]=portfolio'), ['portfolio'])
    assert.deepEqual(await names('audit', `&workspace=${workspace}`), [
      'title',
      'project',
      'text',
      'comment',
      'portfolio',
    ])
    const other = (await world.make('/v1/workspaces', { title: 'Other' })).id
    await index()
    assert.deepEqual(await names('audit', `&workspace=${other}`), [])
  })

  it('leaves out kinds that the credential may not read, and what they say about others', async () => {
    const { secret: boards } = await world.key({ scopes: ['api:read', 'boards:read'] })
    assert.deepEqual(await names('audit', '', { key: boards }), ['board'])
    assert.deepEqual(await names('audit', '&types=task', { key: boards }), [])
    const { secret: comments } = await world.key({ scopes: ['api:read', 'comments:read'] })
    const { data } = await find('audit', '', { key: comments })
    const [{ id, key, title, project: of }] = data
    assert.deepEqual([data.length, id, key, title, of], [1, ids.comment, null, null, null])
    const refused = await world.get('/v1/search?query=a', { key: (await world.key({ scopes: ['tasks:read'] })).secret })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'insufficient_scope'])
  })

  it('never normalizes more than 30 marks in a row, for which the library needs time quadratic in their number', async (t) => {
    const normalize = String.prototype.normalize
    t.mock.method(String.prototype, 'normalize', function (this: string, form: string) {
      assert.doesNotMatch(this, /[\p{M}\uff9e]{31}/u)
      return normalize.call(this, form)
    })
    const marks = (end: string) => `a${'\u0301'.repeat(32_000)}${end.repeat(32_000)}`
    for (const [i, text] of [marks('\u0316'), marks('\uff9e')].entries()) {
      const { id } = await make(`marked ${i}`, '/v1/tasks', { workspace, title: `Zalgo ${i}`, description: text })
      await make(`remark ${i}`, `/v1/tasks/${id}/comments`, { workspace, body: `${text} remarkable` })
      assert.equal((await world.patch(`/v1/tasks/${id}`, { description: `${text} marked` })).status, 200)
    }
    await index()
    assert.deepEqual(await names('marked'), ['marked 1', 'marked 0'])
    assert.deepEqual(await names('remarkable'), ['remark 1', 'remark 0'])
    assert.deepEqual((await world.get('/v1/tasks?filter=description:marked')).body.data.length, 2)
  })

  it('refuses queries and kinds that can find nothing, and names them', async () => {
    const long = encodeURIComponent('é'.repeat(201))
    for (const [query, param, says] of [
      ['', 'query', /query/],
      ['query=', 'query', /1 to 200/],
      [`query=${long}`, 'query', /1 to 200/],
      ['query=-audit', 'query', /"-audit".*not excluded/],
      ['query=%21%21', 'query', /not excluded/],
      ['query=a&types=taks', 'types', /"?taks"?.*task/],
      ['query=a&workspace=wsp_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'workspace', /workspace/],
    ] as const) {
      const reply = await world.get(`/v1/search?${query}`)
      assert.deepEqual([reply.status, reply.body.error.param], [400, param], query)
      assert.match(reply.body.error.message, says)
    }
    assert.equal((await world.get(`/v1/search?query=${encodeURIComponent('é'.repeat(200))}`)).status, 200)
  })

  it('finds nothing of another organization or of the other realm', async () => {
    for (const key of [world.globex.key, world.acme.testKey]) assert.deepEqual(await names('audit', '', { key }), [])
    const theirs = (await world.make('/v1/workspaces', { title: 'Theirs' }, { key: world.globex.key })).id
    ids.theirs = (await world.make('/v1/tasks', { workspace: theirs, title: 'Audit' }, { key: world.globex.key })).id
    await index(50, world.globex.realms.live)
    assert.deepEqual(await names('audit', '', { key: world.globex.key }), ['theirs'])
    assert.ok(!(await names('audit')).includes('theirs'))
  })

  it('shows no deleted object, even before the index knows, and finds what is archived', async () => {
    const { id } = await make('gone', '/v1/tasks', { workspace, title: 'Ephemeral zebra' })
    await make('said', `/v1/tasks/${id}/comments`, { workspace, body: 'zebra too' })
    await index()
    assert.deepEqual(await names('zebra'), ['gone', 'said'])
    assert.equal((await world.delete(`/v1/tasks/${id}`)).status, 200)
    assert.deepEqual(await names('zebra'), [])
    await index()
    assert.deepEqual(await names('zebra'), [])
    assert.equal((await world.post(`/v1/projects/${project}/archive`)).status, 200)
    await index()
    assert.deepEqual(await names('storage'), ['project'])
    assert.deepEqual(await names('structured'), ['title'])
  })

  it('a rebuild writes every object again while searches go on', async () => {
    const expected = await names('audit')
    const realm = world.acme.realms.live
    await world.services.store.write('system', (tx) => rebuildIndex(tx, realm))
    for (let steps = 0; steps < 3; steps++) {
      await world.services.store.write('system', (tx) => indexNext(tx, realm, 2, world.clock.now()))
      assert.deepEqual(await names('audit'), expected)
    }
    await make('during', '/v1/tasks', { workspace, title: 'audit made during the walk' })
    await world.services.store.write('system', (tx) => indexNext(tx, realm, 2, world.clock.now()))
    assert.deepEqual((await names('audit'))[0], 'during')
    await index(2)
    assert.deepEqual(await names('audit'), ['during', ...expected])
  })

  it('an interrupted batch leaves nothing behind and is repeated', async () => {
    await make('interrupted', '/v1/tasks', { workspace, title: 'wombat' })
    const realm = world.acme.realms.live
    const cut = world.services.store.write('system', async (tx) => {
      assert.ok((await indexNext(tx, realm, 50, world.clock.now())) > 0)
      throw new Error('interrupted')
    })
    await assert.rejects(cut, /interrupted/)
    assert.deepEqual(await names('wombat'), [])
    await index()
    assert.deepEqual(await names('wombat'), ['interrupted'])
  })

  for (const [when, passed_ms] of [
    ['retained', 0],
    ['past retention', limits.event_retention_ms],
  ] as const) {
    it(`walks through all objects again when events that it has not read are gone, the last one ${when}`, async () => {
      const word = when.replace(' ', '')
      const { id } = await make('left', '/v1/tasks', { workspace, title: word })
      await index()
      await make('unread', '/v1/tasks', { workspace, title: `${word} too` })
      assert.equal((await world.delete(`/v1/tasks/${id}`)).status, 200)
      const realm = world.acme.realms.live
      await world.services.store.write('system', async (tx) => tx.write(forgetEvents, { realm }))
      const behind = await find(word)
      assert.ok(behind.indexed_sequence > 0)
      world.clock.advance(passed_ms)
      await index(3)
      assert.deepEqual(await names(word), ['unread'])
      assert.ok((await find(word)).indexed_sequence > behind.indexed_sequence)
    })
  }

  it('the worker indexes what is new in every realm', async () => {
    await make('worked', '/v1/tasks', { workspace, title: 'numbat' })
    await searchIndexWorker.run(world.services, searchIndexWorker.batch_max, new AbortController().signal)
    assert.deepEqual(await names('numbat'), ['worked'])
    const status = await world.services.store.reader('system').first(indexStatus)
    assert.deepEqual([Number(status?.walking), Number(status?.behind)], [0, 0])
  })
})

const forgetEvents = query((db, p: Placeholder<{ realm: number }>) =>
  db.deleteFrom('events').where('realm', '=', p('realm')),
)
