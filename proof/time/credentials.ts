/** Credentials are accepted until the second of their expiry, exclusive, even if they were cached before. */
import { hour, type Scene, second } from './scene.ts'

export async function tryCredentials(scene: Scene): Promise<void> {
  const { world, dice } = scene
  const made = Math.floor(scene.start() / second) * second
  scene.at(made)
  const kind = dice.pick(['access_token', 'api_key'] as const)
  const expiresAt = made + (kind === 'access_token' ? hour : dice.int(1, 1000) * second)
  const { secret } = await world.key({ kind, expiresAt })
  for (const moment of scene.around(expiresAt)) {
    scene.at(moment)
    const { status, body } = await world.get('/v1/me', { key: secret })
    const isValid = moment < expiresAt
    scene.expect(status, isValid ? 200 : 401, `a ${kind} ${moment - expiresAt} ms after its expiry`)
    if (!isValid)
      scene.expect(body.error.code, kind === 'api_key' ? 'invalid_api_key' : 'invalid_access_token', 'its code')
  }
}
