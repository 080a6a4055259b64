/** The tools match the catalogue, and hand-written texts match the tools. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { errorKinds } from '../api/declare/errors.ts'
import { catalogue } from '../catalogue.ts'
import { notTools, toolName } from '../derive/tools.ts'
import { short_filter_grammar } from '../resources/tasks/shared/filter.ts'
import { adviceFor } from './advice.ts'
import { inputSchema, key_argument, revision_argument, trial_argument } from './input-schema.ts'
import { instructions } from './instructions.ts'
import { listFields } from './list-fields.ts'
import { tools } from './tool.ts'

const own = [key_argument, revision_argument, trial_argument]

it('every operation is a tool or is listed with the reason why not', () => {
  const expected = catalogue.filter(({ id }) => notTools[id] === undefined).map(({ id }) => id)
  assert.deepEqual(
    [...tools.values()].map(({ operation }) => operation.id),
    expected,
  )
  for (const [id, reason] of Object.entries(notTools)) {
    assert.ok(
      catalogue.some((operation) => operation.id === id) && reason !== '',
      `${id} is not an operation; remove it`,
    )
  }
})

/** Its token works once, for 15 minutes, with the same key only, so an agent may see it. */
const bound = 'automation_flows.preview'
/** Reads whose answers are not stored, so they are not sealed. */
const shown: readonly string[] = ['automation_flows.hook', 'automation_flows.form', 'automation_flows.mailbox']

it('exactly the operations that never end or return a reusable secret are not tools', () => {
  const unfit = catalogue
    .filter(({ id, streams, sealed }) => streams || (sealed && id !== bound) || shown.includes(id))
    .map(({ id }) => id)
  assert.deepEqual(Object.keys(notTools).sort(), unfit.sort())
})

it('names are unique and have 1 to 64 letters, digits and underscores', () => {
  const names = catalogue.map(({ id }) => toolName(id))
  assert.equal(new Set(names).size, catalogue.length)
  for (const name of names) assert.match(name, /^[a-z][a-z0-9_]{0,63}$/)
})

it('no argument name stands for two parts of a request, except the workspace of a DELETE', () => {
  for (const { id, path, query, body, method, kind } of catalogue) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
    const inBody = Object.keys(body?.properties ?? {}).filter((name) => method !== 'DELETE' || name !== 'workspace')
    const names = [...inPath, ...Object.keys(query), ...inBody, ...own, ...(kind === 'list' ? [] : ['fields'])]
    assert.deepEqual(
      names.filter((name, i) => names.indexOf(name) !== i),
      [],
      id,
    )
  }
})

it('a tool requires what its operation requires', () => {
  for (const operation of catalogue) {
    const { path, query, body, id } = operation
    const { properties, required } = inputSchema(operation)
    const expected = [
      ...[...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string),
      ...Object.keys(query).filter((name) => query[name]?.required),
      ...(body?.required ?? []),
    ]
    assert.deepEqual([...required].sort(), expected.sort(), id)
    for (const name of required) assert.ok(Object.hasOwn(properties, name), `${id}: ${name}`)
  }
})

it('every tool that takes a filter says how one is written', () => {
  const taking = [...tools.values()].filter(({ operation: { query, body } }) => {
    return Object.hasOwn(query, 'filter') || Object.hasOwn(body?.properties ?? {}, 'filter')
  })
  assert.deepEqual(
    taking.map(({ description }) => description.name),
    ['tasks_list', 'tasks_count', 'saved_filters_create', 'saved_filters_update', 'exports_create'],
  )
  for (const { description } of tools.values()) {
    const isTaking = taking.some((tool) => tool.description === description)
    assert.equal(description.description?.includes(short_filter_grammar), isTaking, description.name)
  }
})

it('read-only and destructive tools are annotated as such', () => {
  const hints = (id: string) => tools.get(toolName(id))?.description.annotations
  for (const { operation, description } of tools.values()) {
    assert.equal(description.annotations?.readOnlyHint, operation.method === 'GET', operation.id)
    if (operation.method === 'DELETE') assert.equal(description.annotations?.destructiveHint, true, operation.id)
  }
  assert.deepEqual(hints('tasks.create'), {
    title: 'Create a task',
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  })
  assert.equal(hints('tasks.update')?.idempotentHint, true)
  assert.equal(hints('webhook_endpoints.update')?.openWorldHint, true)
})

it('every description states scope and price, and _meta has them for programs', () => {
  for (const { operation, description } of tools.values()) {
    const { id, scope, credits } = operation
    assert.ok(description.description?.includes(scope ?? 'no scope'), id)
    assert.match(description.description ?? '', new RegExp(`costs ${credits} credits?\\.$`), id)
    assert.deepEqual(description._meta, {
      'atrium/operation': id,
      'atrium/credits': credits,
      'atrium/scope': scope,
    })
  }
})

it('every list selects fields that its objects have', () => {
  for (const { id, lists } of catalogue) {
    if (lists === null) continue
    const shown = listFields[lists.object]
    assert.ok(shown !== undefined, `${id}: say in list-fields.ts what a list of ${lists.object} shows`)
    for (const field of shown) assert.ok(Object.hasOwn(lists.schema.properties, field), `${lists.object}.${field}`)
  }
})

it('the instructions and the advice name existing tools', () => {
  const verbs = new Set([...tools.keys()].map((name) => name.split('_').at(-1)))
  const advice = Object.keys(errorKinds).map(adviceFor)
  for (const text of [instructions, ...advice]) {
    for (const [word] of text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)) {
      if (verbs.has(word.split('_').at(-1))) assert.ok(tools.has(word), word)
    }
  }
  assert.ok(instructions.includes('tasks_batch'))
})

it('every error code has advice, and so has an unknown one', () => {
  for (const code of [...Object.keys(errorKinds), 'new_code']) assert.ok(adviceFor(code).endsWith('.'), code)
})
