// Starts the interface; what goes wrong before it runs is said in the page.
import init, { start } from './ui.js'

try {
  await init({ module_or_path: '/ui_bg.wasm' })
  start()
} catch (error) {
  const box = document.createElement('main')
  box.className = 'boot-failed'
  const title = document.createElement('h1')
  title.textContent = 'Holdfast could not show its window'
  const words = document.createElement('pre')
  words.textContent = String((error && error.stack) || error)
  const note = document.createElement('p')
  note.textContent = 'Your data was not touched. Close the window and start Holdfast again.'
  box.append(title, note, words)
  document.body.replaceChildren(box)
}
