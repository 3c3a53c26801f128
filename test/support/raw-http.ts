import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends bytes as they are over a connection of its own and gives all that comes back until it is closed or reset. */
export async function sendRaw(
  port: number,
  parts: readonly (string | Uint8Array)[],
  options: { readonly halfClose?: boolean; readonly timeoutMs?: number } = {},
): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.setTimeout(options.timeoutMs ?? 60_000, () => socket.destroy());
  await once(socket, 'connect');
  for (const part of parts) socket.write(part);
  if (options.halfClose) socket.end();
  socket.on('end', () => socket.end());
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString();
}

/** The status line's number; 0 where nothing came. */
export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

/** The text behind the head. */
export const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4);
