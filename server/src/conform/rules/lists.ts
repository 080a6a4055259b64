/** Lists: page sizes, paging of both kinds, cursors, field selection. */

import { isDeepStrictEqual } from 'node:util'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type Call, urlOf } from '../calls.ts'
import { at, items, type Reply, skip, withoutRequestId } from '../client.ts'
import { conformLimits } from '../conform-limits.ts'
import { isList, type Rule } from '../rule.ts'
import type { Trial } from '../trial.ts'

/** The list with its required filters only, and the workspace of the run if that can have objects of the list. */
async function bare(trial: Trial): Promise<Call> {
  const call = await trial.call()
  const { query, lists } = trial.operation
  const isOwn = lists !== null && trial.kit.stock.makes(lists.object)
  const names = Object.entries(query).filter(([name, { required }]) => required || (name === 'workspace' && isOwn))
  const given: [string, string][] = []
  for (const [name] of names) {
    given.push([name, call.query[name] ?? String(at(await trial.kit.stock.thing(name), 'id'))])
  }
  return { ...call, query: Object.fromEntries(given) }
}

const withQuery = (call: Call, query: Readonly<Record<string, string>>): Call => ({
  ...call,
  query: { ...call.query, ...query },
})

const cursorName = (trial: Trial): string => (trial.operation.paging === 'opaque' ? 'cursor' : 'starting_after')

/** The items' ids, or their JSON if they have none. */
const names = (reply: Reply): string[] => items(reply).map((item) => String(at(item, 'id') ?? JSON.stringify(item)))

const wrong_limits = [
  ...['0', '101', '-1', '1.5', '', 'ten', '1e1', '0x5', ' 5', '+5', '5 ', '99999999999999999', 'null', '５'],
]

export const paging: Rule = {
  name: 'paging',
  promise:
    'Pages hold 1 to 100 objects; walking a list by its cursors gives every object once, in the order of one large page (contract/06#page-size, contract/06#consistency).',
  applies: isList,
  async check(trial) {
    const call = await bare(trial)
    for (const limit of wrong_limits) {
      trial.expectRefused(await trial.send(withQuery(call, { limit })), 'invalid_query_parameter', 'limit')
    }
    await stockUp(trial, call)
    const first = await trial.send(withQuery(call, { limit: '1' }))
    const cursor = at(first.body, 'next_cursor')
    if (typeof cursor !== 'string') return skip('the list has fewer than two objects')
    trial.expectEqual(items(first).length, 1, 'the size of a page with limit=1', first)
    // After its first object the list is stable while others write.
    const large = await trial.send(withQuery(call, { limit: '100', [cursorName(trial)]: cursor }))
    const expected = names(large)
    const { walked, isWhole } = await walk(trial, call, cursor)
    const count = `the walk gave ${walked.length} objects, one page ${expected.length}`
    trial.expect(!isWhole || walked.length === expected.length, count)
    trial.expectEqual(walked.join(), expected.slice(0, walked.length).join(), 'the order of the walk')
    if (trial.operation.query.ending_before !== undefined) await checkBackwards(trial, call, expected)
  },
}

/** Creates enough objects for a walk, if the API can create them. */
async function stockUp(trial: Trial, call: Call): Promise<void> {
  const whole = items(await trial.send(withQuery(call, { limit: '100' })))
  const { lists } = trial.operation
  const missing = conformLimits.list_items_min - whole.length
  if (lists !== null && missing > 0) await trial.kit.stock.more(lists.object, missing)
}

async function walk(trial: Trial, call: Call, cursor: string): Promise<{ walked: string[]; isWhole: boolean }> {
  const walked: string[] = []
  const sizes = ['2', '1', '3', '2']
  let next: unknown = cursor
  for (let page = 0; page < conformLimits.pages_max && typeof next === 'string'; page++) {
    const limit = sizes[page % sizes.length] as string
    const reply = await trial.send(withQuery(call, { limit, [cursorName(trial)]: next }))
    trial.expectEqual(reply.status, 200, 'the status of a page', reply)
    trial.expect(items(reply).length <= Number(limit), 'a page holds more than its limit', reply)
    walked.push(...names(reply))
    next = at(reply.body, 'next_cursor')
    trial.expectEqual(typeof next === 'string', at(reply.body, 'has_more'), 'having a next_cursor', reply)
  }
  return { walked, isWhole: next === null }
}

/** The page before the third object holds the second, and has_more reports the first. */
async function checkBackwards(trial: Trial, call: Call, afterFirst: readonly string[]): Promise<void> {
  const [second, third] = afterFirst
  if (second === undefined || third === undefined) return
  const reply = await trial.send(withQuery(call, { limit: '1', ending_before: third }))
  trial.expectEqual(names(reply).join(), second, 'the page before', reply)
  trial.expectEqual(at(reply.body, 'has_more'), true, 'has_more of the page before', reply)
}

export const cursors: Rule = {
  name: 'cursors',
  promise:
    'A cursor that the server did not issue for this list and these filters is refused, whatever it is (contract/06#cursor-errors).',
  applies: isList,
  async check(trial) {
    const call = await bare(trial)
    const { paging: kind, query } = trial.operation
    const parameters = kind === 'opaque' ? ['cursor'] : ['starting_after', 'ending_before']
    for (const name of parameters.filter((each) => query[each] !== undefined)) await checkUnknown(trial, call, name)
    if (query.ending_before !== undefined) await checkBoth(trial, call)
    if (kind !== 'opaque') return
    await stockUp(trial, call)
    const page = await trial.send(withQuery(call, { limit: '1' }))
    const cursor = at(page.body, 'next_cursor')
    if (typeof cursor === 'string') await checkOpaque(trial, call, cursor)
  },
}

