/**
 * Holds a history against what clients may expect: each version of an object was made by exactly one write, on top of the
 * version before it and of nothing else; what was read is a version that was committed, whole; and all operations can be
 * put in one order, in keeping with real time, in which each sees what those before it left.
 */
import { type Cycle, type Edge, findCycles } from './cycles.ts'
import type { Fields, Operation, Read, Write } from './history.ts'

export interface Finding {
  readonly kind: 'lost update' | 'dirty read' | 'torn read' | 'phantom' | Cycle['kind']
  readonly text: string
}

/** Everything in a history that cannot be. */
export function check(operations: readonly Operation[]): Finding[] {
  return new Checker(operations).findings()
}

interface Made {
  readonly operation: number
  readonly write: Write
}

/** The versions of one object, by number; what is at 0 is never used. */
interface Versions {
  readonly made: (Made | undefined)[]
  readonly fields: (Fields | undefined)[]
}

/** A read whose version is known. */
interface Sight {
  readonly operation: number
  readonly key: string
  readonly version: number
}

class Checker {
  private readonly operations: readonly Operation[]
  private readonly objects = new Map<string, Versions>()
  private readonly sights: Sight[] = []
  private readonly found: Finding[] = []
  private readonly refused = new Map<string, string>()

  constructor(operations: readonly Operation[]) {
    this.operations = operations
    for (const { name, refused = [] } of operations) for (const text of refused) this.refused.set(text, name)
  }

  findings(): Finding[] {
    this.writes()
    for (const [key, versions] of this.objects) this.fold(key, versions)
    this.reads()
    const cycles = findCycles(2 * this.operations.length, [...this.dependencies(), ...this.realTime()])
    for (const { kind, edges } of cycles) this.tell(kind, this.told(edges))
    return this.found
  }

  private tell(kind: Finding['kind'], text: string): void {
    this.found.push({ kind, text })
  }

  private name(operation: number): string {
    return this.operations[operation]?.name ?? '?'
  }

  /** The operations of a cycle, each with what makes it come before the next. */
  private told(edges: readonly Edge[]): string {
    const steps = edges.filter(({ from }) => from < this.operations.length)
    return steps.map(({ from, kind, why }) => `[${this.name(from)}] –${`${kind} ${why}`.trim()}→`).join(' ')
  }

  /** Who made which version. What may have rested has made one only where nobody else says so. */
  private writes(): void {
    const resting: Made[] = []
    this.operations.forEach(({ writes }, operation) => {
      for (const write of writes) {
        if (write.mayRest === true) resting.push({ operation, write })
        else this.made({ operation, write })
      }
    })
    resting.sort((a, b) => (this.operations[a.operation]?.began ?? 0) - (this.operations[b.operation]?.began ?? 0))
    for (const each of resting) {
      const { key, version, fields } = each.write
      if (this.versions(key).made[version] === undefined) this.made(each)
      else this.sight(each.operation, { key, version, fields })
    }
  }

  private versions(key: string): Versions {
    let versions = this.objects.get(key)
    if (versions === undefined) {
      versions = { made: [], fields: [] }
      this.objects.set(key, versions)
    }
    return versions
  }

  private made(made: Made): void {
    const { key, version, expects } = made.write
    const { made: by } = this.versions(key)
    const earlier = by[version]
    if (earlier !== undefined) {
      const names = `[${this.name(earlier.operation)}] and [${this.name(made.operation)}]`
      this.tell('lost update', `${names} both made version ${version} of ${key}`)
      return
    }
    by[version] = made
    if (expects !== undefined && version !== expects + 1) {
      this.tell('lost update', `[${this.name(made.operation)}] was to follow ${expects} of ${key}, and made ${version}`)
    }
  }

  /** Each version is the one before it with what its write has set. */
  private fold(key: string, { made, fields }: Versions): void {
    let before: Fields = {}
    for (let version = 1; version < made.length; version++) {
      const by = made[version]
      if (by === undefined) {
        this.tell('phantom', `nobody made version ${version} of ${key}, which has ${made.length - 1}`)
        return
      }
      const expected = { ...before, ...by.write.sets }
      const wrong = differing(expected, by.write.fields)
      if (wrong.length > 0) {
        const kind = wrong.every((field) => field in by.write.sets) ? 'torn read' : 'lost update'
        const told = `${wrong} of ${key} is ${texts(by.write.fields, wrong)} and not ${texts(expected, wrong)}`
        this.tell(kind, `after [${this.name(by.operation)}], version ${version}: ${told}`)
      }
      before = by.write.fields
      fields[version] = before
    }
  }

