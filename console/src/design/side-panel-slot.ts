/** The place in the frame where a panel beside the page is shown. */
import { createStore } from '../lib/store.ts'

/** The frame's element for the panel, while it is mounted. */
export const sidePanelSlot = createStore<HTMLElement | null>(null)
