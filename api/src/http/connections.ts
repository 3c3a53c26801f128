import { STATUS_CODES, ServerResponse, type IncomingMessage, type Server, METHODS } from 'node:http';
import { Socket } from 'node:net';
import { newId } from '@rollcall/application';
import { HttpError, type ErrorKind } from './errors.js';
import type { ApiApp } from './fastify-types.js';
import { bareHeaders, requestId } from './request-log.js';
import { pageOfForm } from './urls.js';

const parserErrors: Readonly<Record<string, ErrorKind>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
  HPE_HEADER_OVERFLOW: 'headers-too-large',
};

const kindOf = (code = ''): ErrorKind => parserErrors[code] ?? 'invalid-request';

/** Answers what the HTTP parser refuses; no request object exists, so the response is raw text. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const answer = answerUnderWay(socket);
  if (answer?.req.complete) endAfter(answer, socket);
  else if (socket.writable && !answer?.headersSent)
    socket.end(rawAnswer(kindOf(error.code)), () => socket.destroy());
  // The client would read a second answer as part of the first.
  else socket.destroy();
}

function answerUnderWay(socket: Socket): ServerResponse | undefined {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return answer instanceof ServerResponse ? answer : undefined;
}

/** The refused bytes follow a complete request, whose answer is still to come. It is called for each that arrives. */
function endAfter(answer: ServerResponse, socket: Socket): void {
  if (answer.shouldKeepAlive) answer.once('finish', () => socket.destroySoon());
  answer.shouldKeepAlive = false;
}

function rawAnswer(kind: ErrorKind): string {
  const { row, message } = new HttpError(kind);
  const errors = row.status === 400 ? { ValidationErrors: ['The request is not valid HTTP'] } : {};
  const body = JSON.stringify({ Message: message, ...errors });
  const head = [
    `HTTP/1.1 ${row.status} ${STATUS_CODES[row.status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries({ ...bareHeaders, 'x-request-id': newId() }).map((each) => each.join(': ')),
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Discards the rest of the body for a while after an early answer, so that the client reads it before a reset. */
export function lingerAfterEarlyAnswers(app: ApiApp, lingerMs: number): void {
  app.addHook('onSend', ({ raw }, _reply, _payload, done) => {
    if (raw.socket instanceof Socket && !raw.complete) closeAfterBody(raw, raw.socket);
    done();
  });
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    const { socket } = raw;
    if (socket instanceof Socket && !raw.complete && !raw.destroyed) {
      raw.resume();
      const timer = setTimeout(() => socket.destroy(), lingerMs);
      raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/** After `Connection: close` Node destroys the socket, which resets a client that still sends. */
function closeAfterBody(raw: IncomingMessage, socket: Socket): void {
  const close = (): void => Socket.prototype.destroySoon.call(socket);
  socket.destroySoon = () => {
    if (raw.complete) return close();
    socket.end();
    raw.once('close', close);
  };
}

/** Node's own answer to an unknown `Expect` has no body. */
export function answerExpectations(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { row, message } = new HttpError('expectation-failed');
    const body = JSON.stringify({ Message: message });
    request.resume();
    response
      .writeHead(row.status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'x-request-id': requestId(request, newId),
        ...bareHeaders,
      })
      .end(body);
  });
}

/** CONNECT never reaches the router: its target is a host. */
export function answerConnects(server: Server): void {
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(rawAnswer('not-found'), () => socket.destroy());
  });
}

/** CONNECT never reaches a router; QUERY and the like are known to Node but not supported here. */
const answerable = METHODS.filter((method) => method !== 'CONNECT');

/** Collects the routes. Call the result after the last route: every other method of their paths is a 405. */
export function answerOtherMethods(app: ApiApp): () => void {
  const paths = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = paths.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each.toUpperCase());
    paths.set(url, methods);
  });
  return () => {
    for (const method of answerable) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
    for (const [url, taken] of [...paths]) {
      const allow = [...taken].sort().join(', ');
      app.route({
        url,
        method: answerable.filter((method) => !taken.has(method)),
        schema: { hide: true },
        config: { rateLimit: false },
        // Runs before query, type and body are checked.
        onRequest: ({ method, url: asked }, reply, next) => {
          // As Enter in the address bar asks for it after the form has had a problem.
          if (method === 'GET' && url.startsWith('/operations/'))
            return void reply.redirect(pageOfForm(asked), 303);
          next(new HttpError('method-not-allowed', { headers: { allow } }));
        },
        handler: (_request, reply) => reply.callNotFound(),
      });
    }
  };
}
