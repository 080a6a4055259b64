import { verifyServiceSignature, verifyStandardWebhook } from './webhooks.ts'

const cases = JSON.parse(Buffer.concat(await process.stdin.toArray()).toString())
const judged = cases.map(({ scheme, body_base64, headers, secret, now }) => {
  const body = Buffer.from(body_base64, 'base64')
  return scheme === 'service'
    ? verifyServiceSignature(body, headers['service-signature'], secret, now)
    : verifyStandardWebhook(body, headers, secret, now)
})
console.log(JSON.stringify(judged))
