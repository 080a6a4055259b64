/**
 * Values of custom fields that the workspace defines: texts of a file become values of the field's type, so that those that
 * do not fit are known before anything is written.
 */

import { quoted } from '../lib/quoted.ts'
import type { Api } from './api.ts'
import { isCalendarDay, readDay } from './dates.ts'
import type { Entry, TextForm } from './draft.ts'
import { once } from './drafting.ts'
import { fetchAll } from './fetch-all.ts'
import type { People } from './people.ts'
import { type Advise, Unusable } from './unusable.ts'
import { booleanOf, numberOf } from './values.ts'

/** Options named in a note. */
const named_options_max = 10

interface FieldOption {
  readonly id: string
  readonly name: string
  readonly color: string | null
}

/** A custom field as its values need it. */
export interface FieldRule {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly type: 'text' | 'number' | 'date' | 'checkbox' | 'select' | 'multi_select' | 'person' | 'url'
  readonly options: readonly FieldOption[]
}

/** Whether a value that was read fits its field. */
export type Fits = (rule: FieldRule, value: unknown) => boolean

export class DefinedFields {
  private readonly rules: ReadonlyMap<string, FieldRule>
  private readonly people: People
  private readonly fits: Fits

  constructor(rules: readonly FieldRule[], people: People, fits: Fits) {
    this.rules = new Map(rules.map((rule) => [rule.key, rule]))
    this.people = people
    this.fits = fits
  }

  /** The entry with the values of defined fields in their types; a value that does not fit refuses the row. */
  fitted({ draft, notes }: Entry, form: TextForm, advise: Advise): Entry {
    const given = draft?.fields.custom_fields
    if (draft === null || given === undefined) return { draft, notes }
    const custom_fields: Record<string, unknown> = {}
    const refusals = []
    for (const [key, value] of Object.entries(given)) {
      const rule = this.rules.get(key)
      try {
        custom_fields[key] = rule === undefined ? value : this.valueOf(rule, value, form)
      } catch (error) {
        if (!(error instanceof Unusable)) throw error
        const column = form.columnOf(`custom_fields.${key}`)
        const { line, key: row } = draft
        refusals.push({
          line,
          column,
          key: row,
          action: 'refused',
          reason: `${column} ${error.advised(advise, column)}.`,
        } as const)
      }
    }
    if (refusals.length > 0) return { draft: null, notes: [...notes, ...refusals] }
    return { draft: { ...draft, fields: { ...draft.fields, custom_fields } }, notes }
  }

  private valueOf(rule: FieldRule, given: unknown, form: TextForm): unknown {
    const texts = [given].flat().map((each) => String(each).trim())
    const value = this.read(rule, texts, form)
    if (this.fits(rule, value)) return value
    throw new Unusable(`does not fit the field ${quoted(rule.name)}: ${quoted(texts.join(', '))}`)
  }

  private read(rule: FieldRule, texts: readonly string[], form: TextForm): unknown {
    const [text = ''] = texts
    switch (rule.type) {
      case 'text':
        return texts.join(', ')
      case 'number':
        return numberOf(text)
      case 'date':
        return isCalendarDay(text) ? text : dayOf(text, form)
      case 'checkbox':
        return booleanOf(text)
      case 'select':
        return optionOf(rule, texts.join(form.separator))
      case 'multi_select':
        return once(texts.flatMap((each) => optionsOf(rule, each, form.separator)))
      case 'person':
        return this.personOf(text)
      case 'url':
        return text
    }
  }

  private personOf(name: string): string {
    const user = this.people.find([name])
    if (user !== null) return user
    throw new Unusable(`names no active member: ${quoted(name)}`, { kind: 'person', word: name })
  }
}

/** A date that cannot be read is named. */
function dayOf(text: string, { dates }: TextForm): string {
  try {
    return readDay(text, dates)
  } catch (error) {
    if (!(error instanceof Unusable) || error.message.includes(quoted(text))) throw error
    throw new Unusable(`${error.message}: ${quoted(text)}`, error.remedy)
  }
}

/** The whole text may be the name of one option that holds the separator. */
function optionsOf(rule: FieldRule, text: string, separator: string): readonly string[] {
  const whole = matching(rule, text)
  return whole.length === 1 ? [whole[0] as string] : once(text.split(separator)).map((each) => optionOf(rule, each))
}

function optionOf(rule: FieldRule, text: string): string {
  const [found, second] = matching(rule, text)
  if (found !== undefined && second === undefined) return found
  if (found !== undefined) throw new Unusable(`fits several options of ${quoted(rule.name)}: ${quoted(text)}`)
  const names = rule.options.map(({ name }) => name)
  const more = names.length > named_options_max ? ` and ${names.length - named_options_max} more` : ''
  const listed =
    names.length === 0 ? 'it has none' : `its options are ${names.slice(0, named_options_max).join(', ')}${more}`
  throw new Unusable(`is not an option of ${quoted(rule.name)}: ${quoted(text)}; ${listed}`)
}

/** The options with this id, or else with this name. */
function matching({ options }: FieldRule, text: string): readonly string[] {
  if (options.some(({ id }) => id === text)) return [text]
  return options.filter(({ name }) => plain(name) === plain(text)).map(({ id }) => id)
}

const plain = (name: string): string => name.normalize('NFKC').trim().toLowerCase()

export async function readDefinedFields(
  api: Api,
  workspace: string,
  people: People,
  fits: Fits,
): Promise<DefinedFields> {
  const rules: FieldRule[] = []
  // The client reads objects of any resource; this list holds custom fields.
  for await (const { id, key, name, type, options } of fetchAll(api, '/v1/custom_fields', { workspace })) {
    const rule = { options: options as FieldOption[], type: type as FieldRule['type'] }
    rules.push({ id: String(id), key: String(key), name: String(name), ...rule })
  }
  return new DefinedFields(rules, people, fits)
}
