/** What completion offers to a formula is what the validation accepts there. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { callable } from './expressions/syntax.ts'
import { compileExpression } from './expressions.ts'
import { formula_functions } from './formula-functions.ts'
import { formulaNames } from './formula-names.ts'
import { type SketchNode, sketchOf } from './sketch.ts'
import { availableNames, fieldsAt, misuse, namesOf } from './validate/expressions.ts'

const sketch = sketchOf({
  nodes: [
    { id: 'begin', type: 'trigger.event', config: { event_types: ['workflow.task.completed'] } },
    { id: 'ask', type: 'ai.step', config: { operation: 'generate', prompt: 'Sum up' } },
    { id: 'each', type: 'for_each', config: { items: { $expr: 'task.labels' } } },
    { id: 'inside', type: 'task.create', parent: 'each', config: {} },
    { id: 'after', type: 'condition', config: { expr: 'true' } },
    { id: 'last', type: 'stop', config: {} },
  ],
  edges: [
    { source: 'begin', target: 'ask' },
    { source: 'ask', target: 'each' },
    { source: 'each', target: 'after' },
    { source: 'after', target: 'last' },
  ],
})
const node = (id: string) => sketch.byId.get(id) as SketchNode
const offered = (id: string, setting = '') => formulaNames(sketch, node(id), setting)
const namesAt = (id: string, setting = '') => offered(id, setting).map(({ name }) => name)

describe('what completion offers', () => {
  it('are steps that come before, and the fields of the object that the trigger watches', () => {
    const names = new Set(namesAt('after'))
    assert.deepEqual(
      ['steps.ask.output.text', 'steps.each.output.count', 'event.data.object.title', 'before.status', 'run.id'].filter(
        (name) => !names.has(name),
      ),
      [],
    )
    assert.deepEqual(
      ['steps.last.status', 'steps.after.status', 'steps.inside.status', 'item', 'request'].filter((name) =>
        names.has(name),
      ),
      [],
    )
  })

  it('are the item of a loop in its body only, and no step in a trigger', () => {
    assert.ok(namesAt('inside').includes('item'))
    assert.deepEqual(
      namesAt('begin').filter((name) => /^(?:steps|run|item)\b/.test(name)),
      [],
    )
  })

  it('is accepted by the validation at the same node', () => {
    const names = namesOf(sketch)
    for (const { id } of sketch.nodes) {
      for (const name of namesAt(id)) {
        const compiled = compileExpression(name, names, fieldsAt(sketch, names, node(id), ''))
        assert.ok(compiled.ok, `${id}: ${name} ${compiled.ok ? '' : compiled.fault.message}`)
        const all = ['string', 'int', 'double', 'bool', 'null', 'list', 'map'] as const
        assert.equal(
          misuse(compiled.expression, all, availableNames(sketch, node(id), '')),
          undefined,
          `${id}: ${name}`,
        )
      }
    }
  })

  it('are exactly the functions that expressions accept', () => {
    for (const kind of ['function', 'method'] as const) {
      assert.deepEqual(
        formula_functions
          .filter((each) => each.kind === kind)
          .map(({ name }) => name)
          .toSorted(),
        callable[kind].toSorted(),
      )
    }
  })
})
