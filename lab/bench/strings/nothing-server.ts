// A server that does nothing but send the same reply again: what the load reaches here is its own ceiling.
// It replays a real reply, because the load has to parse the headers of the real ones too.
import { type AddressInfo, createServer } from 'node:net';
import { argv, stdin, stdout } from 'node:process';

const reply = Buffer.from(argv[2] ?? '', 'base64');

// A request of the load fits into one packet and nothing is pipelined, so each chunk is one request.
const server = createServer({ noDelay: true }, (socket) => {
  socket.on('data', () => socket.write(reply));
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => {
  stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
// The parent is gone.
stdin.resume().on('end', () => process.exit());
