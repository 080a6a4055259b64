/**
 * The connection of a page to the room of its board. Invariants: a change that the server has not acknowledged is kept and sent
 * again, over any number of connections; operations are applied in order and without a gap, or the whole scene is read again.
 * At most one change is on its way; what happens meanwhile is sent with the next one.
 */

export interface LiveElement {
  readonly id: string
  readonly version: number
  readonly versionNonce: number
}

export type BoardAccess = 'editor' | 'commenter' | 'viewer'

export interface Person {
  readonly connection: string
  /** A user, or the id of a guest of a link. A guest gets null for other people. */
  readonly user: string | null
  /** The name that a guest of a link has given; null for other people. */
  readonly guest: string | null
  readonly access: BoardAccess
}

export interface Pointer {
  readonly x: number
  readonly y: number
  readonly tool: 'pointer' | 'laser'
  readonly button: 'up' | 'down'
  readonly selected: readonly string[]
  readonly view: readonly number[] | null
}

export interface Refusal {
  readonly code: string
  readonly message: string
  /** The place of the fault in the message. */
  readonly param?: string
}

interface Welcome<E> {
  readonly type: 'welcome'
  readonly connection: string
  readonly access: BoardAccess
  readonly sequence: number
  readonly elements: readonly E[]
  readonly people: readonly Person[]
}

type ServerMessage<E> =
  | Welcome<E>
  | {
      readonly type: 'change'
      readonly sequence: number
      readonly author: string | null
      readonly elements: readonly E[]
    }
  | { readonly type: 'ack'; readonly id: number; readonly sequence: number | null }
  | { readonly type: 'refused'; readonly id: number | null; readonly error: Refusal }
  | { readonly type: 'people'; readonly people: readonly Person[] }
  | { readonly type: 'access'; readonly access: BoardAccess }
  | ({ readonly type: 'pointer'; readonly connection: string } & Pointer)

export type ConnectionState = 'connecting' | 'open' | 'ended'

export interface BoardHandlers<E> {
  /** The scene of the server, to be merged with that of the page. */
  onScene(elements: readonly E[]): void
  /** The states that others have given to elements, to be merged with those of the page. */
  onChange(elements: readonly E[]): void
  onPeople(people: readonly Person[], own: string): void
  onPointer(connection: string, pointer: Pointer): void
  onAccess(access: BoardAccess): void
  onState(state: ConnectionState, reason: string): void
  /** Whether all changes are stored. */
  onSaved(saved: boolean): void
  /** A change was refused for good. What was not acknowledged is given up, and the server's scene follows. */
  onRefused(error: Refusal): void
}

export interface BoardConnectionOptions<E> {
  readonly url: string
  /** `refused` is a token that the server did not accept, or null. */
  readonly token: (refused: string | null) => Promise<string>
  readonly handlers: BoardHandlers<E>
  readonly open?: (url: string) => WebSocket
  /** Milliseconds before the n-th attempt to connect again. */
  readonly wait?: (attempt: number) => number
}

const elements_max = 1000
const wait_ms_max = 8000
const retry_ms = 500
/** A connection whose network has gone away stays open for minutes: one that does not acknowledge is given up. */
const answer_ms_max = 15_000
/** How the server says that a token is not valid, or no longer. */
const unauthenticated = 4401
/** After these codes another attempt would end the same way. */
const final_codes: ReadonlySet<number> = new Set([4403, 4404])

export class BoardConnection<E extends LiveElement> {
  readonly #options: BoardConnectionOptions<E>
  #socket: WebSocket | null = null
  #isWelcome = false
  #attempt = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #ended = false
  #connection = ''
  #token: string | null = null
  #refusedToken: string | null = null
  #sequence = 0
  #next = 1
  /** The states that the server has, as far as the page knows. */
  readonly #known = new Map<string, E>()
  /** What the server has not acknowledged: the last state of each element. */
  readonly #pending = new Map<string, E>()
  #sent: { readonly id: number; readonly elements: readonly E[] } | null = null
  #answerTimer: ReturnType<typeof setTimeout> | undefined

  constructor(options: BoardConnectionOptions<E>) {
    this.#options = options
    void this.#connect()
  }

  get isSaved(): boolean {
    return this.#pending.size === 0
  }

  /** The last operation of the board that the page contains. */
  get sequence(): number {
    return this.#sequence
  }

  /** What the server has, if it is this state of the element. */
  stored(element: E): E | undefined {
    const known = this.#known.get(element.id)
    return known?.version === element.version && known.versionNonce === element.versionNonce ? known : undefined
  }

