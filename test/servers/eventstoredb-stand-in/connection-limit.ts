import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';

interface Connection {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Runs at most `most` calls on a connection at once; later ones wait, unheard, until one has ended. The server itself counts:
 * Node's HTTP/2 sessions refuse a call that arrives together with the end of the one whose slot it takes.
 */
export function connectionLimit(most: number): ServerInterceptor {
  const connections = new Map<string, Connection>();
  const begin = (peer: string, start: () => void): void => {
    const connection = connections.get(peer) ?? { running: 0, waiting: [] };
    connections.set(peer, connection);
    if (connection.running >= most) return void connection.waiting.push(start);
    connection.running += 1;
    start();
  };
  const end = (peer: string): void => {
    const connection = connections.get(peer);
    if (connection === undefined) return;
    connection.running -= 1;
    const next = connection.waiting.shift();
    if (next !== undefined) begin(peer, next);
    else if (connection.running === 0) connections.delete(peer);
  };
  return (_method, call) => {
    const peer = call.getPeer();
    return new ServerInterceptingCall(call, {
      start: (next) =>
        begin(peer, () => {
          const begun = { isHeard: false };
          next({
            onReceiveMetadata: (metadata, pass) => ((begun.isHeard = true), pass(metadata)),
            onCancel: () => end(peer),
          });
          // Cancelled while it waited: then it hears of nothing.
          if (!begun.isHeard) end(peer);
        }),
    });
  };
}
