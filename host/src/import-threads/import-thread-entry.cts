/**
 * What the pool loads. It takes this file by `require`, and on Node 20 a thread that ends while it requires an ES module
 * aborts the process; a promise of the module does not.
 */
module.exports = import('./import-thread.js').then((loaded) => loaded.default);
