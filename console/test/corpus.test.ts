/** The corpus of hostile texts reaches each text that people write: a new field of the API or the console is noticed here. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { begun, elsewhere, same, shown, unread, untried, written_by_programs } from './corpus/places.ts'
import { type Field, fields } from './corpus/samples.ts'
import { takenTexts } from './corpus/taken.ts'

const known = new Set<string>([...Object.keys(fields), ...Object.keys(same), ...Object.keys(untried)])

describe('the corpus of hostile texts', () => {
  it('is tried in every field that takes text as people write it', () => {
    const missing = takenTexts().filter((name) => !known.has(name) && !written_by_programs.test(name))
    const advice = 'Add it to `fields` of corpus/samples.ts, to `populateCorpus`, and to the place where it is read.'
    assert.deepEqual(missing, [], advice)
  })

  it('names no field that nothing takes any longer', () => {
    const taken = new Set(takenTexts())
    const named = [...Object.keys(same), ...Object.keys(untried)]
    assert.deepEqual(
      named.filter((name) => !taken.has(name)),
      [],
    )
  })

  it('says of each text where it is read', () => {
    const places = [...Object.values(shown), ...Object.values(begun), unread, Object.keys(elsewhere) as Field[]]
    const read = new Set(places.flat())
    assert.deepEqual(
      Object.keys(fields).filter((field) => !read.has(field as Field)),
      [],
    )
  })
})
