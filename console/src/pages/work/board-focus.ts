/** Where the arrows lead on a board: up and down within a column, left and right to the next column that has cards. */
export function neighbour(card: HTMLElement, key: string): HTMLElement | null {
  const vertical = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key]
  const horizontal = { ArrowRight: 1, l: 1, ArrowLeft: -1, h: -1 }[key]
  const column = card.closest<HTMLElement>('[data-column]')
  if (column === null) return null
  const cards = cardsOf(column)
  const at = cards.indexOf(card)
  if (vertical !== undefined) return linkOf(cards[at + vertical])
  if (horizontal === undefined) return null
  const columns = [...(column.parentElement?.querySelectorAll<HTMLElement>('[data-column]') ?? [])]
  for (let next = columns.indexOf(column) + horizontal; columns[next] !== undefined; next += horizontal) {
    const others = cardsOf(columns[next])
    if (others.length > 0) return linkOf(others[Math.min(at, others.length - 1)])
  }
  return null
}

function cardsOf(column: HTMLElement | undefined): HTMLElement[] {
  return [...(column?.querySelectorAll<HTMLElement>('[data-card]') ?? [])]
}

function linkOf(card: HTMLElement | undefined): HTMLElement | null {
  return card?.querySelector('a') ?? null
}
