import { readOperation } from '../../api/declare/operation.ts'
import { File, fileNoun, showFile } from './file.ts'
import { seenObjects } from './files-of-guest.ts'
import { urlsOf } from './links.ts'
import { attachedTo } from './shared/attachments.ts'
import { findPreviews } from './shared/contents.ts'

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
  async handle({ target, caller, reader, services: { sealer, settings }, now }) {
    const pairs = (await attachedTo(reader, target.realm, [target.id])).get(target.id) ?? []
    const attached_to = await seenObjects(reader, caller, pairs)
    const hasPreview = (await findPreviews(reader, target.realm, [target.sha256])).size > 0
    const signing = { sealer, publicUrl: settings.publicUrl }
    return showFile(target, { attached_to, ...urlsOf(signing, target, hasPreview, now) })
  },
})
