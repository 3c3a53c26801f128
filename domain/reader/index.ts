/* What the host may call, and where in memory it reads and writes. */
export { heads } from './canonical';
export { setDimensionLimits } from './dimensions';
export { asciiLetters } from './email';
export {
  digest,
  due,
  endWindow,
  heldDate,
  heldDateLength,
  holdElement,
  idDigest,
  putAdded,
  putChanged,
} from './entries';
export { fieldTable, setFields } from './fields';
export {
  addInput,
  beginList,
  elementCount,
  elementStart,
  endInput,
  inputPlace,
  inputRoom,
  position,
  problem,
  problemAt,
  readList,
  unsettledReason,
} from './list';
export { allocate, freeAll, longestElement, window } from './memory';
export { addOutput, beginOutput, output, outputLength, putByte } from './output';
export { bounds, digests, idDigests, owners, recordCount, setDigesting, withUnknown } from './records';
export { ownerOf } from './repeats';
export {
  orderKeys,
  orderKeysLength,
  putRows,
  rowCount,
  rowDigests,
  rowDues,
  rowEnds,
  rowIdDigests,
  rowNumbers,
} from './rows';
export { setUpHash } from './sha256';
export { setHashKey } from './siphash';
