/** All SQL about the browsers that show notices. */
import { query } from '../../db/query.ts'
import type { PushSubscriptionRow } from '../../db/schema.ts'

/** A person's browsers in an organization, the newest first. */
export const listSubscriptions = query<PushSubscriptionRow, { organization: string; user: string }>((db, p) =>
  db
    .selectFrom('push_subscriptions')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user'))
    .orderBy('created', 'desc')
    .orderBy('id'),
)

/** A browser that another person of the organization has used is the person's from now on. */
export const storeSubscription = query<never, { [K in keyof PushSubscriptionRow]: PushSubscriptionRow[K] }>((db, p) =>
  db
    .insertInto('push_subscriptions')
    .values({
      organization: p('organization'),
      id: p('id'),
      user: p('user'),
      account: p('account'),
      session: p('session'),
      target: p('target'),
      user_agent: p('user_agent'),
      created: p('created'),
    })
    .onConflict((conflict) =>
      conflict.columns(['organization', 'id']).doUpdateSet((eb) => ({
        user: eb.ref('excluded.user'),
        account: eb.ref('excluded.account'),
        session: eb.ref('excluded.session'),
        target: eb.ref('excluded.target'),
        user_agent: eb.ref('excluded.user_agent'),
        created: eb.ref('excluded.created'),
      })),
    ),
)

export const deleteSubscription = query<never, { organization: string; user: string; id: string }>((db, p) =>
  db
    .deleteFrom('push_subscriptions')
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user'))
    .where('id', '=', p('id')),
)

export const deleteSubscriptionsOfSession = query<never, { session: string }>((db, p) =>
  db.deleteFrom('push_subscriptions').where('session', '=', p('session')),
)

/** A browser of the account, in each organization where it shows notices. */
export const keepSubscriptions = query<never, { id: string; account: string; session: string }>((db, p) =>
  db
    .updateTable('push_subscriptions')
    .set({ session: p('session') })
    .where('id', '=', p('id'))
    .where('account', '=', p('account')),
)

export const moveSubscriptions = query<never, { from: string; to: string; account: string }>((db, p) =>
  db
    .updateTable('push_subscriptions')
    .set({ session: p('to') })
    .where('session', '=', p('from'))
    .where('account', '=', p('account')),
)
