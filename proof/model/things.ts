/** What most kinds of objects share: list, retrieve, delete. */
import { type Form, id } from './forms.ts'
import { page } from './lists.ts'
import type { Answer, Context } from './operation.ts'
import { alive, type Kind, type Thing } from './state.ts'

export const in_workspace: Readonly<Record<string, Form>> = { workspace: id('workspace') }
export const in_project: Readonly<Record<string, Form>> = { ...in_workspace, project: id('project') }

const outer = (thing: Thing): unknown => thing.shown.task ?? thing.shown.from ?? thing.shown.board

/** Whether a thing is in the workspace, project and parent that a list names. */
function isWithin({ query, parent, incoming }: Context, thing: Thing): boolean {
  const isHere = query.workspace === undefined || thing.shown.workspace === query.workspace
  const isBelow = incoming.operation.parent === undefined || outer(thing) === parent.id
  // A column never changes its project.
  const isOf = query.project === undefined || thing.kind !== 'column' || thing.shown.project === query.project
  return isHere && isBelow && isOf
}

/** A list by id of living things that pass the filter. */
export function listOf(context: Context, kind: Kind, keep: (thing: Thing) => boolean = () => true): Answer {
  const { realm } = context
  const rows = alive(realm, kind).filter((thing) => isWithin(context, thing) && keep(thing))
  const sought = (reference: string) => realm.things.find((thing) => thing.id === reference)
  return page(context, rows, (cursor) => isWithin(context, cursor), kind, sought)
}

export const isOfProject =
  ({ query }: Context) =>
  (thing: Thing): boolean =>
    query.project === undefined || thing.shown.project === query.project

export const show = ({ target }: Context): Answer => ({ ...target.shown }) as Answer

export function deleted(thing: Thing): Answer {
  return { id: thing.id, object: thing.kind, deleted: true }
}

/** Deletes the object that the path names. */
export function remove(context: Context, type: string): Answer {
  const { model, target } = context
  model.remove(target, type)
  note(context, target)
  return deleted(target)
}

/** Sets the object of a write's audit entry. */
export function note({ audit }: Context, thing: Thing): void {
  audit.target = thing
  audit.workspace = thing.kind === 'workspace' ? thing.id : ((thing.shown.workspace as string | undefined) ?? null)
  if (thing.kind === 'board') audit.room = thing.id
}

export function creatorOf({ credential }: Context) {
  return { type: credential.owner.type, id: credential.owner.id }
}
