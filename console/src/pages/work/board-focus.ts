/** The card that an arrow key leads to: up and down within a lane, left and right to the next lane that has cards. */
export function neighbour(card: HTMLElement, key: string): HTMLElement | null {
  const vertical = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key]
  const horizontal = { ArrowRight: 1, l: 1, ArrowLeft: -1, h: -1 }[key]
  const lane = card.closest<HTMLElement>('[data-column]')
  if (lane === null) return null
  const cards = cardsOf(lane)
  const index = cards.indexOf(card)
  if (vertical !== undefined) return linkOf(cards[index + vertical])
  if (horizontal === undefined) return null
  const lanes = [...(lane.parentElement?.querySelectorAll<HTMLElement>('[data-column]') ?? [])]
  for (let next = lanes.indexOf(lane) + horizontal; lanes[next] !== undefined; next += horizontal) {
    const others = cardsOf(lanes[next])
    if (others.length > 0) return linkOf(others[Math.min(index, others.length - 1)])
  }
  return null
}

function cardsOf(lane: HTMLElement | undefined): HTMLElement[] {
  return [...(lane?.querySelectorAll<HTMLElement>('[data-card]') ?? [])]
}

function linkOf(card: HTMLElement | undefined): HTMLElement | null {
  return card?.querySelector('a') ?? null
}
