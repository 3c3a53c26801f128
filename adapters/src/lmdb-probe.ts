import { open } from 'lmdb';

/** Reads everything in the folder's store, in a process of its own: where a page is missing, the process ends or goes round for ever. */
const [, , path = ''] = process.argv;
const root = open<Buffer, string>({ path, noSubdir: false, readOnly: true, maxDbs: 32, encoding: 'binary' });
let bytes = 0;
for (const name of root.getKeys()) {
  const database = root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
  for (const { value } of database.getRange()) bytes += value.byteLength;
}
await root.close();
process.exitCode = bytes >= 0 ? 0 : 1;
