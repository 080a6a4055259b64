/** Lists: paging of both kinds, cursors, field selection (contract §2.6, §4.1, decisions §6). */
import type { Call } from '../calls.ts'
import { at, items, type Reply } from '../client.ts'
import { conformLimits } from '../conform-limits.ts'
import { isList, type Rule } from '../rule.ts'
import { skip, type Trial } from '../trial.ts'

/** The list with only the filters that it cannot be asked without, and its workspace. */
async function bare(trial: Trial): Promise<Call> {
  const call = await trial.call()
  const names = Object.entries(trial.operation.query).filter(([name, { required }]) => required || name === 'workspace')
  const given: [string, string][] = []
  for (const [name] of names) {
    given.push([name, call.query[name] ?? String(at(await trial.kit.stock.thing(name), 'id'))])
  }
  return { ...call, query: Object.fromEntries(given) }
}

const asked = (call: Call, query: Readonly<Record<string, string>>): Call => ({
  ...call,
  query: { ...call.query, ...query },
})

/** Items apart, whatever they are called. */
const names = (reply: Reply): string[] => items(reply).map((item) => String(at(item, 'id') ?? JSON.stringify(item)))

export const paging: Rule = {
  name: 'paging',
  promise: 'Walking a list by its cursors gives every object once, in the order of one large page (decisions §6).',
  applies: isList,
  async check(trial) {
    const call = await bare(trial)
    await checkLimits(trial, call)
    await stockUp(trial, call)
    const first = await trial.send(asked(call, { limit: '1' }))
    const cursor = at(first.body, 'next_cursor')
    if (cursor === null || cursor === undefined) skip('the list has fewer than two objects')
    const forward = trial.operation.paging === 'opaque' ? 'cursor' : 'starting_after'
    // Behind the first object the list stands still while others write.
    const large = await trial.send(asked(call, { limit: '100', [forward]: String(cursor) }))
    const walked: string[] = []
    const sizes = ['2', '1', '3', '2']
    let next: unknown = cursor
    for (let page = 0; page < conformLimits.pages_max && typeof next === 'string'; page++) {
      const reply = await trial.send(asked(call, { limit: sizes[page % sizes.length] as string, [forward]: next }))
      trial.expectEqual(reply.status, 200, 'the status of a page', reply)
      trial.expect(items(reply).length <= Number(sizes[page % sizes.length]), 'a page holds more than its limit', reply)
      walked.push(...names(reply))
      next = at(reply.body, 'next_cursor')
      trial.expectEqual(typeof next === 'string', at(reply.body, 'has_more'), 'having a next_cursor', reply)
    }
    const expected = names(large)
    const isWhole = next === null
    trial.expect(
      !isWhole || walked.length === expected.length,
      `the walk gave ${walked.length} objects, one page ${expected.length}`,
    )
    trial.expectEqual(walked.join(), expected.slice(0, walked.length).join(), 'the order of the walk')
    if (trial.operation.query.ending_before !== undefined) await checkBackwards(trial, call, expected)
  },
}

/** Makes enough objects for walking, where the API can make them. */
async function stockUp(trial: Trial, call: Call): Promise<void> {
  const whole = items(await trial.send(asked(call, { limit: '100' })))
  const { lists } = trial.operation
  const lacking = conformLimits.list_items_min - whole.length
  if (lists !== null && lacking > 0) await trial.kit.stock.more(lists.object, lacking)
}

async function checkLimits(trial: Trial, call: Call): Promise<void> {
  for (const limit of ['0', '101', 'x', '']) {
    trial.expectRefused(await trial.send(asked(call, { limit })), 'invalid_query_parameter', 'limit')
  }
}

/** The page before the third object holds the second, and the list begins before it. */
async function checkBackwards(trial: Trial, call: Call, behind: readonly string[]): Promise<void> {
  const [second, third] = behind
  if (second === undefined || third === undefined) return
  const reply = await trial.send(asked(call, { limit: '1', ending_before: third }))
  trial.expectEqual(names(reply).join(), second, 'the page before', reply)
  trial.expectEqual(at(reply.body, 'has_more'), true, 'has_more of the page before', reply)
}

export const cursors: Rule = {
  name: 'cursors',
  promise: 'A cursor that is none, or belongs to another list or other filters, is refused (decisions §6).',
  applies: isList,
  async check(trial) {
    const call = await bare(trial)
    const { paging: kind, query } = trial.operation
    const name = kind === 'opaque' ? 'cursor' : 'starting_after'
    for (const wrong of ['none_01J00000000000000000000000', 'x']) {
      trial.expectRefused(await trial.send(asked(call, { [name]: wrong })), 'cursor_invalid', name)
    }
    if (query.ending_before !== undefined) {
      const both = await trial.send(asked(call, { starting_after: 'a', ending_before: 'b' }))
      trial.expectRefused(both, 'invalid_query_parameter')
      trial.expectRefused(await trial.send(asked(call, { ending_before: 'x' })), 'cursor_invalid', 'ending_before')
    }
    if (kind === 'opaque') await checkBinding(trial, call)
  },
}

/** Another filter or another list than the cursor was given for. */
async function checkBinding(trial: Trial, call: Call): Promise<void> {
  await stockUp(trial, call)
  const cursor = at((await trial.send(asked(call, { limit: '1' }))).body, 'next_cursor')
  if (typeof cursor !== 'string') return
  const { id, query } = trial.operation
  const filter = Object.keys(query).find((name) => ['action', 'actor', 'include_archived'].includes(name))
  if (filter !== undefined) {
    const value = filter === 'include_archived' ? 'true' : 'nobody'
    trial.expectRefused(await trial.send(asked(call, { cursor, [filter]: value })), 'cursor_filter_mismatch', 'cursor')
  }
  const other = trial.kit.catalogue.find((each) => each.paging === 'opaque' && each.id !== id && each.parent === null)
  if (other === undefined) return
  const reply = await trial.sendTo('GET', `${other.path}?cursor=${encodeURIComponent(cursor)}`)
  trial.expectRefused(reply, 'cursor_invalid', 'cursor')
}

export const fields: Rule = {
  name: 'fields',
  promise: '`fields` selects: the items have exactly those, and the list says so (contract §2.6, decisions §6).',
  applies: (operation) => isList(operation) && operation.fields,
  async check(trial) {
    const call = await bare(trial)
    const all = Object.keys(trial.operation.lists?.schema.properties ?? {})
    const chosen = [all[0], all.at(-1)].filter((name) => name !== undefined)
    const reply = await trial.send(asked(call, { fields: chosen.join(',') }))
    trial.expectEqual(at(reply.body, 'fields_selected'), true, 'fields_selected', reply)
    for (const item of items(reply))
      trial.expectEqual(
        Object.keys(item as object)
          .sort()
          .join(),
        [...chosen].sort().join(),
        'the fields',
      )
    const whole = await trial.send(call)
    trial.expectEqual(at(whole.body, 'fields_selected'), undefined, 'fields_selected without fields', whole)
    trial.expectRefused(await trial.send(asked(call, { fields: 'no_such_field' })), 'invalid_query_parameter', 'fields')
  },
}
