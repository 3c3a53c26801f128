/** The reader of employees, compiled (`build.js`), as base64. */
export declare const wasm: string;
