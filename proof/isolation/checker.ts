/**
 * Checks that a history is strictly serializable:
 * 1. each version of an object was made by exactly one write, on top of the previous version;
 * 2. each read saw a whole, committed version;
 * 3. one order of all operations, consistent with real time, explains what each of them saw.
 */
import { type Cycle, type Edge, findCycles } from './cycles.ts'
import type { Fields, Operation, Read, Write } from './history.ts'

export interface Finding {
  readonly kind: 'lost update' | 'dirty read' | 'torn read' | 'phantom' | Cycle['kind']
  readonly text: string
}

/** Everything in a history that violates this. */
export function check(operations: readonly Operation[]): Finding[] {
  return new Checker(operations).findings()
}

interface Made {
  readonly operation: number
  readonly write: Write
}

/** The versions of one object, indexed from 1. */
interface Versions {
  readonly made: (Made | undefined)[]
  readonly fields: (Fields | undefined)[]
}

/** A read of a known version. */
interface VersionRead {
  readonly operation: number
  readonly key: string
  readonly version: number
}

class Checker {
  private readonly operations: readonly Operation[]
  private readonly objects = new Map<string, Versions>()
  private readonly versionReads: VersionRead[] = []
  private readonly found: Finding[] = []
  private readonly refused = new Map<string, string>()

  constructor(operations: readonly Operation[]) {
    this.operations = operations
    for (const { name, refused = [] } of operations) for (const text of refused) this.refused.set(text, name)
  }

  findings(): Finding[] {
    this.collectWrites()
    for (const [key, versions] of this.objects) this.checkVersions(key, versions)
    this.collectReads()
    const cycles = findCycles(2 * this.operations.length, [...this.dependencies(), ...this.realTime()])
    for (const { kind, edges } of cycles) this.report(kind, this.describe(edges))
    return this.found
  }

  private report(kind: Finding['kind'], text: string): void {
    this.found.push({ kind, text })
  }

  private name(operation: number): string {
    return this.operations[operation]?.name ?? '?'
  }

  /** The operations of a cycle, each with the reason why it precedes the next. */
  private describe(edges: readonly Edge[]): string {
    const steps = edges.filter(({ from }) => from < this.operations.length)
    return steps.map(({ from, kind, why }) => `[${this.name(from)}] –${`${kind} ${why}`.trim()}→`).join(' ')
  }

  /** Assigns each version to its write. A write that may be a no-op counts only if no other write claims the version. */
  private collectWrites(): void {
    const maybe: Made[] = []
    this.operations.forEach(({ writes }, operation) => {
      for (const write of writes) {
        if (write.mayBeNoop === true) maybe.push({ operation, write })
        else this.addWrite({ operation, write })
      }
    })
    maybe.sort((a, b) => (this.operations[a.operation]?.began ?? 0) - (this.operations[b.operation]?.began ?? 0))
    for (const each of maybe) {
      const { key, version, fields } = each.write
      if (this.versions(key).made[version] === undefined) this.addWrite(each)
      else this.addRead(each.operation, { key, version, fields })
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

  private addWrite(made: Made): void {
    const { key, version, expects } = made.write
    const { made: by } = this.versions(key)
    const earlier = by[version]
    if (earlier !== undefined) {
      const names = `[${this.name(earlier.operation)}] and [${this.name(made.operation)}]`
      this.report('lost update', `${names} both made version ${version} of ${key}`)
      return
    }
    by[version] = made
    if (expects !== undefined && version !== expects + 1) {
      const text = `[${this.name(made.operation)}] expected version ${expects} of ${key} and made ${version}`
      this.report('lost update', text)
    }
  }

  /** Each version is the previous one with the fields that its write set. */
  private checkVersions(key: string, { made, fields }: Versions): void {
    let before: Fields = {}
    for (let version = 1; version < made.length; version++) {
      const by = made[version]
      if (by === undefined) {
        this.report('phantom', `no write made version ${version} of ${key}, which has ${made.length - 1}`)
        return
      }
      const expected = { ...before, ...by.write.sets }
      const wrong = differing(expected, by.write.fields)
      if (wrong.length > 0) {
        const kind = wrong.every((field) => field in by.write.sets) ? 'torn read' : 'lost update'
        const difference = `${wrong} of ${key} is ${texts(by.write.fields, wrong)} and not ${texts(expected, wrong)}`
        this.report(kind, `after [${this.name(by.operation)}], version ${version}: ${difference}`)
      }
      before = by.write.fields
      fields[version] = before
    }
  }

  private collectReads(): void {
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
      for (const read of reads) this.addRead(operation, read)
      if (views === undefined) return
      const shown = new Set(reads.map(({ key }) => key))
      for (const key of within.get(views) ?? []) {
        if (!shown.has(key)) this.versionReads.push({ operation, key, version: 0 })
      }
    })
  }

  /** Compares a read with the version it claims. */
  private addRead(operation: number, { key, version, fields }: Read): void {
    const versions = this.versions(key)
    if (fields !== null) this.checkRefused(operation, key, fields)
    if (version === null) {
      this.addReadByFields(operation, key, fields ?? {}, versions)
      return
    }
    this.versionReads.push({ operation, key, version })
    if (version === 0) return
    const committed = versions.fields[version] ?? versions.made[version]?.write.fields
    if (committed === undefined) {
      this.report(
        'dirty read',
        `[${this.name(operation)}] read version ${version} of ${key}, which was never committed`,
      )
      return
    }
    const wrong = fields === null ? [] : differing(committed, fields)
    if (fields === null || wrong.length === 0) return
    const difference = `${wrong} was ${texts(fields, wrong)} and not ${texts(committed, wrong)}`
    this.report('torn read', `[${this.name(operation)}] read version ${version} of ${key}, but ${difference}`)
  }

  /** No read may show a value whose write was refused. */
  private checkRefused(operation: number, key: string, fields: Fields): void {
    for (const text of Object.values(fields)) {
      const by = this.refused.get(text)
      if (by === undefined) continue
      this.report('dirty read', `[${this.name(operation)}] read ${text} in ${key}, which [${by}] never committed`)
    }
  }

  /** Finds the version with these fields. A read that matches several versions is ignored. */
  private addReadByFields(operation: number, key: string, fields: Fields, versions: Versions): void {
    const matching = versions.fields.flatMap((each, version) =>
      each !== undefined && Object.entries(fields).every(([field, text]) => each[field] === text) ? [version] : [],
    )
    const [version] = matching
    if (version === undefined) {
      this.report('torn read', `[${this.name(operation)}] read ${key} as it never was: ${JSON.stringify(fields)}`)
    } else if (matching.length === 1) this.versionReads.push({ operation, key, version })
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
    for (const { operation, key, version } of this.versionReads) {
      const made = this.objects.get(key)?.made ?? []
      add(made[version]?.operation, operation, 'wr', `${key} ${version}`)
      add(operation, made[version + 1]?.operation, 'rw', `${key} ${version}`)
    }
    return edges
  }

  /** Chains the ends of operations in time: operation → its end → the next end, and each end → operations begun after it. */
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

function differing(a: Fields, b: Fields): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((field) => a[field] !== b[field])
}

function texts(fields: Fields, names: readonly string[]): string {
  return names.map((name) => fields[name] ?? 'missing').join()
}