  /** Takes the page's elements, and sends those that the server does not have. */
  offer(elements: readonly E[]): void {
    const before = this.#pending.size
    for (const element of elements) {
      const known = this.#known.get(element.id)
      if (known !== undefined && !wins(element, known)) continue
      const waiting = this.#pending.get(element.id)
      // Excalidraw changes elements in place: a copy keeps what is sent apart from what follows it.
      if (waiting === undefined || wins(element, waiting)) this.#pending.set(element.id, { ...element })
    }
    if (before === 0 && this.#pending.size > 0) this.#options.handlers.onSaved(false)
    this.#sendNext()
  }

  point(pointer: Pointer): void {
    if (this.#isWelcome) this.#send({ type: 'pointer', ...pointer })
  }

  /** Ends the connection. What is not acknowledged is sent if the connection still stands. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#timer)
    clearTimeout(this.#answerTimer)
    this.#socket?.close(1000, '')
  }

  /** Drops the connection as a network would; for tests. */
  drop(): void {
    this.#socket?.close()
  }

  async #connect(): Promise<void> {
    const { token, url, open = (to: string) => new WebSocket(to), handlers } = this.#options
    handlers.onState('connecting', '')
    let secret: string
    try {
      secret = await token(this.#refusedToken)
      this.#token = secret
    } catch {
      this.#again('')
      return
    }
    if (this.#ended) return
    const socket = open(url)
    this.#socket = socket
    socket.onopen = () => socket.send(JSON.stringify({ type: 'hello', token: secret }))
    socket.onmessage = ({ data }) => {
      if (socket === this.#socket && !this.#ended) this.#receive(JSON.parse(String(data)))
    }
    socket.onclose = ({ code, reason }) => {
      if (socket === this.#socket) this.#lost(code, reason)
    }
  }

  #lost(code: number, reason: string): void {
    clearTimeout(this.#answerTimer)
    this.#socket = null
    this.#isWelcome = false
    this.#sent = null
    if (this.#ended) return
    if (code === unauthenticated) this.#refusedToken = this.#token
    if (final_codes.has(code)) {
      this.#ended = true
      this.#options.handlers.onState('ended', reason)
      return
    }
    this.#again(reason)
  }

  #again(reason: string): void {
    const { wait = waitOf, handlers } = this.#options
    if (this.#ended) return
    handlers.onState('connecting', reason)
    this.#attempt++
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#connect(), wait(this.#attempt))
  }

  #receive(message: ServerMessage<E>): void {
    const { handlers } = this.#options
    if (message.type === 'welcome') this.#welcome(message)
    else if (message.type === 'change') this.#take(message.sequence, message.elements)
    else if (message.type === 'ack') this.#acknowledged(message.id, message.sequence)
    else if (message.type === 'refused') this.#refused(message.id, message.error)
    else if (message.type === 'people') handlers.onPeople(message.people, this.#connection)
    else if (message.type === 'access') handlers.onAccess(message.access)
    else if (message.type === 'pointer') handlers.onPointer(message.connection, message)
  }

  #welcome({ connection, access, sequence, elements, people }: Welcome<E>): void {
    const { handlers } = this.#options
    this.#attempt = 0
    this.#isWelcome = true
    this.#connection = connection
    this.#sequence = sequence
    this.#sent = null
    this.#known.clear()
    this.#learn(elements)
    handlers.onState('open', '')
    handlers.onAccess(access)
    handlers.onScene(elements)
    handlers.onPeople(people, connection)
    this.#sendNext()
  }

  /** Takes the server's states. What loses against them need not be sent. */
  #learn(elements: readonly E[]): void {
    for (const element of elements) {
      const known = this.#known.get(element.id)
      if (known === undefined || wins(element, known)) this.#known.set(element.id, element)
      const waiting = this.#pending.get(element.id)
      if (waiting !== undefined && !wins(waiting, element)) this.#pending.delete(element.id)
    }
    if (this.#pending.size === 0) this.#options.handlers.onSaved(true)
  }

  #take(sequence: number, elements: readonly E[]): void {
    if (!this.#follows(sequence)) return
    this.#learn(elements)
    this.#options.handlers.onChange(elements)
  }

  /** Whether an operation is the next one. After a gap the whole scene is read again. */
  #follows(sequence: number): boolean {
    if (sequence <= this.#sequence) return false
    if (sequence === this.#sequence + 1) {
      this.#sequence = sequence
      return true
    }
    this.#socket?.close(4000, 'gap')
    return false
  }

  #acknowledged(id: number, sequence: number | null): void {
    if (this.#sent?.id !== id) return
    clearTimeout(this.#answerTimer)
    const { elements } = this.#sent
    this.#sent = null
    if (sequence !== null && !this.#follows(sequence)) return
    this.#learn(elements)
    this.#sendNext()
  }

  #refused(id: number | null, error: Refusal): void {
    if (id === null || this.#sent?.id !== id) return
    clearTimeout(this.#answerTimer)
    this.#sent = null
    if (error.code === 'rate_limit_exceeded' || error.code === 'rate_limit_unavailable') {
      setTimeout(() => this.#sendNext(), retry_ms)
      return
    }
    // The page returns to the server's scene as a whole.
    this.#pending.clear()
    this.#options.handlers.onRefused(error)
    this.#socket?.close(4000, 'refused')
  }

  #sendNext(): void {
    if (!this.#isWelcome || this.#sent !== null || this.#pending.size === 0) return
    const elements = [...this.#pending.values()].slice(0, elements_max)
    this.#sent = { id: this.#next++, elements }
    this.#send({ type: 'change', id: this.#sent.id, elements })
    this.#awaitAnswer(Number.POSITIVE_INFINITY)
  }

  /** `left`: the bytes that had not been sent yet. A large change may take long, as long as bytes leave. */
  #awaitAnswer(left: number): void {
    this.#answerTimer = setTimeout(() => {
      const now = this.#socket?.bufferedAmount ?? 0
      if (now > 0 && now < left) this.#awaitAnswer(now)
      else this.#giveUp()
    }, answer_ms_max)
  }

  /** Without waiting for the close: over a dead network it takes as long as the answer. */
  #giveUp(): void {
    const socket = this.#socket
    this.#lost(1006, '')
    socket?.close()
  }

  #send(message: object): void {
    // A browser ignores what is sent on a connection that is closing; the welcome of the next one sends it again.
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(message))
  }
}

/** The rule of the server: the higher version wins, of equal versions the lower nonce. */
export function wins(sent: LiveElement, current: LiveElement): boolean {
  if (sent.version !== current.version) return sent.version > current.version
  return sent.versionNonce < current.versionNonce
}

function waitOf(attempt: number): number {
  return Math.min(wait_ms_max, 250 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
}
