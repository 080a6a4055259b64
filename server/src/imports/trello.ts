/** A board as Trello exports it: JSON with lists, cards, checklists, labels, members, custom fields and actions. */
import { type DraftAttachment, linksOf, withoutContent } from './attachments.ts'
import type { Draft, DraftComment, Entry, Source } from './draft.ts'
import { Drafting, given, headOf, once } from './drafting.ts'
import { type Advise, Unusable } from './unusable.ts'
import { guessStatus, leave_out, statusOf, type Table } from './vocabulary.ts'

export interface TrelloOptions {
  /** By the name of a list. */
  readonly status?: Table | undefined
  readonly archived: 'skip' | 'import'
  /** The content of attachments is at hand, so what is missing is noted later. */
  readonly hasAttachments?: boolean
}

type Item = Readonly<Record<string, unknown>>

export function trelloSource(board: TrelloBoard, options: TrelloOptions, advise: Advise): Source {
  return {
    kind: 'trello',
    file: board.file,
    name: 'trello',
    keyed: true,
    joinsProjects: false,
    advise,
    async *entries() {
      for (const card of board.cards) yield board.entryOf(card, options, advise)
    },
  }
}

/** The board of an export's text. Throws Unusable with what is wrong with the file. */
export function readTrelloBoard(file: string, content: string): TrelloBoard {
  let board: unknown
  try {
    board = JSON.parse(content.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new Unusable(`is not JSON: ${(error as Error).message}`)
  }
  if (
    typeof board !== 'object' ||
    board === null ||
    !Array.isArray((board as Item).cards) ||
    !Array.isArray((board as Item).lists)
  ) {
    throw new Unusable('is not an export of a Trello board: it has no lists and cards')
  }
  return new TrelloBoard(file, board as Item)
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function items(value: unknown): Item[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : []
}

const byPosition = (a: Item, b: Item): number => Number(a.pos ?? 0) - Number(b.pos ?? 0)

const byId = (value: unknown): Map<string, Item> => new Map(items(value).map((each) => [text(each.id), each]))

function grouped(all: readonly Item[], by: string): Map<string, Item[]> {
  return Map.groupBy([...all].sort(byPosition), (each) => text(each[by]))
}

interface Card {
  readonly item: Item
  /** Its place in the file's array, from 1. */
  readonly place: number
}

export class TrelloBoard {
  readonly file: string
  /** In the order of the lists, and in them as they lie. */
  readonly cards: readonly Card[]
  readonly name: string
  private readonly lists: Map<string, Item>
  private readonly members: Map<string, Item>
  private readonly checklists: Map<string, Item[]>
  private readonly customFields: Map<string, Item>
  private readonly comments: Map<string, Item[]>
  /** The actions that created cards, by card. */
  private readonly creations: Map<string, Item>

  constructor(file: string, board: Item) {
    this.file = file
    this.name = text(board.name) || file
    this.lists = byId(board.lists)
    this.members = byId(board.members)
    this.checklists = grouped(items(board.checklists), 'idCard')
    this.customFields = byId(board.customFields)
    const creations = items(board.actions).filter(({ type }) => creating_actions.has(text(type)))
    this.creations = new Map(creations.map((action) => [cardOf(action), action]))
    const comments = items(board.actions).filter(({ type }) => type === 'commentCard' || type === 'copyCommentCard')
    this.comments = Map.groupBy(comments, cardOf)
    const order = new Map([...this.lists.values()].sort(byPosition).map(({ id }, i) => [text(id), i]))
    const listOf = ({ item }: Card): number => order.get(text(item.idList)) ?? order.size
    this.cards = items(board.cards)
      .map((item, i): Card => ({ item, place: i + 1 }))
      .sort((a, b) => listOf(a) - listOf(b) || byPosition(a.item, b.item))
  }

  /** The lists that have cards, in their order, each with the number of its cards. */
  listCounts(withArchived: boolean): { readonly word: string; readonly count: number }[] {
    const counts = new Map<string, number>()
    for (const { item } of this.cards) {
      const list = this.lists.get(text(item.idList))
      const isShown = withArchived || (item.closed !== true && list?.closed !== true)
      const name = text(list?.name)
      if (isShown && name !== '') counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    return [...counts].map(([word, count]) => ({ word, count }))
  }

  entryOf({ item: card, place }: Card, options: TrelloOptions, advise: Advise): Entry {
    const drafting = new Drafting(place, text(card.id) || `card ${place}`, advise)
    const list = this.lists.get(text(card.idList))
    const archived = card.closed === true || list?.closed === true
    if (text(card.id) === '') drafting.note('refused', 'id', 'The card has no id.')
    if (archived && options.archived === 'skip') {
      const advice = advise({ kind: 'archived', word: text(card.name), column: 'closed' })
      drafting.note('left_out', 'closed', `The card is archived. ${advice}.`)
      return { draft: null, notes: drafting.notes }
    }
    const members = items((card.idMembers as unknown[] | undefined)?.map((id) => this.members.get(text(id))))
    if (members.length < ((card.idMembers as unknown[] | undefined)?.length ?? 0)) {
      drafting.note('left_out', 'idMembers', 'The card names a member who is not in the export.')
    }
    for (const also of members.slice(1)) {
      drafting.note('left_out', 'idMembers', `A task has one assignee: ${text(also.fullName)} was left out.`)
    }
    const fields = given({
      title: text(card.name).trim(),
      description: this.description(card),
      status: drafting.read('idList', () => this.status(card, list, archived, options)),
      due_at: drafting.date('due', text(card.due), { zone: 'UTC' }),
      labels: once([...this.labels(card), ...(archived ? ['archived'] : [])]),
      custom_fields: this.custom(card, drafting),
    })
    const [first] = members
    const uploads = attachmentsOf(card).filter(({ isUpload }) => isUpload)
    const missing = options.hasAttachments ? null : withoutContent(uploads)
    if (missing !== null) drafting.note('left_out', missing.column, missing.reason)
    return drafting.entry(fields, {
      person: once([text(first?.fullName), text(first?.username)]),
      ...this.originOf(card),
      project: this.name,
      column: text(list?.name) || null,
      comments: this.commentsOf(card),
      links: [],
      attachments: uploads,
    })
  }

  /** A due date that is ticked off is done; the list says the rest, as far as its name is known. */
  private status(card: Item, list: Item | undefined, archived: boolean, options: TrelloOptions): string {
    const name = text(list?.name)
    const found = guessStatus(name, options.status)
    if (found === leave_out) return statusOf(name, options.status)
    if (card.dueComplete === true) return 'done'
    if (archived) return found === 'done' ? 'done' : 'canceled'
    return found === undefined ? 'todo' : statusOf(name, new Map([[name, found]]))
  }

  /** Colour alone, where a label has no name. */
  private labels(card: Item): string[] {
    return items(card.labels).map(({ name, color }) => text(name).trim() || text(color))
  }

  /** The description, its checklists as Markdown, its attachments as links. */
  private description(card: Item): string {
    const parts = [text(card.desc).trim()]
    for (const list of this.checklists.get(text(card.id)) ?? []) {
      const lines = items(list.checkItems)
        .sort(byPosition)
        .map(({ name, state }) => `- [${state === 'complete' ? 'x' : ' '}] ${text(name).replaceAll('\n', ' ')}`)
      parts.push([`**${text(list.name) || 'Checklist'}**`, ...lines].join('\n'))
    }
    parts.push(linksOf(attachmentsOf(card)))
    return parts.filter((part) => part !== '').join('\n\n')
  }

  private custom(card: Item, drafting: Drafting): Record<string, unknown> {
    const found: Record<string, unknown> = {}
    if (text(card.shortUrl) !== '') found.trello_url = text(card.shortUrl)
    for (const { idCustomField, idValue, value } of items(card.customFieldItems)) {
      const field = this.customFields.get(text(idCustomField))
      const name = slug(text(field?.name))
      if (field === undefined || name === '') continue
      const read = drafting.read(`customFieldItems.${text(field.name)}`, () => customValue(field, idValue, value))
      if (read !== undefined) found[name] = read
    }
    return found
  }

  /** Trello lists actions with the newest first. */
  private commentsOf(card: Item): DraftComment[] {
    const own = this.comments.get(text(card.id)) ?? []
    return own
      .toSorted((a, b) => text(a.date).localeCompare(text(b.date)))
      .map((action) => {
        const names = namesOf(action.memberCreator)
        const created = Math.floor(Date.parse(text(action.date)) / 1000)
        const body = text((action.data as Item).text)
        if (Number.isNaN(created)) return { body, head: `${names[0] ?? 'Unknown author'}:`, author: names }
        return { body, head: headOf(names[0] ?? 'Unknown author', created), author: names, created }
      })
  }

  /** From the action of its creation; without it, the id of a card begins with the time in hexadecimal seconds. */
  private originOf(card: Item): Pick<Draft, 'created' | 'creator'> {
    const id = text(card.id)
    const action = this.creations.get(id)
    const stated = Math.floor(Date.parse(text(action?.date)) / 1000)
    const stamp = /^[0-9a-f]{24}$/.test(id) ? Number.parseInt(id.slice(0, 8), 16) : undefined
    return { created: Number.isNaN(stated) ? stamp : stated, creator: namesOf(action?.memberCreator) }
  }
}

/** The attachments of a card: files that were uploaded, and links to pages. */
function attachmentsOf(card: Item): (DraftAttachment & { readonly isUpload: boolean })[] {
  return items(card.attachments)
    .map(({ id, name, fileName, url, isUpload }) => ({
      ...{ id: text(id), name: text(name) || text(fileName), url: text(url), isUpload: isUpload === true },
    }))
    .filter(({ url }) => url !== '')
}

const creating_actions = new Set(['createCard', 'copyCard', 'emailCard', 'convertToCardFromCheckItem'])

/** The id of the card that an action is about. */
const cardOf = ({ data }: Item): string => text(((data as Item | undefined)?.card as Item | undefined)?.id)

function namesOf(member: unknown): string[] {
  const { fullName, username } = (member ?? {}) as Item
  return once([text(fullName), text(username)])
}

/** A custom field's name as a key of `custom_fields`. */
function slug(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[^a-z]+|_+$/g, '')
  return plain === '' ? '' : plain.slice(0, 40)
}

function customValue(field: Item, idValue: unknown, value: unknown): unknown {
  if (field.type === 'list') {
    const option = items(field.options).find(({ id }) => id === idValue)
    return text((option?.value as Item | undefined)?.text) || undefined
  }
  const { text: words, number, checked, date } = (value ?? {}) as Item
  if (number !== undefined) {
    const read = Number(number)
    if (!Number.isFinite(read)) throw new Unusable('is not a number')
    return read
  }
  if (checked !== undefined) return checked === 'true'
  return text(words) || text(date) || undefined
}
