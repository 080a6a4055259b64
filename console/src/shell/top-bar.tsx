/** The bar above the pages: search, the areas' slot, the switch for test data, the account menu. */
import { Keyboard, LogOut, Menu as MenuIcon, Search, Settings, WifiOff } from 'lucide-react'
import { useLocation } from 'wouter'
import { openPalette, openShortcuts } from '../app/overlays.ts'
import { signOut } from '../app/sign-out.ts'
import { topBarSlot } from '../app/top-bar-slot.tsx'
import { useLostSince } from '../data/connection.ts'
import { useLiveState } from '../data/live.ts'
import { useMode } from '../data/mode.ts'
import { useSession } from '../data/session-store.ts'
import { Avatar } from '../design/avatar.tsx'
import { IconButton } from '../design/button.tsx'
import { Kbd } from '../design/kbd.tsx'
import { Menu } from '../design/menu.tsx'
import { Tooltip } from '../design/tooltip.tsx'
import { rich, t } from '../language/index.ts'

export function TopBar({ onNavigation }: { readonly onNavigation: () => void }) {
  return (
    <header className="top-bar">
      <IconButton className="top-bar-menu" icon={MenuIcon} label={t('Navigation')} onClick={onNavigation} />
      <button type="button" className="top-search" onClick={openPalette} aria-keyshortcuts="Meta+K Control+K">
        <Search aria-hidden="true" className="top-search-icon" />
        <span className="cut">{t('Search or go to…')}</span>
        <Kbd keys="mod+k" />
      </button>
      <div className="top-end">
        <Offline />
        <div className="top-slot" ref={topBarSlot.set} />
        <ModeSwitch />
        <AccountMenu />
      </div>
    </header>
  )
}

function Offline() {
  const state = useLiveState()
  const isLost = useLostSince() !== null
  if (state !== 'broken' || isLost) return null
  return (
    <Tooltip text={t('Live updates are paused. Reconnecting…')}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its explanation is a tooltip */}
      <div className="offline" role="status" tabIndex={0}>
        <WifiOff aria-hidden="true" />
        <span>{t('Offline')}</span>
      </div>
    </Tooltip>
  )
}

/** Under Developers, and wherever test data is shown. */
function ModeSwitch() {
  const mode = useMode()
  const [path, navigate] = useLocation()
  const isTest = mode === 'test'
  if (!isTest && path !== '/developers' && !path.startsWith('/developers/')) return null
  const change = () => {
    // An object exists in one mode only, so its page switches to the page of its area.
    const isObject = /_[0-9A-Z]{26}/.test(path)
    const to = isObject ? `/${path.split('/')[1]}` : path
    navigate(`${to}?mode=${isTest ? 'live' : 'test'}`)
  }
  return (
    <Tooltip
      text={
        isTest ? t('Viewing test data. Switch to live data.') : t('Switch to test data. Live data is not affected.')
      }
    >
      <button type="button" role="switch" className="mode-switch" aria-checked={isTest} onClick={change}>
        <span className="mode-track" aria-hidden="true" />
        {rich('Test{span}', { span: <span className="unseen"> {t('data')}</span> })}
      </button>
    </Tooltip>
  )
}

function AccountMenu() {
  const { user, account } = useSession()
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ') || account.email
  return (
    <Menu
      label={t('Account')}
      items={[
        { heading: `${name === account.email ? '' : `${name} · `}${account.email}` },
        { label: t('Settings'), icon: Settings, to: '/settings/profile', keys: 'g s' },
        { label: t('Keyboard shortcuts'), icon: Keyboard, keys: '?', onSelect: openShortcuts },
        'line',
        { label: t('Sign out'), icon: LogOut, onSelect: () => void signOut() },
      ]}
      trigger={
        <button type="button" className="account" aria-label={t('Account of {name}', { name })}>
          <Avatar name={name} id={user.id} />
        </button>
      }
    />
  )
}
