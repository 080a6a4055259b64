/** Names in TypeScript. Fields and parameters keep their names of the API. */
import { pascal } from '../../openapi/json.ts'

/** `rotate_secret` → `rotateSecret` */
export function camel(words: string): string {
  const name = pascal(words)
  return name.charAt(0).toLowerCase() + name.slice(1)
}

const plain = /^[A-Za-z_$][\w$]*$/

/** A property's name as it is written in a type. */
export function propertyName(name: string): string {
  return plain.test(name) ? name : quoted(name)
}

export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}
