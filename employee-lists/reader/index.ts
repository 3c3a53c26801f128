/*
 * What the host may call, and where in memory it reads and writes. A function that reads over something returns the address
 * behind it, or 0 if the text is not JSON or is cut off by the window's end. "The full rules" are in `read-employee.ts`.
 */
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
export { unknownCount } from './element';
export { endOf, fieldTable, idField, setFields, startOf } from './fields';
export { beginIgnored, countMembers, endIgnored, ignoredCount, ignoredNames } from './ignored';
export {
  addInput,
  beginList,
  breachPosition,
  countOnly,
  countedProblems,
  elementCount,
  elementStart,
  endInput,
  inputPlace,
  inputRoom,
  position,
  problem,
  problemAt,
  readList,
  reduceElement,
  unsettledReason,
} from './list';
export { allocate, freeAll, longestElement, maxElementBytes, window } from './memory';
export { addOutput, beginOutput, output, outputLength, putByte } from './output';
export { bounds, digests, idDigests, owners, plain, recordCount, setDigesting, withUnknown } from './records';
export { reduced } from './reduced';
export { noteText, ownerOf } from './repeats';
export { putRows, rowCount, rowDigests, rowDues, rowEnds, rowIdDigests, rowNumbers } from './rows';
export { setUpHash } from './sha256';
export { setHashKey } from './siphash';
export { breach } from './strict';
