/** One operation as a method: the ids of its path, then its parameters, then options; always in this order. */
import type { Call } from '../model/calls.ts'
import { type Model, plainForm } from '../model/model.ts'
import { decider, logOf, plainParameters } from '../model/parameters.ts'
import type { Components } from './components.ts'
import { docComment } from './doc-comment.ts'
import { camel, quoted } from './names.ts'
import { typeText } from './type-text.ts'

interface Signature {
  readonly generic: string
  readonly params: string
  readonly answer: string
}

export function methodText(call: Call, model: Model, components: Components): string {
  const signatures = call.kind === 'stream' ? [streamSignature(call)] : signaturesOf(call, model, components)
  const comment = docComment(`${call.summary}.\n\n${call.description}\n\n\`${call.httpMethod} ${call.path}\``, '  ')
  const ids = call.ids.map(({ argument }) => `${camel(argument)}: string, `).join('')
  const options = `options?: ${optionsType(call)}`
  const heads = signatures.map(
    ({ generic, params, answer }) => `  ${camel(call.method)}${generic}(${ids}${params}, ${options}): ${answer}`,
  )
  const [only] = heads
  if (heads.length === 1) return `${comment}${only} {\n${bodyText(call, model.calls)}  }\n`
  const { answer } = signatures.at(-1) as Signature
  const loose = answer.replace(/<[\s\S]*>$/, '<unknown>')
  const implementation = `  ${camel(call.method)}(${ids}params?: object, ${options}): ${loose} {\n${bodyText(call, model.calls)}  }\n`
  return `${heads.map((head) => `${comment}${head}\n`).join('')}${implementation}`
}

/** The plain signature comes last, because the compiler reports mismatches with the last one. */
function signaturesOf(call: Call, model: Model, components: Components): Signature[] {
  const [fields, expand] = [decider(call, 'fields'), decider(call, 'expand')]
  const whole = typeText(call.answer, components, '  ')
  const plainName = expand === null ? null : plainForm(model, call.answer)
  const plain = plainName === null ? whole : components.use(plainName)
  const wrapped = (type: string) => `${call.kind === 'list' ? 'List' : 'Call'}<${type}>`
  const sent = components.sent()
  const expanding = (optional: string) =>
    expand === null ? '' : `expand${optional}: ${typeText(expand.schema, sent, '  ')}`
  const signatures: Signature[] = []
  if (fields !== null) {
    const also = expand === null ? '' : `; readonly ${expanding('?')}`
    signatures.push({
      generic: `<const F extends keyof ${whole}>`,
      params: `params: ${paramsType(call)} & { readonly fields: readonly F[]${also} }`,
      answer: wrapped(`Pick<${whole}, F>`),
    })
  }
  if (plain !== whole) {
    signatures.push({
      generic: '',
      params: `params: ${paramsType(call)} & { readonly ${expanding('')} }`,
      answer: wrapped(whole),
    })
  }
  const optional = plainParameters(call).some(({ required }) => required) ? '' : '?'
  signatures.push({ generic: '', params: `params${optional}: ${paramsType(call)}`, answer: wrapped(plain) })
  return signatures
}

function paramsType(call: Call): string {
  return plainParameters(call).length === 0 ? 'NoParams' : call.parametersType
}

function streamSignature(call: Call): Signature {
  const takesTypes = call.parameters.some(({ name }) => name === 'types')
  if (!takesTypes) throw new Error(`${call.id} streams without \`types\`: say here what its events are`)
  return {
    generic: '<const P extends EventPattern>',
    params: `params: ${call.parametersType} & { readonly types: readonly P[] }`,
    answer: 'EventStream<EventsMatching<P>>',
  }
}

function optionsType(call: Call): string {
  if (call.kind === 'stream') return 'StreamOptions'
  if (call.httpMethod === 'GET') return 'RequestOptions'
  return call.revisioned ? 'RevisionOptions' : 'WriteOptions'
}

function bodyText(call: Call, all: readonly Call[]): string {
  const inQuery = call.parameters.filter(({ place }) => place === 'query')
  const named = (form: string) => inQuery.filter((parameter) => parameter.form === form).map(({ name }) => quoted(name))
  const [commas, brackets] = [named('commas'), named('brackets')]
  const hasBody = call.parameters.some(({ place }) => place !== 'query')
  const content = call.parameters.find(({ place }) => place === 'content')
  const mixed = hasBody && inQuery.length > 0
  const parts = [
    `method: ${quoted(call.httpMethod)}`,
    `path: ${pathText(call)}`,
    'params',
    ...(hasBody ? [] : ['body: false']),
    ...(content === undefined ? [] : [`content: ${quoted(content.name)}`]),
    ...(mixed ? [`inQuery: [${inQuery.map(({ name }) => quoted(name)).join(', ')}]`] : []),
    ...(commas.length > 0 ? [`commas: [${commas.join(', ')}]`] : []),
    ...(brackets.length > 0 ? [`brackets: [${brackets.join(', ')}]`] : []),
  ]
  const request = `{ ${parts.join(', ')} }`
  if (call.kind === 'list')
    return `    return this.#transport.list(${request}, ${quoted(call.cursor as string)}, options)\n`
  if (call.kind === 'stream')
    return `    return this.#transport.stream(${request}, ${pathText(logOf(call, all))}, options)\n`
  return `    return this.#transport.call(${request}, options)\n`
}

function pathText({ path, ids }: Call): string {
  const filled = ids.reduce((text, { name, argument }) => text.replace(`{${name}}`, `\${${camel(argument)}}`), path)
  return `path\`${filled}\``
}
