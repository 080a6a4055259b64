/** Boards, their members and the items of their published snapshots. */
import { id, long, nullable, oneOf, query_flag, title } from './forms.ts'
import { stored } from './kinds.ts'
import { cursorPage, page } from './lists.ts'
import type { Fields, Json } from './names.ts'
import { type Answer, type Context, operation } from './operation.ts'
import { conflict, notFound } from './refused.ts'
import { alive, type Realm, type Thing } from './state.ts'
import { deleted, isOfProject, note, show } from './things.ts'
import { given } from './work.ts'

const role = oneOf('editor', 'commenter', 'viewer')

const requireActive = (board: Thing): void => {
  if (board.shown.status === 'archived') throw conflict()
}

function addMember({ model, realm }: Context, board: Thing, user: string, as: string): Thing {
  const made = model.add(realm, 'board_member', { ...model.head('board_member'), board: board.id, user, role: as })
  model.recordEvent('whiteboard.board_member.created', made)
  return made
}

const createBoard = operation('boards.create', {
  body: { name: title, description: long, project: nullable(id('project')) },
  needs: ['name'],
  weight: 2,
  run(context) {
    const { model, realm, credential, body } = context
    if (typeof body.project === 'string') model.usableProject(realm, body.project)
    const owner = credential.owner.type === 'user' ? credential.owner.id : model.setting.serviceUser
    const made = model.add(realm, 'board', {
      ...model.head('board'),
      name: body.name as Json,
      description: stored(body.description),
      owner,
      status: 'active',
      archived_at: null,
      legacy_room_id: null,
      member_count: 1,
      item_count: 0,
      snapshot: { revision: null, published_at: null, status: 'none', pending_changes: false },
      project: body.project ?? null,
      revision: 1,
    })
    model.recordEvent('whiteboard.board.created', made)
    addMember(context, made, owner, 'owner')
    note(context, made)
    return { ...made.shown }
  },
})

const updateBoard = operation('boards.update', {
  target: 'board',
  body: { name: title, description: long, project: nullable(id('project')) },
  isGuarded: true,
  weight: 2,
  run(context) {
    const { model, realm, target, body } = context
    requireActive(target)
    const fields = given(body, 'name', 'project')
    if (typeof body.project === 'string' && body.project !== target.shown.project)
      model.usableProject(realm, body.project)
    if ('description' in body) fields.description = stored(body.description)
    model.change(target, fields, 'whiteboard.board.updated')
    note(context, target)
    return { ...target.shown }
  },
})

/** Archives the board; the event shows it as it was. */
const deleteBoard = operation('boards.delete', {
  target: 'board',
  isGuarded: true,
  run(context) {
    const { model, target, now } = context
    requireActive(target)
    model.recordEvent('whiteboard.board.deleted', target)
    const revision = (target.shown.revision as number) + 1
    target.shown = { ...target.shown, status: 'archived', archived_at: now, updated: now, revision }
    note(context, target)
    return deleted(target)
  },
})

function memberOf(realm: Realm, board: Thing, user: string): Thing | undefined {
  return alive(realm, 'board_member').find(({ shown }) => shown.board === board.id && shown.user === user)
}

const createMember = operation('board_members.create', {
  parent: 'board',
  body: { user: id('user'), role },
  needs: ['user', 'role'],
  weight: 3,
  run(context) {
    const { model, realm, parent, body } = context
    requireActive(parent)
    const existing = memberOf(realm, parent, body.user as string)
    if (existing?.shown.role === 'owner') throw conflict()
    model.requireUser(body.user as string, 'user')
    context.audit.room = parent.id
    if (existing !== undefined) {
      model.change(existing, { role: body.role as Json }, 'whiteboard.board_member.updated')
      return { ...existing.shown }
    }
    const made = addMember(context, parent, body.user as string, body.role as string)
    model.change(parent, { member_count: (parent.shown.member_count as number) + 1 }, 'whiteboard.board.updated')
    return { ...made.shown }
  },
})

/** A membership that may change: not the owner's, and not of an archived board. */
function changeable({ parent, target, audit }: Context): Thing {
  requireActive(parent)
  if (target.shown.role === 'owner') throw conflict()
  audit.room = parent.id
  return target
}

const updateMember = operation('board_members.update', {
  parent: 'board',
  target: 'board_member',
  body: { role },
  needs: ['role'],
  weight: 2,
  run(context) {
    const member = changeable(context)
    context.model.change(member, { role: context.body.role as Json }, 'whiteboard.board_member.updated')
    return { ...member.shown }
  },
})

const deleteMember = operation('board_members.delete', {
  parent: 'board',
  target: 'board_member',
  weight: 2,
  run(context) {
    const { model, parent } = context
    const member = changeable(context)
    model.remove(member, 'whiteboard.board_member.deleted')
    model.change(parent, { member_count: (parent.shown.member_count as number) - 1 }, 'whiteboard.board.updated')
    return deleted(member)
  },
})

function listBoards(context: Context): Answer {
  const { realm, query } = context
  const isAll = query.include_archived === 'true'
  const isOf = isOfProject(context)
  const rows = alive(realm, 'board').filter((board) => (isAll || board.shown.status === 'active') && isOf(board))
  return cursorPage(context, rows.reverse(), [isAll, query.project ?? null])
}

function listMembers(context: Context): Answer {
  const { realm, parent } = context
  const isOf = ({ shown }: Thing) => shown.board === parent.id
  const sought = (reference: string) => realm.things.find((thing) => thing.id === reference)
  return page(context, alive(realm, 'board_member').filter(isOf), isOf, 'board_member', sought)
}

/** The items of the published snapshot, in drawing order. */
function itemsOf({ realm }: Context, board: Thing): { id: string; shown: Fields }[] {
  return alive(realm, 'board_item')
    .filter(({ shown }) => shown.board === board.id)
    .map(({ id: own, shown }) => ({ id: own, shown }))
}

export const boards = [
  createBoard,
  updateBoard,
  deleteBoard,
  createMember,
  updateMember,
  deleteMember,
  operation('boards.list', { query: { include_archived: query_flag, project: id('project') }, run: listBoards }),
  operation('boards.retrieve', { target: 'board', run: show }),
  operation('board_members.list', { parent: 'board', run: listMembers }),
  operation('board_items.list', {
    parent: 'board',
    weight: 2,
    run: (context) => cursorPage(context, itemsOf(context, context.parent), null),
  }),
  operation('board_items.retrieve', {
    parent: 'board',
    run(context) {
      const found = itemsOf(context, context.parent).find(({ id: own }) => own === context.params.item_id)
      if (found === undefined) throw notFound()
      return { ...found.shown }
    },
  }),
]
