import { randomUUID } from 'node:crypto';
import { STATUS_CODES, ServerResponse, type IncomingMessage, type Server } from 'node:http';
import { Socket } from 'node:net';
import { HttpError, type ErrorKind } from './errors.js';
import type { ApiApp } from './fastify-types.js';
import { bareHeaders } from './safety-headers.js';

const parserErrors: Readonly<Record<string, ErrorKind>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
  HPE_HEADER_OVERFLOW: 'headers-too-large',
};

/** Answers what the HTTP parser refuses: no request exists then, so the answer is written by hand. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable && !hasAnswered(socket)) {
    socket.end(rawAnswer(parserErrors[error.code ?? ''] ?? 'invalid-request'), () => socket.destroy());
  } else {
    socket.destroy();
  }
}

function rawAnswer(kind: ErrorKind): string {
  const { row, message } = new HttpError(kind);
  const errors = row.status === 400 ? { ValidationErrors: ['The request is not valid HTTP'] } : {};
  const body = JSON.stringify({ Message: message, ...errors });
  const head = [
    `HTTP/1.1 ${row.status} ${STATUS_CODES[row.status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries({ ...bareHeaders, 'x-request-id': randomUUID() }).map((each) => each.join(': ')),
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** A second answer would be read as part of the first. Node keeps the one under way here. */
function hasAnswered(socket: Socket): boolean {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return answer instanceof ServerResponse && answer.headersSent;
}

/**
 * After an answer to a body that nobody read, the rest is thrown away for a while, so that the client sees the answer
 * before a reset; then the connection goes.
 */
export function lingerAfterEarlyAnswers(app: ApiApp, lingerMs: number): void {
  app.addHook('onResponse', (request, _reply, done) => {
    const { raw } = request;
    const { socket } = raw;
    // What the process asks of itself comes over no connection.
    if (socket instanceof Socket && !raw.complete && !raw.destroyed) {
      raw.resume();
      const timer = setTimeout(() => socket.destroy(), lingerMs);
      raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/** `Expect` with anything but 100-continue: Node's own answer would have no body. */
export function answerExpectations(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { row, message } = new HttpError('expectation-failed');
    const body = JSON.stringify({ Message: message });
    request.resume();
    response
      .writeHead(row.status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'x-request-id': randomUUID(),
        ...bareHeaders,
      })
      .end(body);
  });
}

/** CONNECT reaches no router: its target is a host, which is no path of this service. */
export function answerConnects(server: Server): void {
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(rawAnswer('not-found'), () => socket.destroy());
  });
}
