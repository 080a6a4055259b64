/** One operation as a method: the ids of its path by position, then its parameters and the options of the call by name. */
import type { Call, CallParameter } from '../model/calls.ts'
import { type Model, plainForm } from '../model/model.ts'
import { decider, logOf, oneOfSeveral, parameterText, plainParameters } from '../model/parameters.ts'
import { docstring, identifier, quoted } from './text.ts'
import { any_event, type Types } from './types.ts'

/** Both flavours of the client have the same methods; those of one are coroutines. */
export interface Flavor {
  readonly prefix: '' | 'Async'
}

interface Signature {
  /** Parameters that decide the shape of the answer, with their types. */
  readonly deciding: readonly string[]
  readonly answer: string
}

const options = {
  request: ['timeout: float | None = None', 'max_retries: int | None = None'],
  write: ['idempotency_key: str | None = None'],
  revision: ['if_match: Revision | None = None'],
  stream: [
    'last_event_id: str | None = None',
    'heartbeat_timeout: float | None = None',
    'max_reconnects: int | None = None',
  ],
} as const

export function methodText(call: Call, model: Model, types: Types, flavor: Flavor): string {
  const [only, ...further] = signaturesOf(call, model, types)
  const taken = optionsOf(call)
  refuseClash(call, taken)
  const shared = plainParameters(call).map((parameter) => argument(call, parameter, types))
  const names = plainParameters(call).map(({ name }) => identifier(name))
  const define = (name: string, deciding: readonly string[], answer: string, body: string) => {
    const keywords = [...sorted(shared), ...deciding, ...taken]
    const ids = call.ids.map(({ argument: id }) => `${identifier(id)}: str`)
    const positional = ids.length === 0 ? ['self'] : ['self', ...ids, '/']
    const all = [...positional, ...(keywords.length === 0 ? [] : ['*', ...keywords])]
    const coroutine = flavor.prefix === 'Async' && call.kind === 'one' ? 'async ' : ''
    return `    ${coroutine}def ${name}(\n${all.map((each) => `        ${each},\n`).join('')}    ) -> ${answer}:${body}`
  }
  const name = identifier(call.method)
  const body = `\n${docstring(aboutOf(call), '        ')}${bodyText(call, model, names, taken, flavor, only as Signature)}`
  if (further.length === 0)
    return define(name, (only as Signature).deciding, wrapped(call, (only as Signature).answer, flavor), body)
  const heads = [only as Signature, ...further].map(
    ({ deciding, answer }) => `    @overload\n${define(name, deciding, wrapped(call, answer, flavor), ' ...\n')}`,
  )
  const loose = deciders(call).map(({ name: decided }) => `${decided}: Sequence[str] | Omit = OMIT`)
  return `${heads.join('\n')}\n${define(name, loose, call.kind === 'list' ? wrapped(call, 'Any', flavor) : 'Any', body)}`
}

function wrapped(call: Call, answer: string, { prefix }: Flavor): string {
  if (call.kind === 'stream') return `${prefix}EventStream`
  return call.kind === 'list' ? `${prefix}PagedList[${answer}]` : answer
}

/** Required parameters first. */
function sorted(keywords: readonly string[]): string[] {
  return [...keywords.filter((each) => !each.includes(' = ')), ...keywords.filter((each) => each.includes(' = '))]
}

function deciders(call: Call): CallParameter[] {
  return [decider(call, 'fields'), decider(call, 'expand')].filter((each) => each !== null)
}

/** The plain answer first; with `expand` ids are objects, and with `fields` only these fields are there. */
function signaturesOf(call: Call, model: Model, types: Types): Signature[] {
  if (call.kind === 'stream') return [{ deciding: [], answer: any_event }]
  const [fields, expand] = [decider(call, 'fields'), decider(call, 'expand')]
  const whole = types.text(call.answer, 'answered', `${call.parametersType.replace(/Params$/, '')}Answer`)
  const plain = expand === null ? null : plainForm(model, call.answer)
  const typed = (parameter: CallParameter) =>
    `${parameter.name}: ${types.text(parameter.schema, 'sent', call.parametersType)}`
  const signatures: Signature[] = [{ deciding: [], answer: plain === null ? whole : types.use(plain) }]
  if (plain !== null && expand !== null) signatures.push({ deciding: [typed(expand)], answer: whole })
  if (fields !== null) {
    const also = expand === null ? [] : [`${typed(expand)} | Omit = OMIT`]
    signatures.push({ deciding: [typed(fields), ...also], answer: 'Selected' })
  }
  return signatures
}

