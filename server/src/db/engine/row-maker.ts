/** Compiles functions that turn arrays of values into objects of one hidden class, for any engine and query. */

export type MakeRow = (values: readonly unknown[]) => object

/** Keyed by the names of the columns. */
const makers = new Map<string, MakeRow>()

export function makerOf(names: readonly string[]): MakeRow {
  const key = names.join('\n')
  let maker = makers.get(key)
  if (maker === undefined) {
    const fields = names.map((name, i) => `${JSON.stringify(name)}: v[${i}]`)
    maker = new Function('v', `return { ${fields.join(', ')} }`) as MakeRow
    makers.set(key, maker)
  }
  return maker
}
