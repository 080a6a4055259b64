/** The resources of the client as a tree: each has the calls of one noun. */
import type { Call } from './calls.ts'
import type { Document } from './document.ts'

export interface Resource {
  readonly name: string
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
    byName.set(name, { path, resource: { name, accessor, calls: own, inner: [], comment } })
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

/** A resource and those within it. */
export function withInner(resources: readonly Resource[]): Resource[] {
  return resources.flatMap((resource) => [resource, ...resource.inner])
}