function argument(call: Call, parameter: CallParameter, types: Types): string {
  const { name, required } = parameter
  const inner = `${call.parametersType.replace(/Params$/, '')}${pascalOf(name)}`
  return `${identifier(name)}: ${typeOf(call, parameter, types, inner)}${required ? '' : ' | Omit = OMIT'}`
}

function typeOf(call: Call, parameter: CallParameter, types: Types, inner: string): string {
  if (parameter.place === 'content') return 'UploadContent'
  if (call.kind === 'stream' && parameter.name === 'types') return 'Sequence[EventPattern]'
  const item = oneOfSeveral(parameter)
  const one = item === null ? '' : `${types.text(item, 'sent', inner)} | `
  return one + types.text(parameter.schema, 'sent', inner)
}

function pascalOf(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase())
}

function optionsOf(call: Call): readonly string[] {
  if (call.kind === 'stream') return options.stream
  if (call.httpMethod === 'GET') return options.request
  return [...options.write, ...(call.revisioned ? options.revision : []), ...options.request]
}

function refuseClash(call: Call, taken: readonly string[]): void {
  const reserved = taken.map((each) => each.slice(0, each.indexOf(':')))
  const clash = call.parameters.find(({ name }) => reserved.includes(identifier(name)))
  if (clash !== undefined)
    throw new Error(`${call.id}: the parameter ${clash.name} has the name of an option; rename one of them`)
}

function aboutOf(call: Call): string {
  const parameters = call.parameters.map((parameter) => {
    return `    ${identifier(parameter.name)}: ${parameterText(parameter).replaceAll('\n', ' ')}`
  })
  const listed = parameters.length === 0 ? '' : `\n\nParameters:\n${parameters.join('\n')}`
  return `${call.summary}.\n\n${call.description}\n\n\`${call.httpMethod} ${call.path}\`${listed}`
}

function bodyText(
  call: Call,
  model: Model,
  names: readonly string[],
  taken: readonly string[],
  { prefix }: Flavor,
  { answer }: Signature,
): string {
  const overloaded = deciders(call).length > 0
  const request = requestText(call, [...names, ...deciders(call).map(({ name }) => name)])
  const given = taken.map((each) => each.slice(0, each.indexOf(':'))).map((name) => `${name}=${name}`)
  if (call.kind === 'stream') {
    const log = pathText(logOf(call, model.calls))
    return `        return self._transport.stream(${request}, ${log}, StreamOptions(${given.join(', ')}))\n`
  }
  const options = `Options(${given.join(', ')})`
  if (call.kind === 'list')
    return `        return self._transport.list(${request}, ${quoted(call.cursor as string)}, ${options})\n`
  const called = `${prefix === 'Async' ? 'await ' : ''}self._transport.call(${request}, ${options})`
  return `        return ${overloaded ? called : `cast(${quoted(answer)}, ${called})`}\n`
}

function requestText(call: Call, names: readonly string[]): string {
  const inQuery = call.parameters.filter(({ place }) => place === 'query')
  const named = (form: string) => inQuery.filter((parameter) => parameter.form === form).map(({ name }) => quoted(name))
  const [commas, brackets] = [named('commas'), named('brackets')]
  const hasBody = call.parameters.some(({ place }) => place !== 'query')
  const content = call.parameters.find(({ place }) => place === 'content')
  const params = names.map((name) => `${quoted(apiName(call, name))}: ${name}`)
  const parts = [
    quoted(call.httpMethod),
    pathText(call),
    `{${params.join(', ')}}`,
    ...(hasBody ? [] : ['body=False']),
    ...(content === undefined ? [] : [`content=${quoted(content.name)}`]),
    ...(hasBody && inQuery.length > 0 ? [`in_query=${tuple(inQuery.map(({ name }) => quoted(name)))}`] : []),
    ...(commas.length > 0 ? [`commas=${tuple(commas)}`] : []),
    ...(brackets.length > 0 ? [`brackets=${tuple(brackets)}`] : []),
  ]
  return `Outgoing(${parts.join(', ')})`
}

function apiName(call: Call, name: string): string {
  return call.parameters.find((parameter) => identifier(parameter.name) === name)?.name ?? name
}

function tuple(items: readonly string[]): string {
  return items.length === 1 ? `(${items[0]},)` : `(${items.join(', ')})`
}

function pathText({ path, ids }: Call): string {
  if (ids.length === 0) return quoted(path)
  const template = ids.reduce((text, { name }) => text.replace(`{${name}}`, '{}'), path)
  return `path(${quoted(template)}, ${ids.map(({ argument: id }) => identifier(id)).join(', ')})`
}
