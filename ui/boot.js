// Starts the interface. What goes wrong before it runs, or ends it, is said in the page.
import init, { start } from './ui.js'

function fail(heading, error) {
  const box = document.createElement('main')
  box.className = 'boot-failed'
  box.setAttribute('role', 'alert')
  const title = document.createElement('h1')
  title.textContent = heading
  const note = document.createElement('p')
  note.textContent = 'Your data was not touched: everything that was shown is kept.'
  const again = document.createElement('button')
  again.className = 'button button--primary'
  again.textContent = 'Show it again'
  again.addEventListener('click', () => location.reload())
  const details = document.createElement('pre')
  details.textContent = String((error && error.stack) || error)
  box.append(title, note, again, details)
  document.body.replaceChildren(box)
  again.focus()
}

// A fault in the interface leaves it standing still: better to say so than to look alive.
addEventListener('error', (event) => {
  if (event.error instanceof WebAssembly.RuntimeError) {
    fail('The window stopped working', event.error)
  }
})

try {
  await init({ module_or_path: '/ui_bg.wasm' })
  start()
} catch (error) {
  fail('Holdfast could not show its window', error)
}
