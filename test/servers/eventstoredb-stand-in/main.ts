import { parseArgs } from 'node:util';
import { startStandIn, type StandInOptions } from './server.js';

/** `main.js --port 0 --folder F [--not-ready-ms N] [--jitter-ms N] [--leader host:port] [--user name:password] [--cert F --key F]` */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    folder: { type: 'string' },
    'not-ready-ms': { type: 'string', default: '0' },
    'jitter-ms': { type: 'string' },
    leader: { type: 'string' },
    user: { type: 'string' },
    cert: { type: 'string' },
    key: { type: 'string' },
  },
});

if (values.folder === undefined) throw new Error('--folder is missing');

function endpointOf(text: string): { host: string; port: number } {
  const [host = '', port = ''] = text.split(':');
  return { host, port: Number(port) };
}

const options: StandInOptions = {
  folder: values.folder,
  port: Number(values.port),
  notReadyMs: Number(values['not-ready-ms']),
  ...(values['jitter-ms'] !== undefined && { jitterMs: Number(values['jitter-ms']) }),
  ...(values.leader !== undefined && { leader: endpointOf(values.leader) }),
  ...(values.user !== undefined && { user: values.user }),
  ...(values.cert !== undefined &&
    values.key !== undefined && { tls: { certificate: values.cert, key: values.key } }),
};

const { port } = await startStandIn(options);
process.stdout.write(`${JSON.stringify({ port })}\n`);
process.once('SIGTERM', () => process.exit(0));
// Whoever started it is gone: so is its end of the pipe.
process.stdin.once('end', () => process.exit(0)).resume();