  private reads(): void {
    const within = new Map<string, string[]>()
    for (const { writes } of this.operations) {
      for (const write of writes) {
        if (write.within === undefined || write.version !== 1) continue
        const keys = within.get(write.within) ?? []
        within.set(write.within, keys)
        keys.push(write.key)
      }
    }
    this.operations.forEach(({ reads, views }, operation) => {
      for (const read of reads) this.sight(operation, read)
      if (views === undefined) return
      const shown = new Set(reads.map(({ key }) => key))
      for (const key of within.get(views) ?? []) {
        if (!shown.has(key)) this.sights.push({ operation, key, version: 0 })
      }
    })
  }

  /** A read against the version that it says it is. */
  private sight(operation: number, { key, version, fields }: Read): void {
    const versions = this.versions(key)
    if (fields !== null) this.marks(operation, key, fields)
    if (version === null) {
      this.guess(operation, key, fields ?? {}, versions)
      return
    }
    this.sights.push({ operation, key, version })
    if (version === 0) return
    const is = versions.fields[version] ?? versions.made[version]?.write.fields
    if (is === undefined) {
      this.tell('dirty read', `[${this.name(operation)}] read version ${version} of ${key}, which nobody committed`)
      return
    }
    const wrong = fields === null ? [] : differing(is, fields)
    if (fields === null || wrong.length === 0) return
    const told = `${wrong} was ${texts(fields, wrong)} and not ${texts(is, wrong)}`
    this.tell('torn read', `[${this.name(operation)}] read version ${version} of ${key}, but ${told}`)
  }

  private marks(operation: number, key: string, fields: Fields): void {
    for (const text of Object.values(fields)) {
      const by = this.refused.get(text)
      if (by === undefined) continue
      this.tell('dirty read', `[${this.name(operation)}] read ${text} in ${key}, which [${by}] never committed`)
    }
  }

  /** The version that has these fields; where several have, any may be meant. */
  private guess(operation: number, key: string, fields: Fields, versions: Versions): void {
    const matching = versions.fields.flatMap((each, version) =>
      each !== undefined && Object.entries(fields).every(([field, text]) => each[field] === text) ? [version] : [],
    )
    const [version] = matching
    if (version === undefined) {
      this.tell('torn read', `[${this.name(operation)}] read ${key} as it never was: ${JSON.stringify(fields)}`)
    } else if (matching.length === 1) this.sights.push({ operation, key, version })
  }

  private dependencies(): Edge[] {
    const edges: Edge[] = []
    const add = (from: number | undefined, to: number | undefined, kind: Edge['kind'], why: string) => {
      if (from !== undefined && to !== undefined && from !== to) edges.push({ from, to, kind, why })
    }
    for (const [key, { made }] of this.objects) {
      made.forEach((by, version) => {
        add(made[version - 1]?.operation, by?.operation, 'ww', `${key} ${version}`)
      })
    }
    for (const { operation, key, version } of this.sights) {
      const made = this.objects.get(key)?.made ?? []
      add(made[version]?.operation, operation, 'wr', `${key} ${version}`)
      add(operation, made[version + 1]?.operation, 'rw', `${key} ${version}`)
    }
    return edges
  }

  /** Ends are moments in a chain: from an operation to its end, from a moment to the next, and to what began then. */
  private realTime(): Edge[] {
    const { operations } = this
    const count = operations.length
    const edge = (from: number, to: number): Edge => ({ from, to, kind: 'rt', why: '' })
    const ends = operations.map((_, i) => i).sort((a, b) => endOf(operations, a) - endOf(operations, b))
    const begins = operations.map((_, i) => i).sort((a, b) => beginOf(operations, a) - beginOf(operations, b))
    const edges: Edge[] = []
    ends.forEach((operation, place) => {
      edges.push(edge(operation, count + place))
      if (place > 0) edges.push(edge(count + place - 1, count + place))
    })
    let ended = 0
    for (const operation of begins) {
      while (ended < count && endOf(operations, ends[ended] as number) < beginOf(operations, operation)) ended++
      if (ended > 0) edges.push(edge(count + ended - 1, operation))
    }
    return edges
  }
}

function beginOf(operations: readonly Operation[], operation: number): number {
  return operations[operation]?.began ?? 0
}

function endOf(operations: readonly Operation[], operation: number): number {
  return operations[operation]?.ended ?? 0
}

/** The names of the fields that are not alike. */
function differing(a: Fields, b: Fields): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((field) => a[field] !== b[field])
}

function texts(fields: Fields, names: readonly string[]): string {
  return names.map((name) => fields[name] ?? 'missing').join()
}
