/** The checker against hand-made histories: it finds each anomaly and nothing else. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Dice } from '../dice.ts'
import { check } from './checker.ts'
import type { Fields, Operation, Read, Write } from './history.ts'

type Made = Partial<Operation> & { readonly at: readonly [began: number, ended: number] }

function operation(name: string, { at: [began, ended], reads = [], writes = [], ...more }: Made): Operation {
  return { name, began, ended, reads, writes, ...more }
}

function wrote(key: string, version: number, sets: Fields, fields: Fields = sets, more: Partial<Write> = {}): Write {
  return { key, version, sets, fields, ...more }
}

function saw(key: string, version: number, fields: Fields | null = null): Read {
  return { key, version, fields }
}

const kinds = (...operations: Operation[]) => check(operations).map(({ kind }) => kind)

const create = operation('create', {
  at: [1, 2],
  writes: [wrote('x', 1, { title: 'a' }, { title: 'a' }), wrote('y', 1, { title: 'b' }, { title: 'b' })],
})

describe('the checker of histories', () => {
  it('accepts sequential operations', () => {
    const change = operation('change', { at: [3, 4], writes: [wrote('x', 2, { title: 'c' }, { title: 'c' })] })
    const read = operation('read', { at: [5, 6], reads: [saw('x', 2, { title: 'c' }), saw('y', 1, { title: 'b' })] })
    assert.deepEqual(kinds(create, change, read), [])
  })

  it('lets a read see a concurrent write or not', () => {
    const change = operation('change', { at: [3, 10], writes: [wrote('x', 2, { title: 'c' })] })
    const early = operation('early', { at: [4, 5], reads: [saw('x', 2, { title: 'c' })] })
    assert.deepEqual(kinds(create, change, early), [])
    const late = operation('late', { at: [4, 11], reads: [saw('x', 1, { title: 'a' })] })
    assert.deepEqual(kinds(create, change, early, late), [])
  })

  it('finds a lost update: two writes made the same version', () => {
    const one = operation('one', { at: [3, 6], writes: [wrote('x', 2, { title: 'c' })] })
    const other = operation('other', { at: [4, 5], writes: [wrote('x', 2, { title: 'd' })] })
    assert.deepEqual(kinds(create, one, other), ['lost update'])
  })

  it('finds a lost update: a conditional write followed another version than it expected', () => {
    const one = operation('one', { at: [3, 4], writes: [wrote('x', 2, { title: 'c' })] })
    const other = operation('other', {
      at: [5, 6],
      writes: [wrote('x', 3, { title: 'd' }, { title: 'd' }, { expects: 1 })],
    })
    assert.deepEqual(kinds(create, one, other), ['lost update'])
  })

  it("finds a lost update: a write reset another write's field", () => {
    const one = operation('one', { at: [3, 4], writes: [wrote('x', 2, { one: '1' }, { title: 'a', one: '1' })] })
    const other = operation('other', { at: [5, 6], writes: [wrote('x', 3, { two: '2' }, { title: 'a', two: '2' })] })
    assert.deepEqual(kinds(create, one, other), ['lost update'])
  })

  it('finds a version that no write made', () => {
    const change = operation('change', { at: [3, 4], writes: [wrote('x', 3, { title: 'c' })] })
    assert.deepEqual(kinds(create, change), ['phantom'])
  })

  it('finds a dirty read of a refused write', () => {
    const refused = operation('refused', { at: [3, 9], refused: ['d'] })
    const read = operation('read', { at: [4, 5], reads: [saw('x', 1, { title: 'd' })] })
    assert.deepEqual(kinds(create, refused, read), ['dirty read', 'torn read'])
  })

  it('finds a dirty read of a version that was never committed', () => {
    const read = operation('read', { at: [4, 5], reads: [saw('x', 2, { title: 'd' })] })
    assert.deepEqual(kinds(create, read), ['dirty read'])
  })

  it('finds a torn read: fields of different versions', () => {
    const read = operation('read', { at: [4, 5], reads: [saw('x', 1, { title: 'b' })] })
    assert.deepEqual(kinds(create, read), ['torn read'])
    const guessed = operation('copy', { at: [4, 5], reads: [{ key: 'x', version: null, fields: { title: 'b' } }] })
    assert.deepEqual(kinds(create, guessed), ['torn read'])
  })

  it('finds a read that goes back in time (G-real-time)', () => {
    const change = operation('change', { at: [3, 20], writes: [wrote('x', 2, { title: 'c' })] })
    const fresh = operation('fresh', { at: [4, 5], reads: [saw('x', 2, { title: 'c' })] })
    const stale = operation('stale', { at: [6, 7], reads: [saw('x', 1, { title: 'a' })] })
    assert.deepEqual(kinds(create, change, fresh, stale), ['G-real-time'])
  })

  it('finds a read of half of a write (G-single)', () => {
    const both = operation('both', {
      at: [3, 20],
      writes: [wrote('x', 2, { title: 'c' }), wrote('y', 2, { title: 'd' })],
    })
    const half = operation('half', { at: [4, 5], reads: [saw('x', 2, { title: 'c' }), saw('y', 1, { title: 'b' })] })
    assert.deepEqual(kinds(create, both, half), ['G-single'])
  })

  it('finds a list that shows half of what was created together', () => {
    const made = { writes: [wrote('p', 1, { title: 'p' }), wrote('q', 1, { title: 'q' })] }
    const writes = made.writes.map((write) => ({ ...write, within: 'list' }))
    const both = operation('both', { at: [1, 20], writes })
    const half = operation('half', { at: [4, 5], reads: [saw('p', 1, { title: 'p' })], views: 'list' })
    assert.deepEqual(kinds(both, half), ['G-single'])
    const other = operation('other', { at: [4, 5], reads: [saw('p', 1, { title: 'p' })], views: 'another list' })
    assert.deepEqual(kinds(both, other), [])
  })

  it('finds two writes that each read what the other overwrote (G2)', () => {
    const one = operation('one', { at: [3, 20], reads: [saw('y', 1)], writes: [wrote('x', 2, { title: 'c' })] })
    const other = operation('other', { at: [4, 19], reads: [saw('x', 1)], writes: [wrote('y', 2, { title: 'd' })] })
    assert.deepEqual(kinds(create, one, other), ['G2'])
  })

  it('finds two writes that each read the other (G1c)', () => {
    const one = operation('one', { at: [3, 20], reads: [saw('y', 2)], writes: [wrote('x', 2, { title: 'c' })] })
    const other = operation('other', { at: [4, 19], reads: [saw('x', 2)], writes: [wrote('y', 2, { title: 'd' })] })
    assert.deepEqual(kinds(create, one, other), ['G1c'])
  })

  it('finds two writes that overwrote each other (G0)', () => {
    const both = (name: string, x: number, y: number) =>
      operation(name, { at: [3, 20], writes: [wrote('x', x, { title: name }), wrote('y', y, { title: name })] })
    assert.deepEqual(kinds(create, both('one', 2, 3), both('other', 3, 2)), ['G0'])
  })

  it('treats a possible no-op as a read if another write made the version', () => {
    const there = { title: 'a', place: 'p' }
    const move = (at: readonly [number, number]) =>
      operation('move', { at, writes: [wrote('x', 2, { place: 'p' }, there, { mayBeNoop: true })] })
    assert.deepEqual(kinds(create, move([3, 4]), move([5, 6])), [])
  })

  it('accepts histories of a serial store with overlapping requests', () => {
    for (let seed = 0; seed < 200; seed++) assert.deepEqual(check(serial(new Dice(seed), false)), [], `seed ${seed}`)
  })

  it('rejects nearly every history of a store whose lists read objects one by one', () => {
    let noticed = 0
    for (let seed = 0; seed < 100; seed++) if (check(serial(new Dice(seed), true)).length > 0) noticed++
    assert.ok(noticed > 90, `${noticed} of 100`)
  })
})

/** A store of six objects. Each operation takes effect at one moment between its beginning and its end. */
function serial(dice: Dice, isTorn: boolean): Operation[] {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f']
  const history: Operation[] = [
    operation('create', { at: [-2, -1], writes: keys.map((key) => wrote(key, 1, { title: key })) }),
  ]
  const past: Map<string, Write>[] = [new Map(history[0]?.writes.map((write) => [write.key, write]))]
  for (let moment = 0; moment < 300; moment++) {
    const state = new Map(past.at(-1))
    const at = [moment - dice.unit() * 8, moment + dice.unit() * 8] as const
    const chosen = dice.shuffle(keys).slice(0, dice.int(1, 3))
    if (dice.chance(0.5)) {
      const writes = chosen.map((key) => {
        const before = state.get(key) as Write
        const sets = { [`field${dice.int(0, 2)}`]: `${moment}` }
        return wrote(key, before.version + 1, sets, { ...before.fields, ...sets })
      })
      for (const write of writes) state.set(write.key, write)
      history.push(operation(`write ${moment}`, { at, writes }))
    } else {
      const reads = keys.map((key) => {
        // Torn: some of a list's objects are from an earlier moment.
        const seen = isTorn && dice.chance(0.3) ? (past.at(-1 - dice.int(0, 3)) ?? state) : state
        const { version, fields } = seen.get(key) as Write
        return saw(key, version, fields)
      })
      history.push(operation(`read ${moment}`, { at, reads }))
    }
    past.push(state)
  }
  return dice.shuffle(history)
}
