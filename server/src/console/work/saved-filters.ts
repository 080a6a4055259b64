import Type from 'typebox'
import { addSavedFilter, deleteSavedFilter, setSavedFilter } from '../../resources/saved_filters/write.ts'
import { contributionOf } from '../contribution.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'

/** What a field may hold, the functions say that the command line uses too. */
const Words = Type.String()
const mode = Type.Optional(ModeText)
const optional = {
  description: Type.Optional(Type.Union([Words, Type.Null()])),
  sort: Type.Optional(Type.Union([Words, Type.Null()])),
}

/** Adds a filter that the team sees, in the person's name. */
export const createFilter = endpoint('POST saved-filters', {
  needs: 'session',
  body: body({
    mode,
    workspace: Words,
    project: Type.Optional(Type.Union([Words, Type.Null()])),
    name: Words,
    filter: Words,
    ...optional,
  }),
  async handle(context) {
    const { place, author, fields } = contributionOf(context)
    return await addSavedFilter(context.services, { ...place, ...fields, author })
  },
})

export const updateFilter = endpoint('PATCH saved-filters/{id}', {
  needs: 'session',
  body: body({ mode, name: Type.Optional(Words), filter: Type.Optional(Words), ...optional }),
  async handle(context) {
    const { place, author, id, fields } = contributionOf(context)
    return await setSavedFilter(context.services, place, id, fields, author)
  },
})

export const deleteFilter = endpoint('DELETE saved-filters/{id}', {
  needs: 'session',
  body: body({ mode }),
  async handle(context) {
    const { place, author, id } = contributionOf(context)
    await deleteSavedFilter(context.services, place, id, author)
    return { id, object: 'saved_filter', deleted: true }
  },
})
