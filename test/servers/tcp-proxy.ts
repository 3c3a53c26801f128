import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * What the proxy does with connections: hands on, holds everything until it hands on again, swallows everything without a
 * word, or does not take them.
 */
export type ProxyMode = 'pass' | 'hold' | 'swallow' | 'refuse';

/** A TCP proxy on a free port of 127.0.0.1 between a client and the server behind `targetPort`. */
export class TcpProxy {
  readonly #target: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #held = new Set<Socket>();
  #mode: ProxyMode = 'pass';
  #delayMs = 0;
  #due: { readonly at: number; readonly action: () => void } | undefined;
  /** How many connections were taken so far. */
  connections = 0;
  /** How many bytes came from the server so far. */
  received = 0;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => this.#take(client));
  }

  static async start(targetPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** For connections that are open, too; those that were swallowed stay so, as after the loss of a route. */
  setMode(mode: ProxyMode): void {
    this.#mode = mode;
    if (mode === 'refuse') this.reset();
    if (mode === 'swallow') for (const socket of this.#sockets) socket.pause();
    if (mode === 'hold') this.#hold(...this.#sockets);
    if (mode !== 'pass') return;
    for (const socket of this.#held) socket.resume();
    this.#held.clear();
  }

  /** Every piece of data waits so long on its way. */
  setDelay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Does something as soon as so many bytes have come from the server, before the last of them are handed on. */
  at(received: number, action: () => void): void {
    this.#due = { at: received, action };
  }

  /** Cuts all open connections with a TCP reset. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #take(client: Socket): void {
    this.#keep(client);
    if (this.#mode === 'refuse') {
      client.resetAndDestroy();
      return;
    }
    this.connections += 1;
    if (this.#mode === 'swallow') {
      client.pause();
      return;
    }
    const server = connect(this.#target, '127.0.0.1');
    this.#keep(server);
    server.on('data', (chunk: Buffer) => this.#count(chunk.length));
    this.#join(client, server);
    this.#join(server, client);
    if (this.#mode === 'hold') this.#hold(client, server);
  }

  #count(bytes: number): void {
    this.received += bytes;
    if (this.#due === undefined || this.received < this.#due.at) return;
    const { action } = this.#due;
    this.#due = undefined;
    action();
  }

  #hold(...sockets: readonly Socket[]): void {
    for (const socket of sockets) {
      // One that was swallowed stays so.
      if (socket.isPaused()) continue;
      socket.pause();
      this.#held.add(socket);
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#held.delete(socket);
    });
  }

  #join(from: Socket, to: Socket): void {
    from.on('data', (chunk: Buffer) => {
      if (this.#mode === 'swallow') return;
      if (this.#delayMs > 0) setTimeout(() => void to.write(chunk), this.#delayMs);
      else to.write(chunk);
    });
    from.once('close', () => to.destroy());
    from.once('end', () => to.end());
  }
}
