/**
 * Ticking a box of a task list in a description or a comment. Only the character in the box changes. A change by another person
 * in between does not prevent it while the item is still there; the server refuses a write that is based on an older text.
 */
import type { Atrium, Comment, Task } from '@atrium/sdk'
import { hasErrorCode, patch, useWrite } from '../../data/index.ts'
import { t } from '../../language/index.ts'
import { type TaskBox, tick } from '../../text/parse.ts'

/** Attempts while other people change the same object. */
const attempts_max = 4

interface Tick<T> {
  readonly of: T
  readonly box: TaskBox
  readonly checked: boolean
}

interface TextAccess<T> {
  readonly textOf: (object: T) => string
  readonly read: () => PromiseLike<T>
  readonly write: (text: string, revision: number) => PromiseLike<T>
}

async function writeTick<T extends { readonly revision: number }>(
  { of, box, checked }: Tick<T>,
  { textOf, read, write }: TextAccess<T>,
): Promise<T> {
  let object = of
  for (let attempt = 1; ; attempt++) {
    const next = tick(textOf(object), box, checked)
    if (next === null) throw new Error(t('The item was changed by another person. Tick it again.'))
    if (next === textOf(object)) return object
    try {
      return await write(next, object.revision)
    } catch (error) {
      if (!hasErrorCode(error, 'resource_conflict') || attempt === attempts_max) throw error
      object = await read()
    }
  }
}

function ofTask(atrium: Atrium, { id }: Task): TextAccess<Task> {
  return {
    textOf: ({ description }) => description ?? '',
    read: () => atrium.tasks.retrieve(id),
    write: (description, ifMatch) => atrium.tasks.update(id, { description }, { ifMatch }),
  }
}

function ofComment(atrium: Atrium, { id, task }: Comment): TextAccess<Comment> {
  return {
    textOf: ({ body }) => body,
    read: () => atrium.tasks.comments.retrieve(task, id),
    write: (body, ifMatch) => atrium.tasks.comments.update(task, id, { body }, { ifMatch }),
  }
}

export function useDescriptionTick(task: Task): (box: TaskBox, checked: boolean) => void {
  const write = useWrite({
    write: (atrium, input: Tick<Task>) => writeTick(input, ofTask(atrium, input.of)),
    changes: ({ of, box, checked }) => {
      const description = tick(of.description ?? '', box, checked)
      return description === null ? [] : [patch('task', of.id, { description })]
    },
    done: () => null,
  })
  return (box, checked) => void write.run({ of: task, box, checked })
}

export function useCommentTick(comment: Comment): (box: TaskBox, checked: boolean) => void {
  const write = useWrite({
    write: (atrium, input: Tick<Comment>) => writeTick(input, ofComment(atrium, input.of)),
    changes: ({ of, box, checked }) => {
      const body = tick(of.body, box, checked)
      return body === null ? [] : [patch('comment', of.id, { body })]
    },
    done: () => null,
  })
  return (box, checked) => void write.run({ of: comment, box, checked })
}
