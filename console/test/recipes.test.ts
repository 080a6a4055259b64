/** Recipes of the gallery: what they install is valid, needs no change, and keeps what people answer. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { validateGraph } from '../../server/src/automations/validate.ts'
import { known as few } from '../../server/test/automations/known.ts'
import {
  type Answers,
  initialAnswers,
  isAnswered,
  quoted,
  type Recipe,
} from '../src/pages/automations/gallery/recipe.ts'
import { recipes } from '../src/pages/automations/gallery/recipes.ts'

const known = { ...few, event_types: new Map([...few.event_types, ['workflow.task.reopened', 'tasks:read'] as const]) }

const hostile = `it's a "label" \\ {{ task.title }} 'or' \n`

function answered(recipe: Recipe, text: string): Answers {
  const others: Readonly<Record<string, string>> = { person: 'usr_1', chat: 'team_chat' }
  const texts = recipe.questions
    .filter(({ kind }) => kind === 'text' || kind === 'label')
    .map(({ id, initial }) => [id, text === '' ? initial : text] as const)
  return { ...initialAnswers(recipe), ...others, ...Object.fromEntries(texts) }
}

describe('recipes', () => {
  it('are at least twenty, each with an id of its own', () => {
    assert.ok(recipes.length >= 20)
    assert.equal(new Set(recipes.map(({ id }) => id)).size, recipes.length)
  })

  for (const recipe of recipes) {
    it(`${recipe.id} is a valid graph with its first answers, and with texts that look like code`, () => {
      for (const text of ['', hostile]) {
        const answers = answered(recipe, text)
        assert.ok(isAnswered(recipe, answers))
        assert.deepEqual(validateGraph(recipe.graph(answers), known).faults, [])
      }
    })
  }

  it('ask again for what is missing or wrong', () => {
    const byId = (id: string) => recipes.find((recipe) => recipe.id === id) ?? assert.fail(id)
    assert.equal(isAnswered(byId('default_assignee'), { person: '', project: '' }), false)
    assert.equal(isAnswered(byId('default_assignee'), { person: 'usr_1', project: '' }), true)
    for (const days of ['0', '-1', '1.5', '', 'x']) {
      assert.equal(isAnswered(byId('due_by_priority'), { days, project: '' }), false)
    }
    assert.equal(isAnswered(byId('post_to_chat'), { chat: ' ', project: '' }), false)
  })

  it('write texts as literals of an expression', () => {
    assert.equal(quoted(`a'b\\c`), `'a\\'b\\\\c'`)
  })
})
