import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import tap from 'tap';
import { freePort } from '../servers/free-port.js';
import { rollcallOn } from './rollcall.js';

/** Each takes a good part of a second and some megabytes. */
const clients = /node_modules\/(?:@eventstore|@grpc|google-protobuf|mongodb|nats|pino-pretty)\//;

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

const urlsIn = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) =>
    (JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage).result.map(({ url }) => url),
  );

tap.test("no server's client is loaded where none is chosen", async (t) => {
  const dataDir = t.testdir();
  await rollcallOn(dataDir)('company configure --company 7');
  const env = { PORT: String(await freePort()) };
  const loadedBy = async (words: string): Promise<string[]> => {
    const folder = join(dataDir, `loaded by ${words}`);
    const ran = await rollcallOn(dataDir, { ...env, NODE_V8_COVERAGE: folder })(words);
    t.equal(ran.code, words === '--help' ? 0 : 1, ran.err);
    return urlsIn(folder).filter((url) => url.startsWith('file:'));
  };
  const byHelp = await loadedBy('--help');
  const loaded = { '--help': byHelp, status: await loadedBy('status'), doctor: await loadedBy('doctor') };
  for (const [words, urls] of Object.entries(loaded)) {
    t.ok(
      urls.some((url) => url.endsWith('/dist/rollcall.js')),
      words,
    );
    t.strictSame(
      urls.filter((url) => clients.test(url)),
      [],
      words,
    );
  }
  t.ok(
    loaded.doctor.some((url) => url.includes('node_modules/lmdb/')),
    'what is loaded is seen',
  );
  t.notOk(
    byHelp.some((url) => url.includes('node_modules/')),
    'help needs no package that is not bundled',
  );
});
