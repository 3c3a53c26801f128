export { createOnce } from './files.js';
export { KeysUnusable, keyPlaces, openKeys, type Keys } from './keys.js';
export { createSigningKey, readPublicKeys, readSigningKey, type SigningKey } from './token-keys.js';
