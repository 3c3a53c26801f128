import { createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';
import type { Test } from 'tap';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;

/** A server that says no more than which wire version it has, whatever it is asked; its URL. */
export async function oldServer(t: Test, maxWireVersion: number): Promise<string> {
  const sockets = new Set<Socket>();
  const hello = { ok: 1, isWritablePrimary: true, minWireVersion: 0, maxWireVersion, readOnly: false };
  const server = createServer((socket) => {
    sockets.add(socket);
    let bytes = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (more) => {
      bytes = Buffer.concat([bytes, more]);
      while (bytes.length >= HEADER_BYTES && bytes.length >= bytes.readInt32LE(0)) {
        socket.write(answerTo(bytes, hello));
        bytes = bytes.subarray(bytes.readInt32LE(0));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `mongodb://127.0.0.1:${address.port}/rollcall?directConnection=true`;
}

function answerTo(request: Buffer, document: Document): Buffer {
  const isQuery = request.readInt32LE(12) === OP_QUERY;
  // The flags, the cursor, where it starts and the number of documents; or the flags and the kind of the section.
  const before = isQuery ? Buffer.concat([Buffer.alloc(16), int32(1)]) : Buffer.alloc(5);
  const body = Buffer.concat([before, BSON.serialize(document)]);
  const header = [HEADER_BYTES + body.length, 0, request.readInt32LE(4), isQuery ? OP_REPLY : OP_MSG];
  return Buffer.concat([...header.map(int32), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
