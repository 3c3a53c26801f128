import { connect } from 'node:tls';
import { Metadata, type ChannelCredentials } from '@grpc/grpc-js';
import { EventLogUnavailable, LogRefused } from '@rollcall/application';
import { parse } from './connection-string.js';
import { detailsOf, refusedBy, tlsProblemOf } from './failures.js';
import { gossipClient, secretsOf, viewOf } from './gossip.js';

const PROBE_MS = 1_000;

/** The client reports no reason, so each node of the connection string is asked for one. */
export async function notFound(connectionString: string, cause: unknown): Promise<EventLogUnavailable> {
  const refused = refusedBy(cause);
  if (refused !== undefined) return refused;
  const { hosts } = parse(connectionString);
  const secrets = secretsOf(connectionString);
  const reasons = await Promise.all(hosts.map((host) => reasonOf(host, secrets)));
  const ofTls = reasons.map(({ problem }) => problem).find((problem) => problem !== undefined);
  if (ofTls !== undefined) return new LogRefused(ofTls, { cause });
  const plain = await plainProblem(connectionString, { nodes: hosts, cause });
  if (plain !== undefined) return plain;
  const found = reasons.map(({ text }) => text).join('; ');
  return new EventLogUnavailable(
    `EventStoreDB is not available: no node of the cluster was found (${found})`,
    { cause, isTransient: true },
  );
}

/** The reason if tls=false and a node speaks TLS. */
export async function plainProblem(
  connectionString: string,
  { nodes, cause }: { readonly nodes: readonly string[]; readonly cause: unknown },
): Promise<LogRefused | undefined> {
  if (parse(connectionString).tls || !(await Promise.all(nodes.map(answersTls))).includes(true))
    return undefined;
  const problem = 'EventStoreDB answers TLS only: take tls=false out of the connection string';
  return new LogRefused(problem, { cause });
}

async function reasonOf(host: string, secrets: ChannelCredentials) {
  const client = gossipClient(host, secrets);
  try {
    await viewOf(client, new Metadata(), { deadline: Date.now() + PROBE_MS });
    return { text: `${host}: names no node that can be used` };
  } catch (error) {
    return { text: `${host}: ${detailsOf(error)}`, problem: tlsProblemOf(error) };
  } finally {
    client.close();
  }
}

/** True for any certificate; sends nothing. */
function answersTls(node: string): Promise<boolean> {
  const [host = '', port = ''] = node.split(':');
  return new Promise((resolve) => {
    const options = { host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['h2'] };
    const socket = connect(options, () => end(true));
    const end = (answers: boolean): void => {
      socket.destroy();
      resolve(answers);
    };
    socket.setTimeout(PROBE_MS, () => end(false));
    socket.once('error', () => end(false));
  });
}
