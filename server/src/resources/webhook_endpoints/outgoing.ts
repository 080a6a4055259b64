/** The headers of every request to an endpoint: verifications and deliveries. */
export function webhookHeaders(event: { readonly type: string }, version: string): Record<string, string> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'Atrium-Webhooks/1',
    'Service-Version': version,
    'Service-Event-Type': event.type,
  }
}
