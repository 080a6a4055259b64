import { readOperation } from '../../api/declare/operation.ts'
import { File, fileNoun, showFile } from './file.ts'
import { contentUrl } from './links.ts'
import { attachedTo } from './shared/attachments.ts'

/** Shows a file with a new URL of its content, valid for one hour. A deleted one answers 410. */
export const retrieveFile = readOperation({
  id: 'files.retrieve',
  method: 'GET',
  path: '/v1/files/{id}',
  summary: 'Retrieve a file',
  scope: 'files:read',
  credits: 1,
  extension: true,
  uncached: true,
  target: fileNoun,
  returns: File,
  example: { params: { id: '{file}' } },
  async handle({ target, reader, services: { sealer, settings }, now }) {
    const url = contentUrl({ sealer, publicUrl: settings.publicUrl }, target, now)
    const attached_to = (await attachedTo(reader, target.realm, [target.id])).get(target.id) ?? []
    return showFile(target, { attached_to, url })
  },
})
