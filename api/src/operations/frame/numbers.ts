import { html, type Html } from './html.js';

/** `12 345` with thin spaces that do not break. */
export const numberText = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, '\u202f');

/** 0 is 0; unknown is a dash. */
export const number = (value: number | null | undefined): Html =>
  value === null || value === undefined
    ? html`<span class="unknown">–</span>`
    : html`<span class="number">${numberText(value)}</span>`;

/** `1 employee`, `412 employees`. */
export const counted = (count: number, noun: string): string =>
  `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
