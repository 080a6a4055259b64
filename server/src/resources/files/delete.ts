import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { addBytes, dereferenceContent } from './contents.ts'
import { fileDeleted } from './events.ts'
import { fileNoun, showFile } from './file.ts'

/** Deletes a file. Its id and its URLs then answer 410. */
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
  emits: [fileDeleted],
  example: { params: { id: '{file}' } },
  async handle({ target, tx, now, emit }) {
    await dereferenceContent(tx, target, now)
    addBytes(tx, target.realm, -target.bytes)
    markDeleted(tx, 'files', target, now)
    emit(fileDeleted, showFile(target))
    return { id: target.id, object: 'file', deleted: true }
  },
})
