// A server that replays one reply: the load generator's own ceiling. Uses a real reply, because the
// load generator must parse equal headers.
import { type AddressInfo, createServer } from 'node:net';
import { argv, stdin, stdout } from 'node:process';

const reply = Buffer.from(argv[2] ?? '', 'base64');

// Requests fit into one packet without pipelining, so each chunk is one request.
const server = createServer({ noDelay: true }, (socket) => {
  socket.on('data', () => socket.write(reply));
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => {
  stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
// The parent has exited.
stdin.resume().on('end', () => process.exit());
