import { patterns } from '@rollcall/contracts';

const phone = new RegExp(patterns.phone, 'u');

/** docs/contract, "Phonenumber". */
export const isPhoneNumber = (text: string): boolean => phone.test(text);
