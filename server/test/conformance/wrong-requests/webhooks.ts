/** Wrong requests to webhook endpoints, resend and replay. */
import { body, path, query, type Wrong } from './wrong.ts'

const webhook = 'invalid_webhook_url'

export const webhooks: readonly Wrong[][] = [
  body(
    'webhook_endpoints.create',
    [{ url: undefined }, 'url'],
    [{ url: 5 }, 'url'],
    [{ url: 'hooks' }, 'url', webhook],
    [{ url: 'http://hooks.example.com/' }, 'url', webhook],
    [{ url: 'ftp://hooks.example.com/' }, 'url', webhook],
    [{ url: 'https://me:secret@hooks.example.com/' }, 'url', webhook],
    [{ url: 'https://hooks.example.com/#top' }, 'url', webhook],
    [{ url: 'https://hooks.example.com:8080/' }, 'url', webhook],
    [{ url: 'https://10.0.0.1/' }, 'url', webhook],
    [{ url: 'https://[::1]/' }, 'url', webhook],
    [{ event_types: undefined }, 'event_types'],
    [{ event_types: [] }, 'event_types'],
    [{ event_types: 'workflow.*' }, 'event_types'],
    [{ event_types: ['workflow.*', 'task.created'] }, undefined],
    [{ event_types: ['platform.webhook_endpoint.verify'] }, undefined],
    [{ exclude_own_events: 'no' }, 'exclude_own_events'],
    [{ secret: 'mine' }, 'secret'],
  ),
  body(
    'webhook_endpoints.update',
    [{ status: 'disabled' }, 'status'],
    [{ status: 'on' }, 'status'],
    [{ url: null }, 'url'],
  ),
  body(
    'webhook_endpoints.update',
    [{ url: 'https://192.168.0.1/' }, 'url', webhook],
    [{ event_types: ['x'] }, undefined],
  ),
  path('webhook_endpoints.retrieve', [{ id: 'whe_x' }, null]),
  path('webhook_endpoints.delete', [{ id: 'whe_x' }, null]),
  query('webhook_endpoints.list', [{ cursor: 'x' }, 'cursor', 'cursor_invalid'], [{ fields: 'id' }, 'fields']),
  path('webhook_endpoints.test', [{ id: 'whe_x' }, null]),
  body(
    'webhook_endpoints.recover',
    [{ since: undefined }, 'since'],
    [{ since: null }, 'since'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: 1 }, 'since'],
    [{ since: -1 }, 'since'],
    [{ until: 1 }, 'until'],
  ),
  path('webhook_endpoints.recover', [{ id: 'whe_x' }, null]),
  path('deliveries.list', [{ id: 'whe_x' }, null]),
  query(
    'deliveries.list',
    [{ status: 'skipped' }, 'status'],
    [{ created_after: 'yesterday' }, 'created_after'],
    [{ starting_after: 'dlv_x' }, 'starting_after', 'cursor_invalid'],
    [{ cursor: 'x' }, 'cursor'],
  ),
  path('events.retrieve', [{ id: 'evt_x' }, null]),
  path('events.resend', [{ id: 'evt_x' }, null]),
  path('events.replay', [{ id: 'evt_x' }, null]),
]
