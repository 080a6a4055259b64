/** Names of resources and arguments, in words: `task_comments`. Each emitter spells them as its language does. */

/** The nouns of a path: `/v1/tasks/{task_id}/comments/{id}` → tasks, comments. */
function segments(path: string): string[] {
  return path.split('/').slice(2)
}

/**
 * The accessor of a resource on the client: `tasks.*` at `tasks`; `task_comments.*`, whose paths begin with `/tasks/{…}/comments`,
 * at `tasks.comments`.
 */
export function accessorOf(resource: string, path: string): readonly string[] {
  const [outer, inner, noun] = segments(path)
  if (outer === undefined || outer === resource || noun === undefined || !inner?.startsWith('{')) return [resource]
  return resource === `${singular(outer)}_${noun}` ? [outer, noun] : [resource]
}

function singular(noun: string): string {
  return noun.replace(/ies$/, 'y').replace(/s$/, '')
}

/** The ids of a path as arguments: the outer one of `/boards/{id}/items/{item_id}` is `board_id`. */
export function idArguments(path: string, nested: boolean): { readonly name: string; readonly argument: string }[] {
  const parts = segments(path)
  return parts.flatMap((part, i) => {
    if (!part.startsWith('{')) return []
    const name = part.slice(1, -1)
    return [{ name, argument: nested && i === 1 && name === 'id' ? `${singular(parts[0] as string)}_id` : name }]
  })
}
