import { parseArgs } from 'node:util';
import type { Endpoint } from './cluster.js';
import { Cluster } from './nodes.js';
import { takeOrders, type Orders } from './orders.js';
import { Rights, type User } from './rights.js';
import { startStandIn, type ServingOptions } from './server.js';

/**
 * `main.js [--host name] --port 0 --folder F [--not-ready] [--stalls] [--jitter-ms N] [--commit-delay-ms N] [--leader host:port] [--cert F --key F]`
 * `[--user name:password]... [--admin name:password]...`, or as a cluster `--nodes 3 [--port 0]... [--hide-leader]
 * [--commit-timeout-ms N]`. Says `{"ports":[...]}`, and takes orders on stdin.
 */
const { values } = parseArgs({
  options: {
    host: { type: 'string' },
    port: { type: 'string', multiple: true, default: [] },
    folder: { type: 'string' },
    'not-ready': { type: 'boolean', default: false },
    'jitter-ms': { type: 'string' },
    'commit-delay-ms': { type: 'string', default: '0' },
    leader: { type: 'string' },
    user: { type: 'string', multiple: true, default: [] },
    admin: { type: 'string', multiple: true, default: [] },
    cert: { type: 'string' },
    key: { type: 'string' },
    nodes: { type: 'string' },
    'hide-leader': { type: 'boolean', default: false },
    stalls: { type: 'boolean', default: false },
    'commit-timeout-ms': { type: 'string', default: '2000' },
  },
});

const { folder, host, cert, key } = values;
if (folder === undefined) throw new Error('--folder is missing');

const serving: ServingOptions = {
  ...(host !== undefined && { host }),
  ...(values['jitter-ms'] !== undefined && { jitterMs: Number(values['jitter-ms']) }),
  ...(cert !== undefined && key !== undefined && { tls: { certificate: cert, key } }),
};

const users: readonly User[] = [
  ...values.user.map((text) => userOf(text, false)),
  ...values.admin.map((text) => userOf(text, true)),
];

function userOf(text: string, isAdmin: boolean): User {
  const [name = '', ...password] = text.split(':');
  return { name, password: password.join(':'), isAdmin };
}

function endpointOf(text: string): Endpoint {
  const [host = '', port = ''] = text.split(':');
  return { host, port: Number(port) };
}

interface Started {
  readonly ports: readonly number[];
  readonly orders: Orders;
}

async function startAlone(): Promise<Started> {
  let isReady = !values['not-ready'];
  let stalled = Promise.resolve();
  let goOn = (): void => undefined;
  const { port, rights, store } = await startStandIn({
    ...serving,
    folder: folder ?? '',
    port: Number(values.port[0] ?? 0),
    isReady: () => isReady,
    commitDelayMs: Number(values['commit-delay-ms']),
    commitTimeoutMs: Number(values['commit-timeout-ms']),
    users,
    ...(values.stalls && { replicated: () => stalled }),
    ...(values.leader !== undefined && { leader: endpointOf(values.leader) }),
  });
  const orders: Orders = {
    ...ordersOf(rights),
    ready: () => {
      isReady = true;
    },
    stall: () => {
      stalled = new Promise((resolve) => (goOn = resolve));
    },
    'go-on': () => goOn(),
    'max-append-size': (bytes) => {
      store.maxAppendSize = Number(bytes);
    },
  };
  return { ports: [port], orders };
}

async function startCluster(size: number): Promise<Started> {
  const rights = new Rights(serving.tls === undefined ? [] : users);
  const cluster = await Cluster.start({
    ...serving,
    folder: folder ?? '',
    ports: Array.from({ length: size }, (_, n) => Number(values.port[n] ?? 0)),
    rights,
    commitTimeoutMs: Number(values['commit-timeout-ms']),
    hidesLeader: values['hide-leader'],
  });
  return {
    ports: cluster.nodes.map(({ endpoint }) => endpoint.port),
    orders: {
      ...ordersOf(rights),
      lead: (node, electionMs) => cluster.lead(Number(node), Number(electionMs)),
      cut: (node, electionMs) => cluster.cut(Number(node), Number(electionMs)),
      join: (node) => cluster.join(Number(node)),
      kill: (node, electionMs) => cluster.kill(Number(node), Number(electionMs)),
      start: (node) => cluster.start(Number(node)),
    },
  };
}

const ordersOf = (rights: Rights): Orders => ({
  password: (name = '', password = '') => rights.setPassword(name, password),
});

const say = (line: string): void => void process.stdout.write(line);
const { ports, orders } = await (values.nodes === undefined
  ? startAlone()
  : startCluster(Number(values.nodes)));
say(`${JSON.stringify({ ports })}\n`);
takeOrders(process.stdin, orders, say);
process.once('SIGTERM', () => process.exit(0));
// Whoever started it is gone: so is its end of the pipe.
process.stdin.once('end', () => process.exit(0));
