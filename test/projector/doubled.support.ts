import type { Handler, Projection } from '@rollcall/projector';

/** The same projection, each part written twice and then the whole event again. */
export function doubled(projection: Projection): Projection {
  const twice = (handler: Handler): Handler =>
    async function* (event) {
      for await (const part of handler(event)) {
        yield part;
        yield part;
      }
      yield* handler(event);
    };
  const entries = Object.entries(projection).map(([name, handler]): [string, Handler] => [
    name,
    twice(handler),
  ]);
  return Object.fromEntries(entries);
}
