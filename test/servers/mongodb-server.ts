import { MongoClient } from 'mongodb';
import { findBinary } from './binaries.js';
import { BinaryServer } from './binary-server.js';

const NAME = 'rollcall-ferretdb';

/** FerretDB as `.ci/servers.sh` builds it. */
export const findMongodbServer = (): string | undefined => findBinary(NAME);

/** A server that speaks MongoDB's wire protocol, on a free port of 127.0.0.1, its data in a temporary folder. */
export class MongodbServer extends BinaryServer {
  static start(): Promise<MongodbServer> {
    return BinaryServer.started((port) => new MongodbServer(NAME, port));
  }

  /** Without a database. */
  get url(): string {
    return `mongodb://127.0.0.1:${this.port}`;
  }

  protected override get arguments(): readonly string[] {
    const settings = {
      handler: 'sqlite',
      // What was answered survives the end of the process; a power cut is not what the tests are about.
      'sqlite-url': `file:${this.folder}/?_pragma=synchronous(off)`,
      'state-dir': this.folder,
      'listen-addr': `127.0.0.1:${this.port}`,
      'repl-set-name': 'rollcall',
      'debug-addr': '-',
      telemetry: 'disable',
      'log-level': 'ERROR',
    };
    return Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  }

  protected override async answers(): Promise<boolean> {
    const client = new MongoClient(this.url, { serverSelectionTimeoutMS: 500, connectTimeoutMS: 500 });
    try {
      await client.db('admin').command({ ping: 1 });
      return true;
    } catch {
      return false;
    } finally {
      await client.close();
    }
  }
}
