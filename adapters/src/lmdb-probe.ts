import { open } from 'lmdb';

/** Reads the whole store in its own process: a missing page ends or hangs it. */
const [, , path = ''] = process.argv;
const root = open<Buffer, string>({ path, noSubdir: false, readOnly: true, maxDbs: 32, encoding: 'binary' });
const names = [...root.getKeys()];
let bytes = 0;
for (const name of names) {
  const database = root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
  for (const { value } of database.getRange()) bytes += value.byteLength;
}
await root.close();
process.exitCode = bytes >= 0 ? 0 : 1;
