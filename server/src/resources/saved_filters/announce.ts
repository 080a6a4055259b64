import type { EventType } from '../../api/declare/event.ts'
import type { AuditNote } from '../../api/declare/operation.ts'
import { savedFilterCreated, savedFilterDeleted } from './events.ts'
import type { SavedFilter } from './saved_filter.ts'

interface Announcing {
  emit(event: EventType, after: object, before?: object): void
  note(note: AuditNote): void
}

/**
 * The event log tells what the team sees: a filter that becomes private is deleted there, and created when it is shared. Other
 * changes of a private one emit no event and are audited.
 */
export function announced<C extends Announcing>(context: C): C {
  const emit = (event: EventType, after: object, before?: object) => {
    // The events of this folder are about saved filters.
    const [now, was] = [after as SavedFilter, before as SavedFilter | undefined]
    const isShown = now.visibility === 'team'
    const wasShown = (was ?? now).visibility === 'team'
    if (isShown && wasShown) return context.emit(event, after, before)
    if (isShown) return context.emit(savedFilterCreated, after)
    if (wasShown) return context.emit(savedFilterDeleted, was ?? now)
    context.note({
      unannounced: true,
      target: { object: now.object, id: now.id, workspace: now.workspace },
    })
  }
  return { ...context, emit }
}
