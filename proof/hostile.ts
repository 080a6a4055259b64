/**
 * Receivers as an attacker would write them, in a separate process so that their memory does not count as the product's. Prints
 * its port as one line of JSON and ends with its parent. The path names the misbehaviour.
 */
import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

const line = 'x'.repeat(16 * 1024)
const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024), { level: 9 })

/** Writes until the other side closes. */
function flood(socket: Socket, chunk: string | Buffer): void {
  const pour = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', pour)
  pour()
}

function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 20)
  socket.on('close', () => clearInterval(timer))
}

const ok = 'HTTP/1.1 200 OK\r\n'

const behaviours: Readonly<Record<string, (socket: Socket) => void>> = {
  endless(socket) {
    socket.write(`${ok}Content-Type: text/plain\r\n\r\n`)
    flood(socket, line)
  },
  chunks(socket) {
    socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n`)
    flood(socket, '1\r\nx\r\n'.repeat(2000))
  },
  extensions(socket) {
    socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n1;`)
    flood(socket, line)
  },
  trailers(socket) {
    socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n`)
    flood(socket, `X-${line}: y\r\n`)
  },
  bomb(socket) {
    socket.end(
      Buffer.concat([Buffer.from(`${ok}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`), bomb]),
    )
  },
  drip(socket) {
    socket.write(`${ok}Content-Length: 100000\r\n\r\n`)
    drip(socket, 'x')
  },
  slow_head: (socket) => drip(socket, 'H'),
  early: (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(50)),
  continues: (socket) => flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
  headers(socket) {
    socket.write(ok)
    flood(socket, 'X-Filler: y\r\n'.repeat(500))
  },
  long_header(socket) {
    socket.write(`${ok}X-Filler: `)
    flood(socket, line)
  },
  status(socket) {
    socket.write('HTTP/1.1 200 ')
    flood(socket, line)
  },
  noise: (socket) => flood(socket, Buffer.alloc(16 * 1024, 7)),
  silent: () => {},
  close: (socket) => socket.destroy(),
  upgrade: (socket) =>
    void socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  huge_length: (socket) => void socket.write(`${ok}Content-Length: 9007199254740993\r\n\r\nx`),
  redirect: (socket) => void socket.end('HTTP/1.1 302 Found\r\nLocation: /endless\r\nContent-Length: 0\r\n\r\n'),
}

export const hostilities: readonly string[] = Object.keys(behaviours)

/** An internal address that no public name may lead to, with one of the two ports that a public URL may name. */
export const trap = '127.91.73.5'
const trap_port = 8443

function listen(): void {
  let trapped = 0
  createServer((socket) => {
    trapped++
    socket.destroy()
  }).listen(trap_port, trap)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (head) => {
      const [, name = ''] = /^\S+ \/(\w+)/.exec(head.toString('latin1')) ?? []
      const count = String(trapped)
      if (name === 'trapped') socket.end(`${ok}Content-Length: ${count.length}\r\nConnection: close\r\n\r\n${count}`)
      else behaviours[name]?.(socket)
    })
  })
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())))
  process.stdin.resume().once('end', () => process.exit())
}

if (import.meta.main) listen()
