/** The events as types: one per event type, discriminated by `type`. */

import { pascal } from '../../openapi/json.ts'
import { hidden_object } from '../../openapi/webhooks.ts'
import { referred, type Schema } from '../model/document.ts'
import { envelopeOf, patternsOf } from '../model/events.ts'
import { type Model, schemaOf } from '../model/model.ts'
import { docstring, quoted } from './text.ts'
import { any_event, type Types } from './types.ts'

/** Declares the parts that events use; what it returns comes after all declarations. */
export function eventTypes(model: Model, types: Types): string {
  const { events } = model
  const envelope = envelopeOf(model.event === null ? {} : schemaOf(model, model.event))
  const hidden = events.length === 0 ? '' : ` | ${types.use(hidden_object)}`
  const changes = new Map<string, string>()
  const classes = events.map(({ type, object, changes: hasChanges }) => {
    const name = classOf(type)
    const about = types.text(object, 'answered', `${name}Object`)
    const earlier = hasChanges ? `${changesOf(object, about, model, types, changes)} | None` : 'None'
    return `class ${name}(EventEnvelope):\n    type: Literal[${quoted(type)}]\n    data: EventData[${about}, ${earlier}]\n`
  })
  const names = events.map(({ type }) => quoted(type))
  return [
    `Object = TypeVar("Object")\nChanges = TypeVar("Changes")\n`,
    `class EventData(TypedDict, Generic[Object, Changes]):\n    object: Object${hidden}
    """
    The object as GET showed it after the commit; of a deleted one, its last state. Only id and kind if the credential
    or the endpoint may not read it: test for a field first, \`"title" in event["data"]["object"]\`.
    """
    previous_attributes: Changes
    """Earlier values of the changed fields."""\n`,
    types.typedDict('EventEnvelope', { ...envelope, description: 'The fields of every event.' }, 'answered'),
    ...changes.values(),
    ...classes,
    `${any_event}: TypeAlias = ${quoted(events.map(({ type }) => classOf(type)).join(' | ') || 'EventEnvelope')}\n${docstring('Any event. `if event["type"] == …` narrows it. New types may be added: have an `else`.', '')}`,
    `EventType: TypeAlias = Literal[${names.join(', ') || '""'}]\n`,
    `EventPattern: TypeAlias = Literal[${[...names, ...patternsOf(events).map(quoted)].join(', ')}]\n${docstring('A subscription: one type, all types of an object or an area, or all types.', '')}`,
  ].join('\n\n')
}

/** The object's fields, none of which is required. */
function changesOf(object: Schema, about: string, model: Model, types: Types, declared: Map<string, string>): string {
  const component = referred(object)
  if (component === null) return 'dict[str, Any]'
  const name = `${about}Changes`
  if (!declared.has(name))
    declared.set(name, types.typedDict(name, schemaOf(model, component), 'answered', false, about))
  return name
}

function classOf(type: string): string {
  return `${type.split('.').slice(1).map(pascal).join('')}Event`
}

/** The names that this file declares beside the objects. */
export function eventNames({ events }: Model): string[] {
  return [any_event, 'EventEnvelope', 'EventType', 'EventPattern', ...events.map(({ type }) => classOf(type))]
}
