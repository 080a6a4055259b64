import Type from 'typebox'
import { addSavedFilter, deleteSavedFilter, setSavedFilter } from '../../resources/saved_filters/write.ts'
import { readContribution } from '../contribution.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'

/** The write functions, shared with the command line, check the text. */
const Text = Type.String()
const mode = Type.Optional(ModeText)
const optional = {
  description: Type.Optional(Type.Union([Text, Type.Null()])),
  sort: Type.Optional(Type.Union([Text, Type.Null()])),
}

/** Creates a saved filter. The signed-in user becomes its author. */
export const createFilter = endpoint('POST saved-filters', {
  needs: 'session',
  body: body({
    mode,
    workspace: Text,
    project: Type.Optional(Type.Union([Text, Type.Null()])),
    name: Text,
    filter: Text,
    ...optional,
  }),
  async handle(context) {
    const { dataSet, author, fields } = readContribution(context)
    return await addSavedFilter(context.services, { ...dataSet, ...fields, author })
  },
})

export const updateFilter = endpoint('PATCH saved-filters/{id}', {
  needs: 'session',
  body: body({ mode, name: Type.Optional(Text), filter: Type.Optional(Text), ...optional }),
  async handle(context) {
    const { dataSet, author, id, fields } = readContribution(context)
    return await setSavedFilter(context.services, dataSet, id, fields, author)
  },
})

export const deleteFilter = endpoint('DELETE saved-filters/{id}', {
  needs: 'session',
  body: body({ mode }),
  async handle(context) {
    const { dataSet, author, id } = readContribution(context)
    await deleteSavedFilter(context.services, dataSet, id, author)
    return { id, object: 'saved_filter', deleted: true }
  },
})
