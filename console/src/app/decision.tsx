/** The decision on an approval: two buttons, and a dialog that shows what is asked and takes a comment. */
import { Check, X } from 'lucide-react'
import { useState } from 'react'
import { fieldErrors, useWrite } from '../data/index.ts'
import { Button, Field, TextArea } from '../design/index.ts'
import { t } from '../language/index.ts'
import { FormDialog } from './form-dialog.tsx'

type Verdict = 'approved' | 'rejected'

interface DecisionProps {
  readonly approval: string
  /** What is asked. */
  readonly text: string
}

export function Decision(props: DecisionProps) {
  const [verdict, setVerdict] = useState<Verdict | null>(null)
  return (
    <span className="row">
      <Button size="s" kind="primary" icon={Check} onClick={() => setVerdict('approved')}>
        {t('Approve')}
      </Button>
      <Button size="s" icon={X} onClick={() => setVerdict('rejected')}>
        {t('Reject')}
      </Button>
      {verdict !== null && <DecisionDialog {...props} verdict={verdict} onClose={() => setVerdict(null)} />}
    </span>
  )
}

interface DialogProps extends DecisionProps {
  readonly verdict: Verdict
  readonly onClose: () => void
}

function DecisionDialog({ approval, text, verdict, onClose }: DialogProps) {
  const [comment, setComment] = useState('')
  const write = useWrite({
    write: (atrium, said: string) =>
      atrium.automationApprovals.decide(approval, { decision: verdict, ...(said.trim() !== '' && { comment: said }) }),
    // Another person may decide meanwhile.
    waits: false,
    toastErrors: false,
    invalidates: ['notification', 'automation_run'],
    rereads: ['notification_count'],
    done: () => (verdict === 'approved' ? t('Approved') : t('Rejected')),
  })
  const decide = async () => {
    if ((await write.run(comment)) !== undefined) onClose()
  }
  const action = verdict === 'approved' ? t('Approve') : t('Reject')
  return (
    <FormDialog
      title={action}
      description={text}
      action={action}
      write={write}
      fields={['comment']}
      onSubmit={decide}
      onClose={onClose}
    >
      <Field
        label={t('Comment')}
        hint={t('Optional. The decision cannot be taken back.')}
        error={fieldErrors(write.error).comment}
      >
        <TextArea rows={3} value={comment} onChange={({ currentTarget }) => setComment(currentTarget.value)} />
      </Field>
    </FormDialog>
  )
}
