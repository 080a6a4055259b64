/** The SDK of Atrium: `new Atrium({ apiKey, baseUrl })`, `verifyWebhook`, and all types. */
export { Call, type WithResponse } from './call.ts'
export { Atrium, type DryRunOf, type PlainRequest } from './client.ts'
export * from './errors.ts'
export type { ErrorCode, ErrorType } from './generated/errors.ts'
export type * from './generated/objects.ts'
export type * from './generated/parameters.ts'
export { api_version } from './generated/version.ts'
export { List, type ListEnvelope, Page } from './list.ts'
export type {
  AtriumOptions,
  RequestOptions,
  Retry,
  Revision,
  RevisionOptions,
  StreamOptions,
  WriteOptions,
} from './options.ts'
export type { UploadContent } from './request.ts'
export type { CreditWindow, ResponseInfo } from './response-info.ts'
export { EventStream } from './stream.ts'
export { type RawBody, type VerifyOptions, verifyWebhook, type WebhookHeaders } from './webhooks.ts'
