/** The colour of a person's pointer, the same on every page. */
const hues = [12, 40, 95, 150, 195, 230, 265, 300, 335] as const

export function colourOf(user: string): { readonly background: string; readonly stroke: string } {
  let sum = 0
  for (const character of user) sum = (sum * 31 + character.charCodeAt(0)) % 9973
  const hue = hues[sum % hues.length] ?? 0
  return { background: `hsl(${hue} 75% 82%)`, stroke: `hsl(${hue} 65% 38%)` }
}
