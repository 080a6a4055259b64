/** What completion offers at a place of a formula: the names below what is written before the last dot, functions and methods. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import type { FormulaReading } from '../../../data/shapes.ts'

type Offer = Pick<FormulaReading, 'names' | 'functions'>

/** `read` waits for what the server offers at this formula. */
export async function formulaCompletion(
  context: CompletionContext,
  read: () => Promise<Offer>,
): Promise<CompletionResult | null> {
  const { state, pos, explicit } = context
  if (syntaxTree(state).resolveInner(pos, -1).name === 'string') return null
  const before = state.sliceDoc(0, pos)
  const word = endOf(before, /^\w*$/)
  const owner = before.slice(0, before.length - word.length)
  const hasOwner = owner.endsWith('.')
  if (word === '' && !hasOwner && !explicit) return null
  const offer = await read()
  const options = hasOwner ? membersOf(owner.slice(0, -1), offer) : [...variables(offer), ...functionsOf(offer)]
  return { from: pos - word.length, options, validFor: /^\w*$/ }
}

/** The last characters of a text that all match. A pattern that ends with `$` would be tried from every place of the text. */
function endOf(text: string, character: RegExp): string {
  let start = text.length
  while (start > 0 && character.test(text.charAt(start - 1))) start--
  return text.slice(start)
}

function variables({ names }: Offer): readonly Completion[] {
  const steps = names.some(({ name }) => name.startsWith('steps.'))
  return [
    ...names
      .filter(({ name }) => !name.includes('.'))
      .map(({ name, type }) => ({ label: name, detail: type, boost: 2 })),
    ...(steps ? [{ label: 'steps', detail: 'object', boost: 2 }] : []),
    ...['true', 'false', 'null', 'in'].map((label) => ({ label, boost: -1 })),
  ]
}

/** The fields and the methods of what is before the dot. Objects have no methods; a value of another type has those of its type. */
function membersOf(before: string, { names, functions }: Offer): readonly Completion[] {
  const path = endOf(before, /^[\w.]+/)
  const below = names.filter(({ name }) => name.startsWith(`${path}.`))
  const own = below.map(({ name, type }) => ({ name: name.slice(path.length + 1), type }))
  const fields = new Map(own.map(({ name, type }) => [name.split('.')[0] ?? '', name.includes('.') ? 'object' : type]))
  if (path !== '' && fields.size > 0) return [...fields].map(([label, detail]) => ({ label, detail, boost: 2 }))
  return functions.filter(({ kind }) => kind === 'method').map(call)
}

function functionsOf({ functions }: Offer): readonly Completion[] {
  return functions.filter(({ kind }) => kind === 'function').map(call)
}

/** Inserts the parentheses too, with the cursor between them if there are arguments. */
function call({ name, signature }: Offer['functions'][number]): Completion {
  const isPlain = signature.startsWith('()')
  return {
    label: name,
    detail: signature,
    apply(view, _, from, to) {
      const anchor = from + name.length + (isPlain ? 2 : 1)
      view.dispatch({ changes: { from, to, insert: `${name}()` }, selection: { anchor }, userEvent: 'input.complete' })
    },
  }
}
