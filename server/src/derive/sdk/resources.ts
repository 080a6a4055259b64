/** The resources as classes, with a method per operation. */
import { pascal } from '../openapi/json.ts'
import type { Call } from './calls.ts'
import type { Components } from './components.ts'
import { docComment } from './doc-comment.ts'
import type { Document } from './document.ts'
import { methodText } from './methods.ts'

export interface Resource {
  readonly name: string
  readonly className: string
  /** Its property on the client or on the outer resource. */
  readonly accessor: string
  readonly calls: readonly Call[]
  readonly inner: Resource[]
  readonly comment: string
}

/** The resources of the client, with nested ones. */
export function resourcesOf(document: Document, calls: readonly Call[]): Resource[] {
  const byName = new Map<string, { readonly path: readonly string[]; readonly resource: Resource }>()
  for (const name of new Set(calls.map(({ resource }) => resource))) {
    const own = calls.filter(({ resource }) => resource === name)
    const path = own.map(({ accessor }) => accessor).sort((a, b) => b.length - a.length)[0] as readonly string[]
    const comment = document.tags.find((tag) => tag.name === own[0]?.tag)?.description ?? ''
    const accessor = path.at(-1) as string
    byName.set(name, {
      path,
      resource: { name, className: `${pascal(name)}Resource`, accessor, calls: own, inner: [], comment },
    })
  }
  const outermost: Resource[] = []
  for (const { path, resource } of byName.values()) {
    const outer = [...byName.values()].find(
      (each) => path.length > 1 && each.path.length === 1 && each.path[0] === path[0],
    )
    if (path.length > 1 && outer === undefined)
      throw new Error(`${resource.name} belongs to ${path[0]}, which is not a resource`)
    ;(outer?.resource.inner ?? outermost).push(resource)
  }
  for (const { resource } of byName.values()) checkNames(resource)
  return outermost
}

function checkNames({ name, calls, inner }: Resource): void {
  const names = [...calls.map(({ method }) => method), ...inner.map(({ accessor }) => accessor)]
  const twice = names.find((each, i) => names.indexOf(each) !== i)
  if (twice !== undefined) throw new Error(`the resource ${name} would have two members called ${twice}`)
}

export function resourceText(resource: Resource, all: readonly Call[], components: Components): string {
  const { className, inner, calls, comment } = resource
  const fields = inner.map(
    (each) => `${docComment(each.comment, '  ')}  readonly ${each.accessor}: ${each.className}\n`,
  )
  const made = inner.map((each) => `    this.${each.accessor} = new ${each.className}(transport)\n`)
  const methods = calls.map((call) => methodText(call, all, components))
  return `${docComment(comment)}export class ${className} {
${fields.join('')}  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
${made.join('')}  }

${methods.join('\n')}}
`
}

/** The class that the client extends. */
export function rootText(resources: readonly Resource[]): string {
  const fields = resources.map(
    (each) => `${docComment(each.comment, '  ')}  readonly ${each.accessor}: ${each.className}\n`,
  )
  const made = resources.map((each) => `    this.${each.accessor} = new ${each.className}(transport)\n`)
  return `/** Every resource of the API. */
export class Resources {
${fields.join('')}
  constructor(transport: Transport) {
${made.join('')}  }
}
`
}
