/** Raise it by one when a body may be read differently (`test/frozen` fails until then). Never reuse a number. */
export const rulesNumber = 1;

/** A proof holds for these rules, Unicode tables (Node.js) and byte order; otherwise the body is read again. */
export const rulesVersion = `${rulesNumber} ${process.version} ${process.arch}`;
