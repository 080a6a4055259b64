import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { detachEvents, detachFile } from './detach.ts'
import { fileDeleted } from './events.ts'
import { fileNoun, showFile } from './file.ts'
import { addBytes, dereferenceContent } from './shared/contents.ts'

/**
 * Deletes a file and detaches it from its objects, with one event for each. Its id and its URLs then answer 410. A receipt of an
 * expense that is no longer a draft is refused.
 */
export const deleteFile = writeOperation({
  id: 'files.delete',
  method: 'DELETE',
  path: '/v1/files/{id}',
  summary: 'Delete a file',
  scope: 'files:write',
  credits: 10,
  extension: true,
  target: fileNoun,
  returns: Deleted('file'),
  emits: [fileDeleted, ...detachEvents],
  example: { params: { id: '{file}' } },
  async handle({ target, tx, caller, now, emit }) {
    await detachFile({ tx, caller, now, emit }, target)
    await dereferenceContent(tx, target, now)
    addBytes(tx, target.realm, -target.bytes)
    markDeleted(tx, 'files', target, now)
    emit(fileDeleted, showFile(target))
    return { id: target.id, object: 'file', deleted: true }
  },
})
