/** The card that an arrow key leads to: up and down within a lane, left and right to the next lane that has cards. */
export function neighbour(card: HTMLElement, key: string): HTMLElement | null {
  const vertical = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key]
  const horizontal = { ArrowRight: 1, l: 1, ArrowLeft: -1, h: -1 }[key]
  const lane = card.closest<HTMLElement>('[data-column]')
  if (lane === null) return null
  const cards = cardsOf(lane)
  if (vertical !== undefined) return linkOf(cards[cards.indexOf(card) + vertical])
  if (horizontal === undefined) return null
  const lanes = [...(lane.parentElement?.querySelectorAll<HTMLElement>('[data-column]') ?? [])]
  for (let next = lanes.indexOf(lane) + horizontal; lanes[next] !== undefined; next += horizontal) {
    const nearest = cardsOf(lanes[next]).toSorted((a, b) => distance(card, a) - distance(card, b))[0]
    if (nearest !== undefined) return linkOf(nearest)
  }
  return null
}

/** Long lanes contain only the cards near the view, so that positions say more than numbers. */
function distance(card: HTMLElement, other: HTMLElement): number {
  return Math.abs(card.getBoundingClientRect().top - other.getBoundingClientRect().top)
}

function cardsOf(lane: HTMLElement | undefined): HTMLElement[] {
  return [...(lane?.querySelectorAll<HTMLElement>('[data-card]') ?? [])]
}

function linkOf(card: HTMLElement | undefined): HTMLElement | null {
  return card?.querySelector('a') ?? null
}
