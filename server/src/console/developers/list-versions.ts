import { type Placeholder, query } from '../../db/query.ts'
import { endpoint } from '../endpoint.ts'
import { modeParameter } from '../fields.ts'
import { realmOfSession } from '../sessions/session.ts'

const countKeys = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('credentials')
    .select(['api_version', (eb) => eb.fn.countAll<number>().as('count')])
    .where('realm', '=', p('realm'))
    .where('kind', '=', 'api_key')
    .where('deleted_at', 'is', null)
    .groupBy('api_version'),
)

/** Lists the API versions with the number of keys pinned to each. */
export const listVersions = endpoint('GET versions', {
  needs: 'session',
  query: { mode: modeParameter },
  async handle({ services, session, query: { mode } }) {
    const { realm } = realmOfSession(session, mode ?? 'live')
    const reader = services.store.reader({ organization: session.organization, realms: [realm] })
    const keys = new Map((await reader.all(countKeys, { realm })).map((row) => [row.api_version, row.count]))
    const { dates } = services.versions
    return { data: dates.map((date, i) => ({ date, is_newest: i === 0, keys: keys.get(date) ?? 0 })) }
  },
})
