import Type from 'typebox'
import { addTaskTemplate, deleteTaskTemplate, setTaskTemplate } from '../../resources/task_templates/write.ts'
import { contributionOf } from '../contribution.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'

/** What a field may hold, the functions say that the command line uses too. */
const Words = Type.String()
const mode = Type.Optional(ModeText)
const Defaults = Type.Record(Type.String(), Type.Unknown())
const optional = {
  description: Type.Optional(Type.Union([Words, Type.Null()])),
  overridable: Type.Optional(Type.Array(Words)),
}

/** Adds a template, in the person's name. */
export const createTemplate = endpoint('POST task-templates', {
  needs: 'session',
  body: body({
    mode,
    workspace: Words,
    project: Type.Optional(Type.Union([Words, Type.Null()])),
    name: Words,
    defaults: Defaults,
    ...optional,
  }),
  async handle(context) {
    const { place, author, fields } = contributionOf(context)
    return await addTaskTemplate(context.services, { ...place, ...fields, author })
  },
})

export const updateTemplate = endpoint('PATCH task-templates/{id}', {
  needs: 'session',
  body: body({ mode, name: Type.Optional(Words), defaults: Type.Optional(Defaults), ...optional }),
  async handle(context) {
    const { place, author, id, fields } = contributionOf(context)
    return await setTaskTemplate(context.services, place, id, fields, author)
  },
})

export const deleteTemplate = endpoint('DELETE task-templates/{id}', {
  needs: 'session',
  body: body({ mode }),
  async handle(context) {
    const { place, author, id } = contributionOf(context)
    await deleteTaskTemplate(context.services, place, id, author)
    return { id, object: 'task_template', deleted: true }
  },
})
