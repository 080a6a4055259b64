import { readOperation } from '../../api/declare/operation.ts'
import { downloadOf } from './download.ts'
import { ExportJob, exportJobNoun, showExportJob } from './job.ts'

/**
 * Shows an export job. A completed one has a new download URL, valid for one hour. The file expires after seven days.
 */
export const retrieveJob = readOperation({
  id: 'jobs.retrieve',
  method: 'GET',
  path: '/v1/jobs/{id}',
  summary: 'Retrieve an export job',
  scope: 'tasks:read',
  credits: 1,
  uncached: true,
  target: exportJobNoun,
  returns: ExportJob,
  example: { params: { id: '{export_job}' } },
  handle({ target, services, now }) {
    const isOver = target.status === 'completed' && now >= (target.expires_at ?? 0)
    const job = isOver ? { ...target, status: 'expired' } : target
    return showExportJob(job, downloadOf(services, job, now))
  },
})
