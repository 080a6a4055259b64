/** Names in the SDK. Fields and parameters keep their names of the API. */
import { pascal } from '../openapi/json.ts'

/** `rotate_secret` → `rotateSecret` */
export function camel(words: string): string {
  const name = pascal(words)
  return name.charAt(0).toLowerCase() + name.slice(1)
}

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
  if (outer === undefined || outer === resource || noun === undefined || !inner?.startsWith('{'))
    return [camel(resource)]
  return resource === `${singular(outer)}_${noun}` ? [camel(outer), camel(noun)] : [camel(resource)]
}

function singular(noun: string): string {
  return noun.replace(/ies$/, 'y').replace(/s$/, '')
}

/** The ids of a path as arguments: the outer one of `/boards/{id}/items/{item_id}` is `boardId`. */
export function idArguments(path: string, nested: boolean): { readonly name: string; readonly argument: string }[] {
  const parts = segments(path)
  return parts.flatMap((part, i) => {
    if (!part.startsWith('{')) return []
    const name = part.slice(1, -1)
    const outer = nested && i === 1 && name === 'id' ? `${singular(parts[0] as string)}_id` : name
    return [{ name, argument: camel(outer) }]
  })
}

const plain = /^[A-Za-z_$][\w$]*$/

/** A property's name as it is written in a type. */
export function propertyName(name: string): string {
  return plain.test(name) ? name : quoted(name)
}

export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}
