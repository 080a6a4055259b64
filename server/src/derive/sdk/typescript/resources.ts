/** The resources as classes, with a method per operation. */
import { pascal } from '../../openapi/json.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resources.ts'
import type { Components } from './components.ts'
import { docComment } from './doc-comment.ts'
import { methodText } from './methods.ts'
import { camel } from './names.ts'

const classOf = ({ name }: Resource) => `${pascal(name)}Resource`

export function resourceText(resource: Resource, model: Model, components: Components): string {
  const { inner, calls, comment } = resource
  const fields = inner.map(
    (each) => `${docComment(each.comment, '  ')}  readonly ${camel(each.accessor)}: ${classOf(each)}\n`,
  )
  const made = inner.map((each) => `    this.${camel(each.accessor)} = new ${classOf(each)}(transport)\n`)
  const methods = calls.map((call) => methodText(call, model, components))
  return `${docComment(comment)}export class ${classOf(resource)} {
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
    (each) => `${docComment(each.comment, '  ')}  readonly ${camel(each.accessor)}: ${classOf(each)}\n`,
  )
  const made = resources.map((each) => `    this.${camel(each.accessor)} = new ${classOf(each)}(transport)\n`)
  return `/** Every resource of the API. */
export class Resources {
${fields.join('')}
  constructor(transport: Transport) {
${made.join('')}  }
}
`
}
