import Type from 'typebox'
import { addSavedFilter, deleteSavedFilter, setSavedFilter } from '../../resources/saved_filters/write.ts'
import { authorOf } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'
import { placeOfSession } from '../sessions/session.ts'

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
    const { services, session, body: sent } = context
    const { mode: named, ...fields } = sent
    const author = authorOf(context, session.user)
    return await addSavedFilter(services, { ...placeOfSession(session, named), ...fields, author })
  },
})

export const updateFilter = endpoint('PATCH saved-filters/{id}', {
  needs: 'session',
  body: body({ mode, name: Type.Optional(Words), filter: Type.Optional(Words), ...optional }),
  async handle(context) {
    const { services, session, params, body: sent } = context
    const { mode: named, ...fields } = sent
    const author = authorOf(context, session.user)
    return await setSavedFilter(services, placeOfSession(session, named), params.id ?? '', fields, author)
  },
})

export const deleteFilter = endpoint('DELETE saved-filters/{id}', {
  needs: 'session',
  body: body({ mode }),
  async handle(context) {
    const { services, session, params, body: sent } = context
    const id = params.id ?? ''
    await deleteSavedFilter(services, placeOfSession(session, sent.mode), id, authorOf(context, session.user))
    return { id, object: 'saved_filter', deleted: true }
  },
})
