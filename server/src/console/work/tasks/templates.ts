import Type from 'typebox'
import { addTaskTemplate, deleteTaskTemplate, setTaskTemplate } from '../../../resources/task_templates/write.ts'
import { readContribution } from '../../contribution.ts'
import { endpoint } from '../../endpoint.ts'
import { body, ModeText } from '../../fields.ts'

/** The write functions, shared with the command line, check the text. */
const Text = Type.String()
const mode = Type.Optional(ModeText)
const Defaults = Type.Record(Type.String(), Type.Unknown())
const optional = {
  description: Type.Optional(Type.Union([Text, Type.Null()])),
  overridable: Type.Optional(Type.Array(Text)),
}

/** Creates a task template. The signed-in user becomes its author. */
export const createTemplate = endpoint('POST task-templates', {
  needs: 'session',
  body: body({
    mode,
    workspace: Text,
    project: Type.Optional(Type.Union([Text, Type.Null()])),
    name: Text,
    defaults: Defaults,
    ...optional,
  }),
  async handle(context) {
    const { dataSet, author, fields } = readContribution(context)
    return await addTaskTemplate(context.services, { ...dataSet, ...fields, author })
  },
})

export const updateTemplate = endpoint('PATCH task-templates/{id}', {
  needs: 'session',
  body: body({ mode, name: Type.Optional(Text), defaults: Type.Optional(Defaults), ...optional }),
  async handle(context) {
    const { dataSet, author, id, fields } = readContribution(context)
    return await setTaskTemplate(context.services, dataSet, id, fields, author)
  },
})

export const deleteTemplate = endpoint('DELETE task-templates/{id}', {
  needs: 'session',
  body: body({ mode }),
  async handle(context) {
    const { dataSet, author, id } = readContribution(context)
    await deleteTaskTemplate(context.services, dataSet, id, author)
    return { id, object: 'task_template', deleted: true }
  },
})
