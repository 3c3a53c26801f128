import type { FastifyReply, FastifyRequest } from 'fastify';

export interface Cookies {
  readonly session: (request: FastifyRequest) => string | undefined;
  readonly setSession: (reply: FastifyReply, value: string) => void;
  readonly endSession: (reply: FastifyReply) => void;
  /** The line that the next page shows once. */
  readonly done: (request: FastifyRequest) => string | undefined;
  readonly setDone: (reply: FastifyReply, text: string) => void;
  readonly endDone: (reply: FastifyReply) => void;
}

function valueOf({ headers }: FastifyRequest, name: string): string | undefined {
  const pair = (headers.cookie ?? '').split(/; */).find((each) => each.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

function textOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  return Buffer.from(value, 'base64url').toString();
}

/** `__Host-`: a neighbour's host name can neither set it nor see it. It needs `Secure` and with it TLS. */
export function cookies(isSecure: boolean): Cookies {
  const name = isSecure ? '__Host-rollcall' : 'rollcall';
  const attributes = `; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  const set = (reply: FastifyReply, pair: string): void => {
    reply.header('set-cookie', pair + attributes);
  };
  return {
    session: (request) => valueOf(request, name),
    setSession: (reply, value) => set(reply, `${name}=${value}`),
    endSession: (reply) => set(reply, `${name}=; Max-Age=0`),
    done: (request) => textOf(valueOf(request, `${name}-done`)),
    setDone: (reply, text) =>
      set(reply, `${name}-done=${Buffer.from(text.slice(0, 500)).toString('base64url')}; Max-Age=60`),
    endDone: (reply) => set(reply, `${name}-done=; Max-Age=0`),
  };
}
