/** What the person keeps at hand in the navigation: projects, boards and flows, for all browsers. */
import './favorites.css'
import { Star } from 'lucide-react'
import { useAppWrite, useMode, useSession } from '../data/index.ts'
import { IconButton } from '../design/index.ts'
import { t } from '../language/index.ts'

/** The ids of the favorites in this mode. */
export function useFavorites(): readonly string[] {
  const mode = useMode()
  return useSession().preferences.favorites[mode] ?? []
}

/** Beside the title of a project, a board or a flow. */
export function FavoriteButton({ id }: { readonly id: string }) {
  const mode = useMode()
  const favorites = useFavorites()
  const write = useAppWrite('PATCH preferences')
  const isFavorite = favorites.includes(id)
  const toggle = () => {
    const next = isFavorite ? favorites.filter((each) => each !== id) : [...favorites, id]
    void write.run({ body: { favorites: { [mode]: next } } })
  }
  return (
    <IconButton
      icon={Star}
      size="s"
      kind="plain"
      className="favorite"
      label={isFavorite ? t('Remove from favorites') : t('Add to favorites')}
      pressed={isFavorite}
      aria-busy={write.busy || undefined}
      onClick={write.busy ? undefined : toggle}
    />
  )
}
