import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './schema.js';

export interface ClientOptions {
  readonly baseUrl: string;
  readonly token: string;
  /** Replaces the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export type RollcallClient = Client<paths>;

/** Every call, typed: `client.GET('/v1.0/Survey/{id}', { params: { path: { id: 1 } } })`. */
export const rollcallClient = ({ baseUrl, token, fetch }: ClientOptions): RollcallClient =>
  createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` }, ...(fetch && { fetch }) });
