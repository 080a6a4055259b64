/** What most kinds of objects have in common: their list, their reading, their deletion. */
import { type Form, id } from './forms.ts'
import { page } from './lists.ts'
import type { Answer, Context } from './operation.ts'
import { alive, type Kind, type Thing } from './state.ts'

export const in_workspace: Readonly<Record<string, Form>> = { workspace: id('workspace') }
export const in_project: Readonly<Record<string, Form>> = { ...in_workspace, project: id('project') }

const outer = (thing: Thing): unknown => thing.shown.task ?? thing.shown.from ?? thing.shown.board

/** Whether a thing is in the workspace, the project and below the parent that a list names, which never change. */
function isWithin({ query, parent, asked }: Context, thing: Thing): boolean {
  const isHere = query.workspace === undefined || thing.shown.workspace === query.workspace
  const isBelow = asked.operation.parent === undefined || outer(thing) === parent.id
  // A column never leaves its project.
  const isOf = query.project === undefined || thing.kind !== 'column' || thing.shown.project === query.project
  return isHere && isBelow && isOf
}

/** A list by ids of what is alive, and of what else is asked. */
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

/** Deletes what the path names. */
export function remove(context: Context, type: string): Answer {
  const { model, target } = context
  model.remove(target, type)
  note(context, target)
  return deleted(target)
}

/** What the audit entry is to say of a write. */
export function note({ audit }: Context, thing: Thing): void {
  audit.target = thing
  audit.workspace = thing.kind === 'workspace' ? thing.id : ((thing.shown.workspace as string | undefined) ?? null)
  if (thing.kind === 'board') audit.room = thing.id
}

export function creatorOf({ credential }: Context) {
  return { type: credential.owner.type, id: credential.owner.id }
}
