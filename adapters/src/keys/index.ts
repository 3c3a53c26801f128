export { createOnce, makePrivateFolder } from './files.js';
export { KeysUnusable, keyCheckOf, keyPaths, keysOfLog, openKeys, readKeys, type Keys } from './keys.js';
export {
  createSigningKey,
  type KeyFolder,
  readKeyFolder,
  readPublicKeys,
  readSigningKey,
  type SigningKey,
} from './token-keys.js';
