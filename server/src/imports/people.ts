/** Members by the names that a source has for them: the caller's table, e-mail address, user id, full name. */
import type { Api } from './api.ts'
import { fetchAll } from './fetch-all.ts'
import { type Table, translated } from './vocabulary.ts'

export interface Member {
  readonly user: string
  readonly email: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly status: string
}

const plain = (name: string): string => name.normalize('NFKC').trim().toLowerCase().replaceAll(/\s+/g, ' ')

export class People {
  private readonly assignees: ReadonlyMap<string, string>
  private readonly authors: ReadonlyMap<string, string>
  private readonly table: Table

  constructor(members: readonly Member[], table: Table | undefined) {
    // Only an active member can be assigned a task; a member of any status may have written one.
    this.assignees = usersByName(members.filter(({ status }) => status === 'active'))
    this.authors = usersByName(members)
    this.table = new Map([...(table ?? [])].map(([who, email]) => [plain(who), email]))
  }
  /** The user id of an assignee; null if no or several active members are known by these names. */
  find(names: readonly string[]): string | null {
    return this.lookUp(this.assignees, names)
  }

  /** The user id of an author; null if no or several members are known by these names. */
  findAuthor(names: readonly string[]): string | null {
    return this.lookUp(this.authors, names)
  }

  private lookUp(users: ReadonlyMap<string, string>, names: readonly string[]): string | null {
    for (const name of names) {
      const user = users.get(plain(translated(this.table, plain(name)) ?? name))
      if (user !== undefined) return user
    }
    return null
  }
}

/** User ids by address, user id and full name; a name of two members is left out. */
function usersByName(members: readonly Member[]): Map<string, string> {
  const users = new Map<string, string | null>()
  for (const { user, email, first_name, last_name } of members) {
    const full = [first_name, last_name].filter((part) => part !== null)
    const local = email?.split('@', 1) ?? []
    const names = [user, email ?? '', full.join(' '), [...full].reverse().join(', '), ...local]
    for (const name of new Set(names.map(plain))) {
      if (name !== '') users.set(name, users.has(name) && users.get(name) !== user ? null : user)
    }
  }
  return new Map([...users].filter((entry): entry is [string, string] => entry[1] !== null))
}

export async function readPeople(api: Api, table: Table | undefined): Promise<People> {
  const members: Member[] = []
  // The client reads objects of any resource; this list holds members.
  for await (const member of fetchAll(api, '/v1/members')) members.push(member as unknown as Member)
  return new People(members, table)
}
