// A shell that answers what a test told it to, and notes what it was asked.

let callbacks
let asked
let answers
let channels
let isDown

export function install() {
  callbacks = new Map()
  asked = []
  answers = new Map()
  channels = new Map()
  isDown = false
  let lastId = 0
  window.__TAURI_INTERNALS__ = {
    transformCallback(callback) {
      lastId += 1
      callbacks.set(lastId, callback)
      return lastId
    },
    unregisterCallback: (id) => callbacks.delete(id),
    invoke,
  }
}

async function invoke(command, values) {
  if (isDown) throw 'the engine does not answer'
  const key = command === 'execute' ? values.command.type : command
  asked.push([key, command === 'execute' ? values.command : values])
  if (values && values.channel) {
    channels.set(command, Number(values.channel.replace('__CHANNEL__:', '')))
  }
  const answer = answers.get(key)
  if (answer && answer.reject) throw answer.reject
  return answer === undefined ? null : answer
}

/// What a command is answered with from now on.
export function answer(key, json) {
  answers.set(key, JSON.parse(json))
}

/// Sends something through the newest channel that was opened by a command.
export function deliver(command, index, json) {
  const callback = callbacks.get(channels.get(command))
  if (callback) callback({ index, message: JSON.parse(json) })
}

/// The other side lets go of the channel.
export function end(command, index) {
  const callback = callbacks.get(channels.get(command))
  if (callback) callback({ index, end: true })
}

/// With what a command was called so far: a JSON array.
export function calls(key) {
  return JSON.stringify(asked.filter(([name]) => name === key).map(([, values]) => values))
}

export function set_down(down) {
  isDown = down
}

export async function wait(millis) {
  await new Promise((resolve) => setTimeout(resolve, millis))
}
