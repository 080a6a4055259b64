/// <reference types="vite/client" />
/** Excalidraw without the console around it, with the scene of `/scene.json`: what the frames of a board are compared with. */
import '@excalidraw/excalidraw/index.css'
import { Excalidraw } from '@excalidraw/excalidraw'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'

const root = document.getElementById('root')
if (root !== null) {
  const initialData = fetch('/scene.json').then(async (response) => await response.json())
  createRoot(root).render(createElement(Excalidraw, { initialData }))
}
