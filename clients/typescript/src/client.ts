import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './schema.js';

export interface ClientOptions {
  /** For example `https://rollcall.example.com`. */
  readonly baseUrl: string;
  readonly token: string;
  /** Instead of the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export type RollcallClient = Client<paths>;

/** Every call of the interface, typed: `client.GET('/v1.0/Survey/{id}', { params: { path: { id: 1 } } })`. */
export const rollcallClient = ({ baseUrl, token, fetch }: ClientOptions): RollcallClient =>
  createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` }, ...(fetch && { fetch }) });
