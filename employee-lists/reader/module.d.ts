/** The compiled reader (`build.js`), as base64. */
export declare const wasm: string;
