import { createRequire } from 'node:module';

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): {
    run(...values: readonly (string | number)[]): unknown;
    all(...values: readonly (string | number)[]): readonly Readonly<Record<string, string>>[];
  };
}

type DatabaseClass = new (file: string) => Database;

const load = createRequire(import.meta.url);

function loaded(name: string): DatabaseClass | undefined {
  try {
    const found = load(name) as DatabaseClass & { readonly DatabaseSync?: DatabaseClass };
    return found.DatabaseSync ?? found;
  } catch {
    return undefined;
  }
}

/** Node.js has SQLite from 22 on; before that `npm install --no-save better-sqlite3@12` brings it. */
export const sqlite = loaded('node:sqlite') ?? loaded('better-sqlite3');
