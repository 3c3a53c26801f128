import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { HttpError } from '../../http/errors.js';
import { watchRate } from '../../http/receive-body.js';
import type { ApiApp } from '../../http/fastify-types.js';
import type { RouteDependencies } from '../../route-dependencies.js';
import { maxFormBytes } from './page-app.js';
import { PageError } from './page-error.js';

const pack = promisify(deflateRaw);
const unpack = promisify(inflateRaw);

/** A file as a form keeps it from step to step: packed, in base64. */
export const packed = async (bytes: Uint8Array): Promise<string> => (await pack(bytes)).toString('base64url');

/** Undefined for what is no packed file, or has more bytes. */
export async function unpacked(text: string, maxOutputLength: number): Promise<Buffer | undefined> {
  try {
    return await unpack(Buffer.from(text, 'base64url'), { maxOutputLength });
  } catch {
    return undefined;
  }
}

/** Nothing for the file of a form where none was chosen. */
const packedFile = async (file: Pick<File, 'size' | 'arrayBuffer'>): Promise<string> =>
  file.size === 0 ? '' : packed(new Uint8Array(await file.arrayBuffer()));

async function fieldsIn(body: Buffer, contentType: string): Promise<Record<string, string>> {
  const fields: Record<string, string> = {};
  const answer = new Response(new Uint8Array(body), { headers: { 'content-type': contentType } });
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- for bodies that grow; this one has arrived, within its limit
  const form = await answer.formData();
  for (const [name, value] of form)
    fields[name] = typeof value === 'string' ? value : await packedFile(value);
  return fields;
}

const cutOff = () => new PageError(400, 'The form did not arrive whole', 'Go back, and send it again.');

/**
 * Takes forms with files too (RFC 7578): a file becomes a field of its packed content. A form may be as slow as any other body, then
 * 408. While it arrives, what is more than a form without a file has counts as a body of all operators together.
 */
export function takeForms(app: ApiApp, { bodies, config }: RouteDependencies): void {
  app.addHook('preParsing', async ({ raw, headers, routeOptions }, reply, payload) => {
    if (raw.method !== 'POST') return payload;
    // It emits no `close` any more.
    if (raw.destroyed) throw cutOff();
    const held = bodies.open(0);
    const length = Number(headers['content-length'] ?? Infinity);
    held.reach(Math.min(length, routeOptions.bodyLimit) - maxFormBytes);
    const arriving = { moved: () => raw.socket.bytesRead, isWaiting: () => raw.complete };
    const stop = watchRate(config.timeouts, arriving, () => {
      stop();
      void reply.send(new HttpError('request-timeout'));
    });
    for (const event of ['end', 'close']) raw.once(event, stop).once(event, () => held.release());
    return payload;
  });
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer) =>
      fieldsIn(body, request.headers['content-type'] ?? '').catch(() => Promise.reject(cutOff())),
  );
}
