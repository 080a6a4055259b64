/**
 * Notes on the canvas of a flow. They stand beside the graph, so its hash, its versions and its runs do not know them (contract/16#notes).
 */
import Type, { type Static } from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { described, OneOf } from '../../api/declare/shapes.ts'
import { automation_limits } from '../../automations/limits.ts'

const {
  automation_note_chars_max: chars_max,
  automation_notes_max: notes_max,
  automation_notes_bytes_max: bytes_max,
  automation_note_place_max: place_max,
  automation_note_size_min: size_min,
  automation_note_size_max: size_max,
} = automation_limits

const Position = Type.Number({ minimum: -place_max, maximum: place_max })
const Size = Type.Number({ minimum: size_min, maximum: size_max })

const Note = Type.Object(
  {
    id: described(Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }), 'Id of the note within the flow.'),
    text: described(Type.String({ maxLength: chars_max }), 'What the note says, as plain text without markup.'),
    x: described(Position, 'Left edge in pixels, as of nodes.'),
    y: described(Position, 'Upper edge in pixels, as of nodes.'),
    width: described(Size, 'Width in pixels.'),
    height: described(Size, 'Height in pixels.'),
    color: described(OneOf('yellow', 'green', 'blue', 'red', 'gray'), 'Color of the paper.'),
  },
  { additionalProperties: false },
)

export const Notes = Type.Array(Note, { maxItems: notes_max })

export type Notes = Static<typeof Notes>

/** The notes as they are stored. Refuses two with one id, and more than events of a flow may hold. */
export function noteText(notes: Notes): string {
  const twice = notes.findIndex(({ id }, i) => notes.findIndex((other) => other.id === id) !== i)
  if (twice !== -1) throw faulty(`notes[${twice}].id`, `"${notes[twice]?.id}" is the id of another note, too`)
  const text = JSON.stringify(notes)
  const bytes = Buffer.byteLength(text)
  if (bytes > bytes_max) throw faulty('notes', `has ${bytes} bytes as JSON. The limit is ${bytes_max}`)
  return text
}

function faulty(param: string, what: string): Error {
  return refuse('invalid_request_body', { param, message: `${param} ${what}.` })
}
