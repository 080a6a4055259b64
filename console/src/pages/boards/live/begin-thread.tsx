/** Begins a thread: the button, and what to do while its place is chosen. */
import { MessageSquarePlus } from 'lucide-react'
import { Button } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'

interface BeginThreadProps {
  readonly isPlacing: boolean
  readonly setPlacing: (isPlacing: boolean) => void
  /** Places the thread in the middle of what the person sees. */
  readonly onPlaceInMiddle: () => void
}

export function BeginThread({ isPlacing, setPlacing, onPlaceInMiddle }: BeginThreadProps) {
  if (!isPlacing) {
    return (
      <Button kind="primary" icon={MessageSquarePlus} onClick={() => setPlacing(true)}>
        {t('Add comment')}
      </Button>
    )
  }
  return (
    <div className="live-make" role="status">
      <p>{t('Click on the board where the comment belongs. On a shape it moves with the shape.')}</p>
      <div className="row">
        <Button size="s" onClick={onPlaceInMiddle}>
          {t('Place in the middle')}
        </Button>
        <Button size="s" onClick={() => setPlacing(false)}>
          {t('Cancel')}
        </Button>
      </div>
    </div>
  )
}