/** All cursors that were never issued get the same answer. */
async function checkUnknown(trial: Trial, call: Call, name: string): Promise<void> {
  const prefix = trial.operation.lists?.prefix ?? 'none'
  const never = newId(prefix, systemClock.now())
  const expected = await trial.send(withQuery(call, { [name]: never }))
  trial.expectRefused(expected, 'cursor_invalid', name)
  const wrong = ['x', '!!', '%', 'a b', 'é', 'x'.repeat(161), 'x'.repeat(1025), `${never}0`, newId('org', 1)]
  if (name === 'cursor') wrong.push(...names(await trial.send(withQuery(call, { limit: '1' }))))
  for (const cursor of wrong) {
    const reply = await trial.send(withQuery(call, { [name]: cursor }))
    trial.expectEqual(
      withoutRequestId(reply),
      withoutRequestId(expected),
      `the answer to ${name}=${cursor.slice(0, 20)}`,
    )
  }
  trial.expectRefused(await trial.send(withQuery(call, { [name]: '' })), 'cursor_invalid', name)
}

/** Two cursors are refused before anything that the request names is looked up. */
async function checkBoth(trial: Trial, call: Call): Promise<void> {
  const id = names(await trial.send(withQuery(call, { limit: '1' })))[0] ?? 'a'
  const references = Object.entries(trial.operation.query).filter(([, { refers }]) => refers !== undefined)
  const unknown = Object.fromEntries(references.map(([name, { refers }]) => [name, newId(refers?.prefix ?? '', 1)]))
  for (const query of [{}, unknown]) {
    const reply = await trial.send(withQuery(call, { ...query, starting_after: id, ending_before: id }))
    trial.expectRefused(reply, 'invalid_query_parameter', 'ending_before')
  }
}

/** An opaque cursor is bound to its bytes, its list and its filters; `limit` may change. */
async function checkOpaque(trial: Trial, call: Call, cursor: string): Promise<void> {
  const { id, query } = trial.operation
  const next = await trial.send(withQuery(call, { cursor, limit: '2' }))
  trial.expectEqual(next.status, 200, 'the status with another limit', next)
  const others = [cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor}=`]
  for (let i = 0; i < cursor.length; i += 3) {
    others.push(cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1))
  }
  for (const other of others) {
    trial.expectRefused(await trial.send(withQuery(call, { cursor: other })), 'cursor_invalid', 'cursor')
  }
  for (const name of Object.keys(query).filter((each) => !['limit', 'cursor', 'workspace'].includes(each))) {
    const value = await filterValue(trial, name)
    const reply = await trial.send(withQuery(call, { cursor, [name]: value }))
    trial.expectRefused(reply, 'cursor_filter_mismatch', 'cursor')
  }
  for (const other of trial.kit.catalogue.filter((each) => each.paging === 'opaque' && each.id !== id)) {
    const elsewhere = withQuery(await trial.kit.stock.call(other, false), { cursor })
    trial.expectRefused(await trial.sendTo('GET', urlOf(elsewhere)), 'cursor_invalid', 'cursor')
  }
}

/** A valid value for a filter. */
async function filterValue(trial: Trial, name: string): Promise<string> {
  if (name.startsWith('created_') || name.startsWith('ended_')) return '1'
  if (name === 'types') return trial.operation.id === 'search.list' ? 'task' : '*'
  if (name.startsWith('include')) return 'true'
  const word = trial.operation.query[name]?.words?.[0]
  if (word !== undefined) return word
  const { stock } = trial.kit
  const noun = trial.operation.query[name]?.refers?.object ?? (name === 'object' ? 'task' : name)
  return stock.makes(noun) ? String(at(await stock.thing(noun), 'id')) : 'anything'
}

export const fields: Rule = {
  name: 'fields',
  promise: '`fields` selects: the items have exactly those fields, and the list says so (contract/06#field-selection).',
  applies: (operation) => isList(operation) && operation.fields,
  async check(trial) {
    const call = await bare(trial)
    const all = Object.keys(trial.operation.lists?.schema.properties ?? {})
    const whole = await trial.send(withQuery(call, { limit: '100' }))
    trial.expectEqual(at(whole.body, 'fields_selected'), undefined, 'fields_selected without fields', whole)
    for (const chosen of [all, all.toReversed(), all.slice(2, 5), ...all.slice(-2).map((name) => [name])]) {
      const reply = await trial.send(withQuery(call, { limit: '100', fields: chosen.join() }))
      trial.expectEqual(at(reply.body, 'fields_selected'), true, 'fields_selected', reply)
      const expected = items(whole).map((item) => Object.fromEntries(chosen.map((name) => [name, at(item, name)])))
      trial.expect(isDeepStrictEqual(items(reply), expected), `other items with fields=${chosen}`, reply)
      trial.expectEqual(at(reply.body, 'next_cursor'), at(whole.body, 'next_cursor'), 'next_cursor', reply)
    }
    for (const wrong of wrong_fields) {
      const reply = await trial.send(withQuery(call, { fields: wrong }))
      trial.expectRefused(reply, 'invalid_query_parameter', 'fields')
    }
  },
}

const wrong_fields = [
  ...['nope', 'id,nope', 'id,id', '', ',', 'id,', ' id', 'Id', 'constructor', '__proto__', 'toString', 'id.x', '*'],
  Array.from({ length: 51 }, (_, i) => `f${i}`).join(),
]
