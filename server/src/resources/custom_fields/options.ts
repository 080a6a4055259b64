/** The options of selects. Invariant: within a field each id and each name is there once; names ignore case. */
import { hash } from 'node:crypto'
import { refuse } from '../../api/declare/errors.ts'
import type { FieldOption, FieldType, SentOptions } from './custom_field.ts'

const digest_chars = 16

/** The field that gets options, and the time of the write in milliseconds. */
interface Place {
  readonly workspace: string
  readonly key: string
  readonly type: FieldType
  readonly now: number
}

/** The options to store. An option without an id keeps the id of the `current` one with its name, or gets a new one. */
export function readOptions(place: Place, sent: SentOptions, current: readonly FieldOption[]): readonly FieldOption[] {
  const { type } = place
  if (sent.length > 0 && type !== 'select' && type !== 'multi_select') {
    const message = `A field of type ${type} has no options. Only select and multi_select have options.`
    throw refuse('invalid_request_body', { param: 'options', message })
  }
  refuseRepeats(sent)
  const taken = new Set(sent.map(({ id }) => id))
  return sent.map(({ id, name, color = null }) => {
    if (id !== undefined) return { id, name, color }
    const known = current.find((option) => folded(option.name) === folded(name) && !taken.has(option.id))
    return { id: known?.id ?? newOptionId(place, name), name, color }
  })
}

/** Not drawn at random, so that a dry run predicts it; the time keeps a removed option's id from coming back. */
function newOptionId({ workspace, key, now }: Place, name: string): string {
  return `opt_${hash('sha256', JSON.stringify([workspace, key, now, folded(name)])).slice(0, digest_chars)}`
}

function refuseRepeats(sent: SentOptions): void {
  for (const [i, option] of sent.entries()) {
    const earlier = sent.slice(0, i)
    if (folded(option.name) === '') refuseOption(i, 'name', option.name, 'is blank. Give the option a name.')
    if (option.id !== undefined && earlier.some(({ id }) => id === option.id))
      refuseOption(i, 'id', option.id, 'repeats an option. Send each id once.')
    if (earlier.some(({ name }) => folded(name) === folded(option.name)))
      refuseOption(i, 'name', option.name, 'repeats the name of an option. Send each name once.')
  }
}

function refuseOption(i: number, name: string, value: string, fault: string): never {
  const param = `options[${i}].${name}`
  throw refuse('invalid_request_body', { param, message: `${param} "${value}" ${fault}` })
}

function folded(name: string): string {
  return name.trim().normalize('NFC').toLowerCase()
}
