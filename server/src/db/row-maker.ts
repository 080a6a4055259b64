/** Functions that make objects of one hidden class of arrays of values, whatever the engine and the query. */

export type MakeRow = (values: readonly unknown[]) => object

/** By the names of the columns. */
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
